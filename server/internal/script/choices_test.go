package script

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

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
