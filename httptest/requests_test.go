package fakeopenai

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

func TestRequests(t *testing.T) {
	t.Parallel()
	overBoth(t, func(t *testing.T, with ...Option) {
		fake := NewServer(t, append(with, YAML(greeting))...)
		const body = `{"model":"gpt-4o","stream":true,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi!"}],"tools":[{"type":"function","function":{"name":"clock"}}]}`
		mustAsk(t, fake, whole)
		mustAsk(t, fake, body)
		got := fake.AwaitEnd(1)

		if n := len(fake.Requests()); n != 2 {
			t.Fatalf("there were %d requests, want 2", n)
		}
		if got.Model != "gpt-4o" || !got.Stream || string(got.Body) != body {
			t.Errorf("the request is %+v", got)
		}
		if m := got.Messages; len(m) != 2 || m[0].Role != "system" || m[1].Text != "Hi!" {
			t.Errorf("messages are %+v", m)
		}
		if len(got.Tools) != 1 || got.Tools[0].Name != "clock" {
			t.Errorf("tools are %+v", got.Tools)
		}
		if got.Header.Get("Authorization") != "Bearer "+fake.APIKey {
			t.Errorf("header is %v", got.Header)
		}
		if got.Scenario != "greeting" || got.Reply != 0 || got.Status != http.StatusOK {
			t.Errorf("answered by %s[%d] with %d", got.Scenario, got.Reply, got.Status)
		}
		if d := got.Delivery; d.Ended != journal.EndedComplete || d.Frames != d.Planned || d.Frames == 0 {
			t.Errorf("delivery is %+v", d)
		}
		want := "POST /v1/chat/completions model=gpt-4o stream=true messages=2 tools=1 -> 200 greeting[0] "
		if s := got.String(); !strings.HasPrefix(s, want) || !strings.HasSuffix(s, "frames, complete") {
			t.Errorf("String is %q", s)
		}
	})
}

func TestItemsOfARequest(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, YAML(greeting))
	resp, err := fake.Client().Post(fake.URL+"/v1/responses", "application/json", strings.NewReader(`{"model":"gpt-4o","input":[{"role":"user","content":"Weather?"},
		{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"18"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	got := fake.AwaitEnd(0)
	if n := len(got.Items); n != 4 || got.Items[3].Get("output").Text() != "18" {
		t.Errorf("the items are %v", got.Items)
	}
	if m := got.Messages; len(m) != 3 || len(m[1].ToolCalls) != 1 || m[1].ToolCalls[0] != (scenarios.RequestCall{ID: "c1", Type: "function", Name: "weather", Arguments: "{}"}) || m[2].ToolCallID != "c1" {
		t.Errorf("the messages are %+v", m)
	}
	mustAsk(t, fake, whole)
	if got := fake.AwaitEnd(1); got.Items != nil {
		t.Errorf("a request to chat completions has the items %v", got.Items)
	}
}

// TestAttemptsBearTheIDsOfRequests resets the journal first, so that ids differ from
// positions.
func TestAttemptsBearTheIDsOfRequests(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, YAML(greeting))
	mustAsk(t, fake, whole)
	fake.AwaitEnd(0)
	resp, err := fake.Client().Post(fake.URL+"/_fake/reset", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	mustAsk(t, fake, whole)
	last := fake.AwaitEnd(0)
	calls := fake.Calls()
	if len(calls) != 1 || calls[0].Attempts[0].Request != last.ID || last.ID != 2 {
		t.Errorf("the request has the id %d, want 2; its call is %+v", last.ID, calls)
	}
}

func TestWhatARequestSays(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, YAML(greeting))
	mustAsk(t, fake, whole)
	mustAsk(t, fake, `{"model":"gpt-4o","messages":[{"role":"assistant","tool_calls":[{"id":"c1","function":{"name":"clock"}}]},{"role":"tool","tool_call_id":"c1","content":"12"}],"tools":[{"type":"function","function":{"name":"clock"}}],"n":1}`)
	last := fake.Last()
	for path, want := range map[string]string{
		"tools[0].function.name":                   "clock",
		"messages[-2].tool_calls[0].function.name": "clock",
		"messages[1].content":                      "12",
		"n":                                        "1",
		"messages[2]":                              "",
	} {
		if got := last.Value(path).Text(); got != want {
			t.Errorf("at %s stands %q, want %q", path, got, want)
		}
	}
	if calls := last.Messages[0].ToolCalls; len(calls) != 1 || calls[0] != (scenarios.RequestCall{ID: "c1", Type: "function", Name: "clock"}) {
		t.Errorf("the calls that went back are %+v", calls)
	}
	if got := last.Value("tools[0]").String(); got != `{"type":"function","function":{"name":"clock"}}` {
		t.Errorf("at tools[0] stands %s", got)
	}
	if !last.Value("temperature").IsAbsent() || last.Value("n").IsAbsent() {
		t.Error("it cannot be told whether there is something at a path")
	}
}

func TestQuestionsThatCannotBeAnswered(t *testing.T) {
	t.Parallel()
	record(t, func(tb testing.TB) {
		NewServer(tb, YAML(greeting)).Last()
	}).wantErrors(t, "Last: there was no request")
	record(t, func(tb testing.TB) {
		fake := NewServer(tb, YAML(greeting))
		mustAsk(t, fake, whole)
		fake.Last().Value("/messages/0")
	}).wantErrors(t, "write messages[0]")
}

func TestRequestsAreCopies(t *testing.T) {
	t.Parallel()
	fake := NewServer(t, YAML(greeting))
	mustAsk(t, fake, whole)
	first := fake.Requests()[0]
	first.Body[0], first.Messages[0].Text = 'x', "changed"
	first.Header.Set("Authorization", "changed")
	second := fake.Requests()[0]
	if second.Body[0] != '{' || second.Messages[0].Text != "Hi!" || second.Header.Get("Authorization") == "changed" {
		t.Errorf("a change of one copy shows in the next: %+v", second)
	}
}

func TestWaitsForWhatCannotCome(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		call func(*Server)
		want string
	}{
		{"the transcript of a request that never came", func(s *Server) { s.Transcript(3) }, "Transcript(3): the server was closed; requests: 0"},
		{"the end of a request that never came", func(s *Server) { s.AwaitEnd(0) }, "AwaitEnd(0): the server was closed"},
		{"a hold that no scenario has", func(s *Server) { s.Await("mid-anwser") }, "mid-answer"},
		{"the release of a hold that no scenario has", func(s *Server) { s.Release("mid-anwser") }, "there are: mid-answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			record(t, func(tb testing.TB) {
				fake := NewServer(tb, YAML(held))
				fake.Close()
				tt.call(fake)
			}).wantErrors(t, tt.want)
		})
	}
}

func TestARequestThatNeverComesFailsTheTestSoon(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		wait func(*Server)
		want string
	}{
		{"its end", func(s *Server) { s.AwaitEnd(1) }, "AwaitEnd(1): no request came for 50ms; requests: 1\n\trequest 0: POST /v1/chat/completions model=gpt-4o"},
		{"its hold", func(s *Server) { s.Await("mid-answer") }, `Await: no stream reached hold "mid-answer": no request came for 50ms; no stream is open`},
		{"its transcript", func(s *Server) { s.Transcript(2) }, "Transcript(2): no request came for 50ms; requests: 1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, func(t *testing.T, with ...Option) {
				record(t, func(tb testing.TB) {
					fake := NewServer(tb, append(with, YAML(greeting), YAML(held), AllowUnused(), WithPatience(50*time.Millisecond))...)
					mustAsk(t, fake, whole)
					tt.wait(fake)
				}).wantErrors(t, tt.want)
			})
		})
	}
}

// A client that does not leave is told of as soon as nothing moves: it stands at a hold, or its client
// does not read. A pause that the scenario asks for is waited for.
func TestAnAnswerThatCannotEndFailsTheTestSoon(t *testing.T) {
	t.Parallel()
	const huge = "name: huge\nstream:\n- role: assistant\n- content: { repeat: a, bytes: 8000000 }\n- finish: stop\n"
	for _, tt := range []struct{ name, yaml, want string }{
		{"at a hold", held, `AwaitEnd(0): request 1 (scenario "held", reply 1) has not ended: nothing moved for 50ms, and the client is still connected; open streams: request 1 (scenario "held", reply 1) waits at hold "mid-answer" after `},
		{"not read", huge, `nothing moved for 50ms, and the client is still connected; open streams: request 1 (scenario "huge", reply 1) is playing after `},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			overBoth(t, func(t *testing.T, with ...Option) {
				record(t, func(tb testing.TB) {
					fake := NewServer(tb, append(with, YAML(tt.yaml), WithPatience(50*time.Millisecond))...)
					resp, err := ask(t.Context(), fake, streamed)
					if err != nil {
						t.Fatal(err)
					}
					defer resp.Body.Close()
					fake.AwaitEnd(0)
				}).wantErrors(t, tt.want)
			})
		})
	}
}

// A pause of the scenario that is longer than the patience is no silence; the hold behind it is.
func TestAWaitGoesOnThroughALongerPause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		record(t, func(tb testing.TB) {
			fake := NewServer(tb, YAML("name: pausing\nstream:\n- role: assistant\n- wait: 150ms\n- hold: end\n- finish: stop\n"), InMemory(), WithPatience(50*time.Millisecond))
			resp, err := ask(t.Context(), fake, streamed)
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			fake.AwaitEnd(0)
		}).wantErrors(t, `waits at hold "end"`)
	})
}

// The wait does not end while an answer is open, because its client may still send another request.
func TestARequestIsWaitedForWhileAnswersGoOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fake := NewServer(t, YAML(halfHour), InMemory(), WithPatience(time.Minute))
		asked := make(chan struct{})
		go func() {
			defer close(asked)
			mustAsk(t, fake, streamed)
			time.Sleep(59 * time.Second)
			mustAsk(t, fake, streamed)
		}()
		began := time.Now()
		fake.AwaitEnd(1)
		<-asked
		if took := time.Since(began); took != time.Hour+59*time.Second {
			t.Errorf("the wait took %v", took)
		}
	})
}

func TestInABubbleAWaitEndsWhenNothingElseCanHappen(t *testing.T) {
	t.Parallel()
	const idle = "nothing in the bubble of synctest goes on"
	for _, tt := range []struct {
		name string
		wait func(*Server)
		want string
	}{
		{"for a request that never comes", func(s *Server) { s.AwaitEnd(1) }, "AwaitEnd(1): " + idle},
		{"for an answer that is held", func(s *Server) { s.Transcript(0) }, `Transcript(0): request 1 (scenario "held", reply 1) has not ended: ` + idle},
		{"for a hold that no stream reaches", func(s *Server) { s.Release("mid-answer"); s.AwaitEnd(0); s.Await("mid-answer") }, idle},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := record(t, func(tb testing.TB) {
					fake := NewServer(tb, YAML(held), InMemory())
					_, _ = open(t, fake)
					tt.wait(fake)
				})
				if tt.want != "" {
					r.wantErrors(t, tt.want)
				}
			})
		})
	}
}

func TestANegativePositionFailsTheTestAtOnce(t *testing.T) {
	t.Parallel()
	record(t, func(tb testing.TB) {
		NewServer(tb, YAML(greeting), AllowUnused(), WithPatience(time.Hour)).AwaitEnd(-1)
	}).wantErrors(t, "AwaitEnd(-1): requests are counted from 0")
}

// Not parallel: it counts allocations.
func TestAwaitEndLooksAtOneRequestOnly(t *testing.T) {
	testflag.SkipRace(t)
	fake := NewServer(t, YAML(greeting))
	const requests = 200
	for range requests {
		mustAsk(t, fake, whole)
	}
	fake.AwaitEnd(requests - 1)
	if n := testing.AllocsPerRun(10, func() { fake.AwaitEnd(0) }); n > requests {
		t.Errorf("AwaitEnd allocates %.0f times beside %d requests", n, requests)
	}
}
