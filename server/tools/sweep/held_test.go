package sweep_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

const (
	oneEvent    = `data: {"choices":[{"delta":{"content":"x"},"finish_reason":null}]}` + "\n\n"
	finishEvent = `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\ndata: [DONE]\n\n"
)

// stream returns an answer with n events before its finish.
func stream(n int) []byte { return []byte(strings.Repeat(oneEvent, n) + finishEvent) }

func TestHoldStopsInTheMiddle(t *testing.T) {
	t.Parallel()
	cases, err := sweep.Cases(nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for events, want := range map[int]string{2: "after: 2 ", 3: "after: 2 ", 12: "after: 6 "} {
		held, ok := sweep.HeldAnswer(sent(stream(events)))
		if !ok {
			t.Fatalf("an answer of %d events cannot be held", events)
		}
		list, err := sweep.Hold(held, cases)
		if err != nil {
			t.Fatal(err)
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
	answers := []sweep.Answer{
		{Scenario: "agent", Reply: 0, Status: 200, Bytes: stream(4)},
		{Scenario: "agent", Reply: 1, Status: 200, Bytes: stream(5)},
		{Scenario: "agent", Reply: 2, Status: 200, Bytes: []byte(`{"choices":[{"message":{},"finish_reason":"stop"}]}`)},
		{Scenario: "agent", Reply: 3, Status: 429, Bytes: stream(4)},
		{Status: 404, Bytes: stream(4)},
	}
	held, ok := sweep.HeldAnswer(answers)
	if !ok || held.Reply != 1 {
		t.Errorf("held is reply %d, %t", held.Reply, ok)
	}
	if _, ok := sweep.HeldAnswer(answers[2:]); ok {
		t.Error("an answer that is no stream is held")
	}
	if _, ok := sweep.HeldAnswer(sent(stream(1))); ok {
		t.Error("an answer without a middle is held")
	}
	list, err := sweep.Hold(held, []sweep.Case{sweep.AsWritten()})
	if err != nil {
		t.Fatal(err)
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
