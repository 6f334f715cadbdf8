package sweep_test

import (
	"context"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// hunting is a hunt for a client that comes to a value, or complains, from the steps and the
// manner of the reply that it gets. It needs no server.
func hunting(t *testing.T, yaml string, client func(steps []scenarios.Step, m *scenarios.Manner) (value any, complained bool)) *sweep.Hunt {
	t.Helper()
	set := checked(t, yaml)
	const asked = "How is the weather in Oslo?"
	body := []byte(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"` + asked + `"}]}`)
	h := &sweep.Hunt{Set: set, Check: server.Check, Seed: 1, Runs: 300, Jobs: 4}
	h.Play = func(_ context.Context, c sweep.Case) (sweep.Result, error) {
		played, err := c.Set(set, 0)
		if err != nil {
			return sweep.Result{}, err
		}
		sel, _ := played.Match(t.Context(), &scenarios.Request{Stream: true, Messages: []scenarios.RequestMessage{{Role: "user", Text: asked}}}, nil, "", 1)
		var steps []scenarios.Step
		if sel.Reply.Stream != nil {
			steps = *sel.Reply.Stream
		}
		value, complained := client(steps, sel.Manner)
		answers := []sweep.Answer{{Scenario: sel.Scenario.Name, Reply: sel.Index, Status: 200, Bytes: make([]byte, 1000), Surface: "chat", Header: http.Header{}, Body: body}}
		return sweep.Result{Verdict: c.Judge(set, complained, answers), Value: value, Answers: answers}, nil
	}
	return h
}

func run(t *testing.T, h *sweep.Hunt) (*sweep.Found, int) {
	t.Helper()
	found, runs, err := h.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found, runs
}

const longer = "name: longer\nmessage: { content: 'one two three four five six seven', by: word }\n"

// commented reports whether the stream has a comment, and CR LF line ends: two changes that
// matter only together.
func commented(steps []scenarios.Step, m *scenarios.Manner) (any, bool) {
	hasComment := slices.ContainsFunc(steps, func(st scenarios.Step) bool { return st.Comment != nil })
	return nil, hasComment && m.Wire.Newline == "crlf"
}

func TestAHuntFindsTheLeastCase(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	h := hunting(t, longer, commented)
	h.Runs = 3000
	found, _ := run(t, h)
	if found == nil {
		t.Fatal("nothing found")
	}
	var names []string
	for _, c := range found.Changes {
		names = append(names, c.Name())
	}
	slices.Sort(names)
	const want = "name: longer\nwire:\n  newline: crlf\nstream:\n  - comment: \"ping\"\n  - role: assistant\n  - finish: stop\n"
	if strings.Join(names, " ") != "comment crlf" || found.Scenario() != want || !found.Stable {
		t.Errorf("found %q, stable %t:\n%s", names, found.Stable, found.Scenario())
	}
}

// A client that wants the whole text gets it in one piece.
func TestATextThatIsNeededIsJoined(t *testing.T) {
	t.Parallel()
	h := hunting(t, longer, func(steps []scenarios.Step, m *scenarios.Manner) (any, bool) {
		all := ""
		for _, st := range steps {
			all += st.Content.Value.Source
		}
		return nil, steps != nil && (all != "one two three four five six seven" || m.Wire.Newline == "crlf")
	})
	h.Without = []string{"characters"} // it writes texts in another form
	found, _ := run(t, h)
	const want = "stream:\n  - role: assistant\n  - content: \"one two three four five six seven\"\n  - finish: stop\n"
	if found == nil || !strings.HasSuffix(found.Scenario(), want) {
		t.Errorf("found %+v", found)
	}
}

// One that fails at a place where its text is cut gets the text before and after it in few pieces.
func TestATextThatIsCutIsJoinedElsewhere(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	h := hunting(t, longer, func(steps []scenarios.Step, _ *scenarios.Manner) (any, bool) {
		all, lost := "", false
		for _, st := range steps {
			all += st.Content.Value.Source
			lost = lost || st.Content.Value.Source == "r"
			if st.Text != nil { // each character comes by itself
				all += st.Text.Text.Source
			}
		}
		return nil, steps != nil && (all != "one two three four five six seven" || lost)
	})
	h.Runs = 1000
	found, _ := run(t, h)
	if found == nil {
		t.Fatal("nothing found")
	}
	const want = "name: longer\nstream:\n  - role: assistant\n  - content: \"one two three\"\n  - content: \" fou\"\n  - content: \"r\"\n  - content: \" five six seven\"\n  - finish: stop\n"
	if found.Scenario() != want {
		t.Error(found.Explain())
	}
}

func TestAHuntRepeatsItself(t *testing.T) {
	t.Parallel()
	first := 0
	for _, jobs := range []int{1, 2, 7} {
		h := hunting(t, longer, func(_ []scenarios.Step, m *scenarios.Manner) (any, bool) { return nil, m.Wire.Done != nil })
		h.Jobs = jobs
		found, _ := run(t, h)
		if found == nil || first > 0 && found.First != first {
			t.Fatalf("with %d jobs: %+v, and the first was case %d", jobs, found, first)
		}
		first = found.First
	}
	h := hunting(t, longer, func(_ []scenarios.Step, m *scenarios.Manner) (any, bool) { return nil, m.Wire.Done != nil })
	h.Runs = first - 1
	if found, runs := run(t, h); found != nil || runs != first+1 {
		t.Errorf("%d cases before the one that fails: %d runs, %+v", first-1, runs, found)
	}
}

func TestAFailureThatDoesNotComeAgainIsUnstable(t *testing.T) {
	t.Parallel()
	var runs atomic.Int64
	h := hunting(t, longer, func([]scenarios.Step, *scenarios.Manner) (any, bool) { return nil, runs.Add(1) == 9 })
	h.Jobs = 1
	found, _ := run(t, h)
	if found == nil || found.Stable || found.First != 7 || !strings.Contains(found.Explain(), "the failure is not stable") {
		t.Errorf("found %+v", found)
	}
}

func TestAResultThatDiffersIsFound(t *testing.T) {
	t.Parallel()
	const one = "name: one\nstream: [{ role: assistant }, { content: one }, { finish: stop }]\n"
	pieces := func(steps []scenarios.Step, _ *scenarios.Manner) (any, bool) {
		all := ""
		for _, st := range steps {
			all += strings.TrimPrefix(st.Content.Value.Source, "n") // loses the first letter of a piece that is cut there
		}
		return all, false
	}
	if found, _ := run(t, hunting(t, one, pieces)); found == nil || found.Verdict != sweep.Differs || !strings.Contains(found.Detail, "the result is ") {
		t.Errorf("found %+v", found)
	}
	var calls atomic.Int64
	h := hunting(t, longer, func([]scenarios.Step, *scenarios.Manner) (any, bool) { return calls.Add(1), false })
	if _, _, err := h.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "its result must depend on nothing but the answer") {
		t.Errorf("a result that is another each time: %v", err)
	}
}

// A client that is wrong with the answer that shrinking has reached, and right with the changes, is not what
// was looked for: the least scenario shows the bug, here that of an odd number of texts the last is lost.
func TestTheLeastScenarioShowsTheBug(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	texts := func(steps []scenarios.Step) (list []string) {
		for _, st := range steps {
			if text := st.Content.Value.Source; text != "" {
				list = append(list, text)
			}
		}
		return list
	}
	for seed := range int64(8) {
		h := hunting(t, "name: four\nstream: [{ role: assistant }, { content: one }, { content: ' two' }, { content: ' three' }, { content: ' four' }, { finish: stop }]\n",
			func(steps []scenarios.Step, _ *scenarios.Manner) (any, bool) {
				list := texts(steps)
				return strings.Join(list[:len(list)-len(list)%2], ""), false
			})
		h.Seed, h.Without = seed, []string{"characters"} // it writes texts in another form
		found, _ := run(t, h)
		if found == nil {
			t.Fatalf("seed %d: nothing was found", seed)
		}
		list, problems := yamlfile.Parse("x", []byte(found.Scenario()))
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		if len(texts(*list[0].Replies[0].Stream))%2 == 0 {
			t.Errorf("seed %d: the client reads it right:\n%s", seed, found.Scenario())
		}
	}
}

func TestAHuntGoesByWhatIsExpected(t *testing.T) {
	t.Parallel()
	const cut = "name: cut\nstream: [{ role: assistant }, { content: Half }, { heartbeat: 1 }]\nend: cut\nexpect: "
	complains := func(yes bool) func([]scenarios.Step, *scenarios.Manner) (any, bool) {
		return func([]scenarios.Step, *scenarios.Manner) (any, bool) { return nil, yes }
	}
	for _, tt := range []struct {
		expect     string
		complained bool
		want       sweep.Verdict
	}{
		{"{ error: true }", true, ""},
		{"{ error: true }", false, sweep.PassedSilently},
		{"{ error: any }", true, ""},
		{"{ error: any }", false, ""},
		{"[{ text: Half }, { error: true }]", true, ""},
	} {
		h := hunting(t, cut+tt.expect+"\n", complains(tt.complained))
		h.Runs = 20
		var got sweep.Verdict
		if found, _ := run(t, h); found != nil {
			got = found.Verdict
		}
		if got != tt.want {
			t.Errorf("%s, complained %t: %q, want %q", tt.expect, tt.complained, got, tt.want)
		}
	}
}

// Templates use what the conditions capture, also where a hunt asks what careful readers come to.
func TestAHuntKeepsWhatConditionsCapture(t *testing.T) {
	t.Parallel()
	const captured = `
name: weather
when: { user: { matches: 'in (?P<city>[a-zA-Z]+)' } }
stream: [{ role: assistant }, { content: "Rain in {{ .match.city }}." }, { finish: stop }]
`
	h := hunting(t, captured, func([]scenarios.Step, *scenarios.Manner) (any, bool) { return nil, false })
	h.Runs = 20
	if found, runs := run(t, h); found != nil || runs < h.Runs {
		t.Errorf("a client that does right: %v after %d runs, want %d runs and nothing found", found, runs, h.Runs)
	}
}
