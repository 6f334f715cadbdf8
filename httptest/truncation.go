package fakeopenai

import (
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
	points sweep.Points
}

func (tr truncation) applyTo(s *sweepPlan) { s.truncations = append(s.truncations, tr) }

func (tr truncation) run(t *testing.T, s *sweepPlan) {
	cases := sweep.Truncate(tr.wholeAnswers(t, s), tr.points)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { tr.check(t, s, c) })
	}
	if len(cases) == 0 {
		t.Fatal("fakeopenai: Sweep: no answer has a place where it can end too early; it must be asked for, not be an error, and not be compressed")
	}
}

// wholeAnswers are the answers that the client gets when nothing ends early.
func (tr truncation) wholeAnswers(t *testing.T, s *sweepPlan) []sweep.Answer {
	t.Helper()
	c := sweep.AsWritten()
	fake := s.start(t, c)
	if err := tr.ask(t, fake); err != nil {
		t.Fatalf("fakeopenai: Sweep: the whole answer gave an error already: %v", err)
	}
	return fake.answers(c)
}

// check runs one subtest.
func (tr truncation) check(t *testing.T, s *sweepPlan, c sweep.Case) {
	fake := s.start(t, c, AllowUnused())
	if err := tr.ask(t, fake); err != nil || t.Failed() {
		return
	}
	switch verdict := c.Judge(false, fake.answers(c)); verdict {
	case sweep.NothingLost:
		t.Skip(verdict.Reason())
	case sweep.NoRequest:
		t.Errorf("fakeopenai: Sweep: no error, and no request for the answer that was not whole: %s", c.Variant.About)
	default:
		t.Errorf("fakeopenai: Sweep: no error, %s: %s", verdict.Reason(), c.Variant.About)
	}
}

// answers are the answers that were played in the variant of a case. It waits
// until they have ended.
func (s *Server) answers(c sweep.Case) []sweep.Answer {
	s.tb.test.Helper()
	var answers []sweep.Answer
	for i, r := range s.Requests() {
		if r.Scenario != "" && c.Plays(r.Scenario, r.Reply) {
			answers = append(answers, sweep.Answer{Scenario: r.Scenario, Reply: r.Reply, Status: r.Status, Bytes: s.Transcript(i)})
		}
	}
	return answers
}
