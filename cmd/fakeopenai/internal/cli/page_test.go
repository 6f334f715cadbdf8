package cli

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// A client that left got only a part of the answer, and no more is written of it.
func TestAScenarioOfAnAnswerHasWhatWasSent(t *testing.T) {
	t.Parallel()
	event := func(text string) journal.PlannedFrame {
		return journal.PlannedFrame{Kind: "content", Bytes: []byte(`data: {"id":"a","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"` + text + `"},"finish_reason":null}]}` + "\n\n")}
	}
	plan := journal.Plan{Status: 200, Header: map[string][]string{"Content-Type": {"text/event-stream"}}, Frames: []journal.PlannedFrame{event("first"), event("second"), event("third")}}
	for name, tt := range map[string]struct {
		again bool
		sent  int // sent is how many frames were sent, in a write each
	}{"made again": {true, 2}, "with its writes": {false, 2}, "the whole": {false, 3}} {
		e := journal.Entry{
			Method: "POST", Path: "/v1/chat/completions", Status: 200,
			Body:     []byte(`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`),
			Delivery: journal.Delivery{Frames: tt.sent, Planned: 3, Ended: journal.EndedByClient},
			Trace:    &journal.Trace{Plan: plan, MadeAgain: tt.again},
		}
		for _, f := range plan.Frames[:tt.sent] {
			if !tt.again {
				e.Trace.Wrote(journal.TracedWrite{Bytes: len(f.Bytes)})
			}
		}
		text, err := asScenario(e)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, piece := range []string{"first", "second", "third"} {
			if got := strings.Contains(string(text), piece); got != (i < tt.sent) {
				t.Errorf("%s: the scenario has %q: %t\n%s", name, piece, got, text)
			}
		}
	}
}
