package fakeopenai

import (
	"fmt"
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
)

// Truncated makes a [Sweep] end answers too early: after each event, with what
// looks like a proper end, and inside each event, by a connection that breaks.
// In all these subtests ask must return an error: a client that does not notice
// takes a part of an answer for the whole.
//
// Ask is run once with the whole answer before, and must return nil then. When
// its requests are answered by several replies, as in a conversation with tools,
// each of them is truncated while the others are whole.
func Truncated(ask func(t *testing.T, fake *Server) error) SweepOption {
	return truncation{name: "truncated", ask: ask, points: sweep.Truncations}
}

// TruncatedBytes is like [Truncated], but ends the answer's body after stride
// bytes, after twice as many and so on, always with what looks like a proper
// end.
func TruncatedBytes(stride int, ask func(t *testing.T, fake *Server) error) SweepOption {
	return truncation{name: "truncated-bytes", ask: ask, points: func(whole []byte) []sweep.Variant {
		return sweep.TruncationsInBytes(whole, stride)
	}}
}

// truncation is the part of a sweep in which answers end too early.
type truncation struct {
	name   string
	ask    func(t *testing.T, fake *Server) error
	points func(whole []byte) []sweep.Variant
}

func (tr truncation) applyTo(s *sweepPlan) { s.truncations = append(s.truncations, tr) }

// wholeAnswer is what one reply sends when nothing ends it early.
type wholeAnswer struct {
	scenario string
	reply    int
	bytes    []byte
}

func (tr truncation) run(t *testing.T, s *sweepPlan) {
	answers := tr.whole(t, s)
	n := 0
	for _, a := range answers {
		for _, v := range tr.points(a.bytes) {
			n++
			name := v.Name
			if len(answers) > 1 {
				name = fmt.Sprintf("%s-%d-%s", a.scenario, a.reply+1, v.Name)
			}
			t.Run(name, func(t *testing.T) {
				tr.check(t, &sweepCase{sweepPlan: s, variant: v, scenario: a.scenario, reply: a.reply}, a)
			})
		}
	}
	if n == 0 {
		t.Fatal("fakeopenai: Sweep: no answer has a place where it can end too early; it must be asked for, not be an error, and not be compressed")
	}
}

// whole are the answers that the client gets when nothing ends early.
func (tr truncation) whole(t *testing.T, s *sweepPlan) []wholeAnswer {
	t.Helper()
	fake := (&sweepCase{sweepPlan: s, variant: sweep.Variants()[0]}).start(t)
	if err := tr.ask(t, fake); err != nil {
		t.Fatalf("fakeopenai: Sweep: the whole answer gave an error already: %v", err)
	}
	var answers []wholeAnswer
	for i, r := range fake.Requests() {
		known := slices.ContainsFunc(answers, func(a wholeAnswer) bool { return a.scenario == r.Scenario && a.reply == r.Reply })
		if r.Scenario != "" && r.Status < 400 && !known {
			answers = append(answers, wholeAnswer{r.Scenario, r.Reply, fake.Transcript(i)})
		}
	}
	return answers
}

// check runs one subtest.
func (tr truncation) check(t *testing.T, c *sweepCase, a wholeAnswer) {
	fake := c.start(t, AllowUnused())
	if err := tr.ask(t, fake); err != nil || t.Failed() {
		return
	}
	for i, r := range fake.Requests() {
		if r.Scenario == a.scenario && r.Reply == a.reply && !sweep.Truncated(fake.Transcript(i), a.bytes) {
			t.Skip("the finish reason was in what was sent")
		}
	}
	t.Errorf("fakeopenai: Sweep: no error, although the answer was not whole: %s", c.variant.About)
}
