package script

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

func TestAReplyHasSoManyEventsAtMost(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	stream := []scenarios.Step{step.Content("a", step.Repeat(98)), step.Text("abc", scenarios.Cut{Unit: "rune"}), step.Finish("stop")}
	s := &scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Stream: &stream}}}
	sel := &scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: &scenarios.Request{}}
	for name, b := range map[string]*Builder{"for no request": New(sel, Want{}), "for a request": NewFor(sel, Want{})} {
		b.limit = 100
		sc, problems := b.Steps(stream)
		if len(sc.Groups) != 98 || len(problems) != 1 || !strings.HasPrefix(problems[0].Message, "the answer has 101 events, and at most 100 are played: cut its texts into larger pieces") {
			t.Errorf("%s: %d groups, problems %v", name, len(sc.Groups), problems)
		}
	}
}

// A script that is filled for a request has the limits of any script.
func TestAnAnswerHasSoMuchAtMost(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		step    scenarios.Step
		change  func(*Script)
		problem string
	}{
		"events": {step.Text("{{ .last_user }}", scenarios.Cut{Unit: "rune"}), func(s *Script) { s.limit = 3 }, "the answer has more than 3 events"},
		"bytes":  {step.Content("{{ .last_user }}"), func(s *Script) { s.size = maxText - 3 }, "the texts of the answer have more than 16777216 bytes together"},
	} {
		s := &scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{}}}
		sel := &scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: &scenarios.Request{LastUser: "abc"}}
		sc, problems := New(sel, Want{}).Steps([]scenarios.Step{tt.step})
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		tt.change(sc)
		if _, err := sc.Fill(sel, ojson.Style{}, 0, player.NewValues(nil)); err != nil {
			t.Errorf("%s: at the limit: %v", name, err)
		}
		sel.Request.LastUser = "abcd"
		if _, err := sc.Fill(sel, ojson.Style{}, 0, player.NewValues(nil)); err == nil || !strings.HasPrefix(err.Error(), tt.problem) {
			t.Errorf("%s: beyond the limit: got %v, want %s", name, err, tt.problem)
		}
	}
}
