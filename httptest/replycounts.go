package fakeopenai

import (
	"fmt"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// replyCounts counts how often replies were given, to find the ones that were
// given less often than they should.
type replyCounts struct {
	expected []expectedReply // expected are the replies that the test has to play.

	mu    sync.Mutex
	given map[replyID]int // given counts how often replies were given; guarded by mu.
}

type replyID struct {
	scenario string
	reply    int
}

// expectedReply is a reply with times.
type expectedReply struct {
	replyID
	times int
	pos   diag.Pos
}

// newReplyCounts expects the replies with times of the scenarios for which owed
// holds.
func newReplyCounts(set *scenarios.Set, owed func(scenario string) bool) *replyCounts {
	t := &replyCounts{given: map[replyID]int{}}
	for _, s := range set.Scenarios() {
		for i, r := range s.Replies {
			if r.Times > 0 && owed(s.Name) {
				t.expected = append(t.expected, expectedReply{replyID{s.Name, i}, r.Times, r.Pos})
			}
		}
	}
	return t
}

// count counts the reply that a request was given.
func (t *replyCounts) count(r journal.Entry) {
	if r.Scenario == "" || r.Reply < 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.given[replyID{r.Scenario, r.Reply}]++
}

// report fails the test if replies are left over. A test that was skipped, or
// that has failed already and so may have stopped early, owes nothing.
func (t *replyCounts) report(tb *reporter) {
	if len(t.expected) == 0 || tb.test.Failed() || tb.test.Skipped() {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	var left []string
	for _, d := range t.expected {
		if n := t.given[d.replyID]; n < d.times {
			left = append(left, d.describe(n))
		}
	}
	if len(left) > 0 {
		tb.errorf("fakeopenai: not everything was played (AllowUnused permits it):\n\t%s", strings.Join(left, "\n\t"))
	}
}

func (d expectedReply) describe(given int) string {
	where := ""
	if d.pos.File != "" {
		where = fmt.Sprintf(" (%s:%d)", d.pos.File, d.pos.Line)
	}
	if d.scenario == scriptName {
		return fmt.Sprintf("script %d%s was never played", d.reply+1, where)
	}
	return fmt.Sprintf("reply %d of scenario %q%s was given %d of %d times", d.reply+1, d.scenario, where, given, d.times)
}
