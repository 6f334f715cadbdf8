package script_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// A request decides how many choices a message has, so that several choices have fewer
// chunks than one: 800,000 took half a minute and three gigabytes.
func TestSeveralChoicesHaveFewerChunks(t *testing.T) {
	t.Parallel()
	text := scenarios.Message{Content: scenarios.Some(scenarios.Text{Source: strings.Repeat("ab ", 20_000)})}
	s := &scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Message: &text}}}
	sel := &scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: &scenarios.Request{}, Manner: &scenarios.Manner{}}
	for n, refused := range map[int]bool{4: false, 6: true, 40: true} {
		_, problems := script.New(sel, script.Want{N: n}).Reply(chat.Surface{})
		want := fmt.Sprintf("with %d choices, the answer has more than 100000 events, ", n)
		if refused != (len(problems) == 1 && strings.HasPrefix(problems[0].Message, want)) || !refused && len(problems) > 0 {
			t.Errorf("n: %d: got problems %v", n, problems)
		}
	}
	// Choices that are written differ: those so far count.
	several := scenarios.Message{Choices: []scenarios.Message{text, text, text, text, text, text}}
	sel.Reply = &scenarios.Reply{Message: &several}
	_, problems := script.New(sel, script.Want{N: 6}).Reply(chat.Surface{})
	if len(problems) != 1 || !strings.HasPrefix(problems[0].Message, "with 6 choices, ") {
		t.Errorf("of six choices that are written: got problems %v", problems)
	}
}
