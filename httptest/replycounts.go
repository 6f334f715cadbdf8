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

// replyCounts counts how often replies were given, to find the ones that were
// given less often than they should.
type replyCounts struct {
	set      *scenarios.Set
	expected []expectedReply // expected are the replies that the test has to play.
	// written are the scenarios of the test's own, of which something has to be
	// played.
	written []*scenarios.Scenario

	mu      sync.Mutex
	given   map[replyID]int // given counts how often replies were given; guarded by mu.
	refused bool            // refused says that the server itself refused a request or connections; guarded by mu.
}

type replyID struct {
	scenario string
	reply    int
}

// expectedReply is a reply with times, or with a condition.
type expectedReply struct {
	replyID
	times int // times is 0 for a reply that only has a condition.
	pos   diag.Pos
}

// duty is what of a scenario a test has to play.
type duty uint8

const (
	nothing      duty = iota
	allTimes          // allTimes is each reply with times as often as that.
	allThatIsOwn      // allThatIsOwn is also each reply with a condition, and something of the scenario.
)

// newReplyCounts expects the replies of the scenarios that the test has to play; without
// dutyOf there are none.
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
			if r.Times > 0 || owes == allThatIsOwn && s.Extends == "" && !r.When.IsZero() {
				t.expected = append(t.expected, expectedReply{replyID{s.Name, i}, r.Times, r.Pos})
			}
		}
		if owes == allThatIsOwn {
			t.written = append(t.written, s)
		}
	}
	return t
}

// count counts the reply that a request was given.
func (t *replyCounts) count(r journal.Entry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case r.Scenario != "" && r.Reply >= 0:
		t.given[replyID{r.Scenario, r.Reply}]++
	case r.Status >= http.StatusBadRequest:
		t.refused = true
	}
}

// expectRefusal expects no scenario to be played: connections are refused.
func (t *replyCounts) expectRefusal() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.refused = true
}

// report fails the test if replies are left over. A test that was skipped, or
// that has failed already and so may have stopped early, owes nothing.
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

// left says what should have been played and was not. The caller holds the lock.
func (t *replyCounts) left() []string {
	played := t.played()
	var left []string
	missed := map[string]bool{}
	for _, d := range t.expected {
		switch n := t.given[d.replyID]; {
		case n >= max(d.times, 1):
		case d.times == 0 && !played[d.scenario]: // that is said of the whole scenario
		default:
			left = append(left, d.describe(n))
			missed[d.scenario] = true
		}
	}
	if t.refused {
		return left // a test of the refusal, for which the scenarios are only there
	}
	for _, s := range t.written {
		if !played[s.Name] && !missed[s.Name] {
			left = append(left, fmt.Sprintf("scenario %q%s was never played", s.Name, at(s.Pos)))
		}
	}
	return left
}

// played are the scenarios of which something was played. One that others extend
// is played with them.
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

// at is a place in a source, for the end of a name; "" if it is not known.
func at(pos diag.Pos) string {
	if pos.File == "" {
		return ""
	}
	return fmt.Sprintf(" (%s:%d)", pos.File, pos.Line)
}
