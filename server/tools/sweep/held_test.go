package sweep_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// ofEvents is a stream with n events before its finish.
func ofEvents(n int) string {
	return "stream: [role: assistant" + strings.Repeat(", content: x", n-1) + ", finish: stop]"
}

func TestHoldStopsInTheMiddle(t *testing.T) {
	t.Parallel()
	cases, err := sweep.Cases(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for events, want := range map[int]string{2: "after: 2 ", 3: "after: 2 ", 12: "after: 6 "} {
		set := checked(t, "name: x\n"+ofEvents(events)+"\n")
		list, err := sweep.Hold(set, answered(t, set, "/v1/chat/completions", askChat), cases)
		if err != nil || len(list) == 0 {
			t.Fatalf("an answer of %d events cannot be held: %v", events, err)
		}
		for _, c := range list {
			if _, err := c.Variant.Manner(); err != nil || !strings.Contains(c.Variant.YAML, want) || !c.Holds() {
				t.Errorf("%s: %s: %v", c.Name, c.Variant.YAML, err)
			}
		}
		names := names(list)
		if names[0] != "as-written-held" || !slices.Contains(names, "gzip-held") || slices.Contains(names, "gzip-at-end-held") {
			t.Errorf("the cases are %q", names)
		}
	}
}

func TestTheLastStreamIsHeld(t *testing.T) {
	t.Parallel()
	const chat = "/v1/chat/completions"
	asIts := func(model string) string { return strings.Replace(askChat, "gpt-4o", model, 1) }
	set := checked(t, "name: agent\nreplies:\n  - { when: { model: a }, "+ofEvents(4)+" }\n  - { when: { model: b }, "+ofEvents(5)+
		" }\n  - { when: { model: c }, message: Hi }\n  - { when: { model: d }, error: 429 }\n  - { when: { model: e }, "+ofEvents(1)+" }\n")
	unstreamed := strings.Replace(asIts("c"), "true", "false", 1)
	answers := answered(t, set, chat, asIts("a"), chat, asIts("b"), chat, unstreamed, chat, asIts("d"), chat, asIts("f"))
	for name, list := range map[string][]sweep.Answer{"an answer that is no stream": answers[2:], "an answer without a middle": answered(t, set, chat, asIts("e"))} {
		if held, err := sweep.Hold(set, list, []sweep.Case{sweep.AsWritten()}); len(held) > 0 || err != nil {
			t.Errorf("%s is held: %v", name, err)
		}
	}
	list, err := sweep.Hold(set, answers, []sweep.Case{sweep.AsWritten()})
	if err != nil || len(list) != 1 {
		t.Fatal(len(list), err)
	}
	c := list[0]
	if c.Plays("agent", 0) || !c.Plays("agent", 1) {
		t.Error("another reply is held")
	}
	for _, tt := range []struct {
		shown   bool
		answers []sweep.Answer
		want    sweep.Verdict
	}{
		{true, answers, sweep.OK},
		{false, answers, sweep.HeldBack},
		{true, answers[:1], sweep.NoRequest},
	} {
		if got := c.JudgeHeld(tt.shown, tt.answers); got != tt.want {
			t.Errorf("the verdict is %q, want %q", got, tt.want)
		}
	}
	if !sweep.HeldBack.Bad() || sweep.HeldBack.Reason() == "" {
		t.Error("to hold back is not bad, or has no reason")
	}
}
