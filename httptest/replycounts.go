package fakeopenai

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// replyCounts finds the replies that were given too seldom.
type replyCounts struct {
	journal.Played
	set      *scenarios.Set
	expected []expectedReply // expected are the replies that the test has to play.
	// written are the scenarios of YAML and Scenario. Of each, some reply has to be
	// played.
	written []*scenarios.Scenario
}

// expectedReply is a reply that has times or a condition, and no chance.
type expectedReply struct {
	scenario string
	reply    int
	times    int // times is 0 for a reply that only has a condition.
	pos      diag.Pos
}

// duty says which replies of a scenario a test has to play.
type duty uint8

const (
	nothing      duty = iota
	allTimes          // allTimes is each reply with times, that often.
	allThatIsOwn      // allThatIsOwn is allTimes, each reply with a condition, and at least one reply.
)

// newReplyCounts expects the replies that dutyOf names; none if dutyOf is nil.
func newReplyCounts(set *scenarios.Set, dutyOf func(scenario string) duty) *replyCounts {
	t := &replyCounts{set: set}
	if dutyOf == nil {
		return t
	}
	for _, s := range set.Scenarios() {
		owes := dutyOf(s.Name)
		if owes == nothing {
			continue
		}
		for i := range s.Replies {
			r := &s.Replies[i]
			if r.Chance != nil {
				continue
			}
			if r.Times > 0 || owes == allThatIsOwn && s.Extends == "" && !r.When.IsZero() {
				t.expected = append(t.expected, expectedReply{s.Name, i, r.Times, r.Pos})
			}
		}
		if owes == allThatIsOwn && !s.IsLeftToChance() {
			t.written = append(t.written, s)
		}
	}
	return t
}

// report fails the test if expected replies were not given. It does nothing if the test
// was skipped, or has failed already and so may have stopped early.
func (t *replyCounts) report(tb *reporter) {
	if tb.test.Failed() || tb.test.Skipped() {
		return
	}
	if left := t.unplayed(); len(left) > 0 {
		tb.errorf("fakeopenai: not everything was played (AllowUnused permits it):\n\t%s", strings.Join(left, "\n\t"))
	}
}

// unplayed describes what should have been played and was not.
func (t *replyCounts) unplayed() []string {
	unused, refused := t.Unused(t.set), t.Refused()
	var left []string
	missed := map[string]bool{}
	for _, d := range t.expected {
		switch n := t.Given(d.scenario, d.reply); {
		case n >= max(d.times, 1):
		case d.times == 0 && (refused || slices.Contains(unused, d.scenario)): // The line about the whole scenario says that.
		default:
			left = append(left, d.describe(n))
			missed[d.scenario] = true
		}
	}
	if refused {
		return left // The test is about the refusal and may need no scenario.
	}
	for _, s := range t.written {
		if slices.Contains(unused, s.Name) && !missed[s.Name] {
			left = append(left, fmt.Sprintf("scenario %q%s was never played", s.Name, positionSuffix(s.Pos)))
		}
	}
	return left
}

func (d expectedReply) describe(given int) string {
	switch {
	case d.scenario == scriptName:
		return fmt.Sprintf("script %d%s was never played", d.reply+1, positionSuffix(d.pos))
	case d.times == 0:
		return fmt.Sprintf("reply %d of scenario %q%s was never given", d.reply+1, d.scenario, positionSuffix(d.pos))
	}
	return fmt.Sprintf("reply %d of scenario %q%s was given %d of %d times", d.reply+1, d.scenario, positionSuffix(d.pos), given, d.times)
}

// positionSuffix is a space and the position in parentheses, which follow a name; "" if the position is not known.
func positionSuffix(pos diag.Pos) string {
	if pos.File == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", pos.File, pos.Line)
}
