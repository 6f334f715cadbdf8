package script

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
)

func TestAReplyHasSoManyLinesAtMost(t *testing.T) {
	t.Parallel()
	stream := []scenarios.Step{step.Content("a", step.Repeat(98)), step.Text("abc", scenarios.Cut{Unit: "rune"}), step.Finish("stop")}
	s := &scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Stream: &stream}}}
	sel := &scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: &scenarios.Request{}}
	for name, b := range map[string]*Builder{"for no request": New(sel, Want{}), "for a request": NewFor(sel, Want{})} {
		b.limit = 100
		sc, problems := b.Steps(stream)
		if len(sc.Groups) != 100 || len(problems) != 1 || problems[0].Message != "the reply has more than 100 lines" {
			t.Errorf("%s: %d groups, problems %v", name, len(sc.Groups), problems)
		}
	}
}
