package script

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Many steps that each repeat a text below [cut.LargeText] share one description of it. Its
// tokens are counted once, exactly.
func TestGeneratedTextsOfManyStepsAreHeldOnce(t *testing.T) {
	t.Parallel()
	generated := func(unit string) scenarios.Step {
		return scenarios.Step{Content: scenarios.Some(scenarios.Text{Repeat: unit, Bytes: 60000})}
	}
	stream := []scenarios.Step{generated("abcdefgh"), generated("abcdefgh"), generated("abcdefgh"), generated("x")}
	s := &scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Stream: &stream}}}
	b := New(&scenarios.Selection{Scenario: s, Reply: &s.Replies[0], Request: &scenarios.Request{}}, Want{Stream: true})
	sc, problems := b.Steps(stream)
	if len(problems) > 0 || len(sc.Repeats) != 2 || len(b.repeatTokens) != 2 {
		t.Fatalf("%d texts, %d counts, problems %v; want 2 of each", len(sc.Repeats), len(b.repeatTokens), problems)
	}
	want := 3*cut.Tokens(hole.Repeat{Unit: "abcdefgh", Bytes: 60000}.Text()) + cut.Tokens(hole.Repeat{Unit: "x", Bytes: 60000}.Text())
	if b.tokens.completion != want {
		t.Errorf("%d tokens, want %d", b.tokens.completion, want)
	}
}
