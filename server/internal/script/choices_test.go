package script

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// More choices of a long text than an answer can hold are refused before they are made:
// a hundred choices of 60,000 bytes took gigabytes of memory.
func TestTooManyChoicesAreRefusedBeforeTheyAreMade(t *testing.T) {
	t.Parallel()
	text := scenarios.Message{Content: scenarios.Some(scenarios.Text{Source: strings.Repeat("ab ", 60)})}
	for n, refused := range map[int]bool{1: false, 10: true} {
		s := &scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Message: &text}}}
		sel := &scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: &scenarios.Request{}, Manner: &scenarios.Manner{}}
		b := New(sel, Want{N: n})
		b.limit = 100
		steps := b.Message(&text, Derivation{
			Open: func(_ *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) { return nil, body },
		})
		switch {
		case !refused && (len(steps) < 60 || len(b.problems) > 0):
			t.Errorf("n: %d: got %d steps, problems %v", n, len(steps), b.problems)
		case refused && (len(steps) > 0 || len(b.problems) != 1 || !strings.HasPrefix(b.problems[0].Message, "with 10 choices, the answer has more than 100 ")):
			t.Errorf("n: %d: got %d steps, problems %v", n, len(steps), b.problems)
		}
	}
}

// A request decides how many choices a message has, so that several choices have fewer
// chunks than one: 800,000 took half a minute and three gigabytes.
func TestSeveralChoicesHaveFewerChunks(t *testing.T) {
	t.Parallel()
	text := scenarios.Message{Content: scenarios.Some(scenarios.Text{Source: strings.Repeat("ab ", 20_000)})}
	s := &scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Message: &text}}}
	sel := &scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: &scenarios.Request{}, Manner: &scenarios.Manner{}}
	for n, refused := range map[int]bool{4: false, 6: true, 40: true} {
		b := New(sel, Want{N: n})
		b.Message(&text, Derivation{
			Open: func(_ *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) { return nil, body },
		})
		want := fmt.Sprintf("with %d choices, the answer has more than 100000 events, ", n)
		if refused != (len(b.problems) == 1 && strings.HasPrefix(b.problems[0].Message, want)) || !refused && len(b.problems) > 0 {
			t.Errorf("n: %d: got problems %v", n, b.problems)
		}
	}
}
