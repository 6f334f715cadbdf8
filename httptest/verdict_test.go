package fakeopenai

import (
	"flag"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
)

const flaky = `
	name: flaky
	replies:
	  - times: 2
	    error: { status: 429, code: rate_limit_exceeded }
	  - message: { content: Third time lucky. }
`

const forGPT5 = `
	name: newer
	when: { model: gpt-5* }
	message: { content: Hi }
`

func TestUnmatchedRequest(t *testing.T) {
	t.Parallel()
	t.Run("it fails the test at once and says why", func(t *testing.T) {
		t.Parallel()
		overBoth(t, func(t *testing.T, with ...Option) {
			record(t, func(tb testing.TB) {
				fake := NewServer(tb, append(with, YAML(forGPT5))...)
				status, answer := mustAsk(t, fake, whole)
				if status != http.StatusNotFound || !strings.Contains(answer, "newer") {
					t.Errorf("the client got %d %s; want a 404 that names the nearest scenario", status, answer)
				}
				fake.AwaitEnd(0)
				if !tb.Failed() {
					t.Error("the test had not failed when the answer was there")
				}
			}).wantErrors(t, "newer")
		})
	})
	t.Run("with AllowUnmatched it is no error", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, YAML(forGPT5), AllowUnmatched())
			if status, _ := mustAsk(t, fake, whole); status != http.StatusNotFound {
				t.Errorf("status %d, want 404", status)
			}
		}).wantErrors(t)
	})
	t.Run("a reply that the API has no words for is one", func(t *testing.T) {
		t.Parallel()
		const calls = "name: calls\nmessage: { tool_calls: [{ name: f }] }"
		for _, allowed := range []bool{false, true} {
			record(t, func(tb testing.TB) {
				options := []Option{YAML(calls), AllowUnused()}
				if allowed {
					options = append(options, AllowUnmatched())
				}
				fake := NewServer(tb, options...)
				resp, err := fake.Client().Post(fake.BaseURL+"/completions", "application/json", strings.NewReader(`{"model":"m","prompt":"Hi"}`))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				if resp.StatusCode != http.StatusBadRequest {
					t.Errorf("status %d, want 400", resp.StatusCode)
				}
				fake.AwaitEnd(0)
			}).wantErrors(t, map[bool][]string{false: {"the message holds a tool call"}}[allowed]...)
		}
	})
	t.Run("a wait for a hold ends with it", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, YAML("name: a\nwhen: { model: other }\nstream:\n- role: assistant\n- hold: there\n- finish: stop\n"))
			go func() {
				if resp, err := ask(t.Context(), fake, whole); err == nil {
					resp.Body.Close()
				}
			}()
			fake.Await("there")
			t.Error("Await returned although no stream had reached the hold")
		}).wantErrors(t, "no scenario", "there")
	})
	t.Run("a wrong key is answered, not unmatched", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, YAML(greeting), WithAPIKey("right"))
			fake.APIKey = "wrong"
			if status, _ := mustAsk(t, fake, whole); status != http.StatusUnauthorized {
				t.Errorf("status %d, want 401", status)
			}
		}).wantErrors(t)
	})
}

func TestAReplyThatCannotBeMadeFailsTheTest(t *testing.T) {
	t.Parallel()
	for _, options := range [][]Option{nil, {AllowUnmatched()}} {
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, append(options, YAML("name: a\nmessage: 'Run {{ .request.metadata.run }}'"))...)
			if status, _ := mustAsk(t, fake, whole); status != http.StatusInternalServerError {
				t.Errorf("status %d, want 500", status)
			}
			if got := fake.AwaitEnd(0); got.Problem == "" {
				t.Errorf("the request says no problem: %+v", got)
			}
		}).wantErrors(t, `the answer cannot be made: scenario "a", reply 1: YAML:2:10: .request.metadata.run has no value in this request`)
	}
}

// turns is a scenario with a reply for each of two turns.
const turns = `
	name: turns
	replies:
	  - when: { turn: 1 }
	    message: { content: First. }
	  - when: { turn: 2 }
	    message: { content: Second. }
	  - message: { content: Otherwise. }
`

func TestUnusedReplies(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		opts  []Option
		asked int
		want  []string
	}{
		{"a reply given as often as it should be is no error", []Option{YAML(flaky)}, 2, nil},
		{"a reply given less often fails the test", []Option{YAML(flaky)}, 1, []string{`reply 1 of scenario "flaky" (YAML:4) was given 1 of 2 times`}},
		{"a reply never given fails the test", []Option{YAML(flaky)}, 0, []string{"given 0 of 2 times"}},
		{"with AllowUnused it does not", []Option{YAML(flaky), AllowUnused()}, 0, nil},
		{"a scenario of the test's own that was never played fails the test", []Option{YAML(greeting)}, 0, []string{"\n\tscenario \"greeting\" (YAML:2) was never played"}},
		{"so does one with a condition", []Option{YAML(greeting), YAML(forGPT5)}, 1, []string{"\n\tscenario \"newer\" (YAML 2:2) was never played"}},
		{"and one made in Go", []Option{Scenario(scenarios.Scenario{Name: "go", Replies: []scenarios.Reply{{Message: &scenarios.Message{Content: scenarios.Some(scenarios.Text{Source: "Hi"})}}}})}, 0, []string{"\n\tscenario \"go\" was never played"}},
		{"with AllowUnused it does not, either", []Option{YAML(greeting), AllowUnused()}, 0, nil},
		{"what another extends is played with it", []Option{YAML("name: base\nwhen: { model: o3 }\nmessage: hi\n---\nname: derived\nextends: base\nwhen: { model: gpt-4o }\n")}, 1, nil},
		{"a reply with a condition that was never given fails the test", []Option{YAML(turns)}, 1, []string{"\n\treply 2 of scenario \"turns\" (YAML:6) was never given"}},
		{"a reply without times and without a condition may stay unused", []Option{YAML("name: a\nreplies:\n- when: { turn: 1 }\n  message: hi\n- message: never\n")}, 1, nil},
		{"a reply with a chance may stay unused", []Option{YAML("name: a\nreplies:\n- { chance: 0.001, times: 2, error: 429 }\n- { chance: 0.001, when: { turn: 1 }, error: 500 }\n- message: hi\n")}, 1, nil},
		{"a scenario that is left to chance may stay unplayed", []Option{YAML("name: a\nreplies: [{ chance: 0.001, error: 429 }]\n---\nname: b\nmessage: hi\n")}, 1, nil},
		{"a scenario that was never played is one line", []Option{YAML(turns)}, 0, []string{"permits it):\n\tscenario \"turns\" (YAML:2) was never played"}},
		{"scenarios in files may be for other tests", []Option{FS(fstest.MapFS{"a.yaml": {Data: []byte("name: a\nwhen: { model: o3 }\nmessage: hi\n---\nname: b\nmessage: hi\n")}})}, 1, nil},
		{"so may bundled ones", []Option{Fixture("plain-text", "tool-call")}, 1, nil},
		{"a script that was not played fails the test, with its place", []Option{Script(step.Content("a")), Script(step.Content("b"))}, 1, []string{"script 2 (verdict_test.go:"}},
		{"of the bundled scenarios, played because nothing else is, none has to be", nil, 0, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			record(t, func(tb testing.TB) {
				fake := NewServer(tb, tt.opts...)
				for range tt.asked {
					mustAsk(t, fake, whole)
				}
			}).wantErrors(t, tt.want...)
		})
	}
	t.Run("a test whose requests are refused owes no scenario", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, YAML(greeting), WithAPIKey("right"))
			fake.APIKey = "wrong"
			mustAsk(t, fake, whole)
		}).wantErrors(t)
	})
	t.Run("so does one whose connections are refused", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) { NewServer(tb, YAML(greeting)).Down() }).wantErrors(t)
	})
	t.Run("a test that failed already owes nothing", func(t *testing.T) {
		t.Parallel()
		record(t, func(tb testing.TB) {
			NewServer(tb, YAML(flaky))
			tb.Errorf("of its own")
		}).wantErrors(t, "of its own")
	})
}

// It is not parallel, because it sets a flag of go test.
func TestEvidence(t *testing.T) {
	dir := t.TempDir()
	failed := func() string {
		return record(t, func(tb testing.TB) {
			fake := NewServer(artifacts{tb, dir}, YAML("name: greeting\nmessage: One two three four five six seven."))
			mustAsk(t, fake, streamed)
			tb.Errorf("of its own")
		}).logs.String()
	}
	log := failed()
	for _, want := range []string{
		"fakeopenai: what was asked and answered:\n\trequest 0: POST /v1/chat/completions model=gpt-4o stream=true messages=1 -> 200 greeting[0]",
		"\n\t\tdata: {\"id\":\"chatcmpl-", `"delta":{"content":"One"}`, "}\n\t\t… 3 more lines\n\t\tdata: {", "}\n\t\tdata: [DONE]\n",
	} {
		if !strings.Contains(log, want) {
			t.Errorf("the log lacks %q:\n%s", want, log)
		}
	}
	if files, _ := os.ReadDir(dir); len(files) > 0 || strings.Contains(log, dir) {
		t.Errorf("without -artifacts there are %v, and the log has a directory:\n%s", files, log)
	}
	kept := flag.Lookup("test.artifacts").Value
	defer func(was string) { _ = kept.Set(was) }(kept.String())
	_ = kept.Set("true")
	if log := failed(); !strings.Contains(log, "transcripts are in "+dir) {
		t.Errorf("with -artifacts the log lacks %q:\n%s", dir, log)
	}
	for name, want := range map[string]string{"request-0.json": `"stream":true`, "request-0.answer": "data: [DONE]\n"} {
		files, _ := filepath.Glob(filepath.Join(dir, "*", name))
		if len(files) != 1 {
			t.Fatalf("there are %d files %s in the artifact directory", len(files), name)
		}
		if data, err := os.ReadFile(files[0]); err != nil || !strings.Contains(string(data), want) {
			t.Errorf("%s holds %q, %v; want %q in it", name, data, err, want)
		}
	}
}

// artifacts is a testing.TB with a given artifact directory.
type artifacts struct {
	testing.TB
	dir string
}

func (a artifacts) ArtifactDir() string { return a.dir }

func TestPassingTestLeavesNoEvidence(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	record(t, func(tb testing.TB) {
		mustAsk(t, NewServer(artifacts{tb, dir}, YAML(greeting)), streamed)
	}).wantErrors(t)
	if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
		t.Errorf("the artifact directory holds %v, %v", entries, err)
	}
}

func TestNothingIsSaidAfterTheTest(t *testing.T) {
	t.Parallel()
	var fake *Server
	r := record(t, func(tb testing.TB) { fake = NewServer(tb, YAML(greeting), AllowUnused()) })
	before := r.logs.Len()
	fake.tb.errorf("late")
	fake.tb.logf("late")
	if _, err := fake.tb.Write([]byte("late")); err != nil {
		t.Error(err)
	}
	r.wantErrors(t)
	if r.logs.Len() != before {
		t.Errorf("the log went on: %s", r.logs.String())
	}
}
