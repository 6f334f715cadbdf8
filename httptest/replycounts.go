package fakeopenai

import (
	"fmt"
	"net/http"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// replyCounts counts how often each reply was given, to find the replies that were
// given too seldom.
type replyCounts struct {
	set      *scenarios.Set
	expected []expectedReply // expected are the replies that the test has to play.
	// written are the scenarios of YAML and Scenario. Of each, some reply has to be
	// played.
	written []*scenarios.Scenario

	mu      sync.Mutex
	given   map[replyID]int // given counts how often each reply was given; guarded by mu.
	refused bool            // refused says that the server refused a request or connections; guarded by mu.
}

type replyID struct {
	scenario string
	reply    int
}

// expectedReply is a reply that has times or a condition, and no chance.
type expectedReply struct {
	replyID
	times int // times is 0 for a reply that only has a condition.
	pos   diag.Pos
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
	t := &replyCounts{set: set, given: map[replyID]int{}}
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
				t.expected = append(t.expected, expectedReply{replyID{s.Name, i}, r.Times, r.Pos})
			}
		}
		if owes == allThatIsOwn && !s.IsLeftToChance() {
			t.written = append(t.written, s)
		}
	}
	return t
}

// count counts the reply to a request.
func (t *replyCounts) count(r journal.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case r.Injected != "" && r.Failed:
		t.refused = true // a fault struck the answer, which a retry may get
	case r.Scenario != "" && r.Reply >= 0:
		t.given[replyID{r.Scenario, r.Reply}]++
	case r.Status >= http.StatusBadRequest:
		t.refused = true
	}
}

// expectRefusal notes that connections are refused, so that no scenario has to be
// played.
func (t *replyCounts) expectRefusal() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused = true
}

// report fails the test if expected replies were not given. It does nothing if the test
// was skipped, or has failed already and so may have stopped early.
func (t *replyCounts) report(tb *reporter) {
	if tb.test.Failed() || tb.test.Skipped() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if left := t.left(); len(left) > 0 {
		tb.errorf("fakeopenai: not everything was played (AllowUnused permits it):\n\t%s", strings.Join(left, "\n\t"))
	}
}

// left describes what should have been played and was not. The caller holds the lock.
func (t *replyCounts) left() []string {
	played := t.played()
	var left []string
	missed := map[string]bool{}
	for _, d := range t.expected {
		switch n := t.given[d.replyID]; {
		case n >= max(d.times, 1):
		case d.times == 0 && !played[d.scenario]: // The line about the whole scenario says that.
		default:
			left = append(left, d.describe(n))
			missed[d.scenario] = true
		}
	}
	if t.refused {
		return left // The test is about the refusal and may need no scenario.
	}
	for _, s := range t.written {
		if !played[s.Name] && !missed[s.Name] {
			left = append(left, fmt.Sprintf("scenario %q%s was never played", s.Name, at(s.Pos)))
		}
	}
	return left
}

// played are the scenarios of which a reply was given, and those that they extend.
func (t *replyCounts) played() map[string]bool {
	played := map[string]bool{}
	for id := range t.given {
		for s := t.set.Lookup(id.scenario); s != nil && !played[s.Name]; s = t.set.Lookup(s.Extends) {
			played[s.Name] = true
		}
	}
	return played
}

func (d expectedReply) describe(given int) string {
	switch {
	case d.scenario == scriptName:
		return fmt.Sprintf("script %d%s was never played", d.reply+1, at(d.pos))
	case d.times == 0:
		return fmt.Sprintf("reply %d of scenario %q%s was never given", d.reply+1, d.scenario, at(d.pos))
	}
	return fmt.Sprintf("reply %d of scenario %q%s was given %d of %d times", d.reply+1, d.scenario, at(d.pos), given, d.times)
}

// at is a position in parentheses, to follow a name; "" if the position is not known.
func at(pos diag.Pos) string {
	if pos.File == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", pos.File, pos.Line)
}
