package script

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
)

func TestAReplyHasSoManyLinesAtMost(t *testing.T) {
	t.Parallel()
	for _, draft := range []bool{false, true} {
		stream := []scenarios.Step{step.Content("a", step.Repeat(98)), step.Text("abc", scenarios.By{Unit: "rune"}), step.Finish("stop")}
		s := &scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Stream: &stream}}}
		b := NewBuilder(&scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: &scenarios.Request{}}, Ask{})
		b.draft, b.limit = draft, 100
		b.build(b.sel.Reply)
		if len(b.lines) != 100 || len(b.Problems) != 1 || b.Problems[0].Message != "the reply has more than 100 lines" {
			t.Errorf("draft %t: %d lines, problems %v", draft, len(b.lines), b.Problems)
		}
	}
}
