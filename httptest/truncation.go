package fakeopenai

import (
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// Truncated makes a [Sweep] end answers too early, in a subtest for each place: after
// each event, with a regular end of the HTTP body, and inside each event, with a broken
// connection. In all these subtests ask must return an error; a client that returns
// none has taken a part of the answer for the whole.
//
// Ask is run once before with the whole answer, and must then return nil. If several
// replies answer its requests, as in a conversation with tools, each reply is truncated
// in turn while the others are whole.
func Truncated(ask func(t *testing.T, fake *Server) error) SweepOption {
	return truncation{ask}
}

// truncation is the part of a sweep in which answers end too early.
type truncation struct {
	ask func(t *testing.T, fake *Server) error
}

func (tr truncation) applyTo(s *sweepPlan) { s.truncations = append(s.truncations, tr) }

func (tr truncation) run(t *testing.T, s *sweepPlan) {
	set, answers := tr.wholeAnswers(t, s)
	cases := sweep.Truncate(set, answers)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { tr.check(t, s, set, c) })
	}
	if len(cases) == 0 {
		t.Fatal("fakeopenai: Sweep: no answer has a place where it can end too early; it must be asked for, not be an error, and not be compressed")
	}
}

// wholeAnswers are the scenarios, and the answers that the client gets without truncation.
func (tr truncation) wholeAnswers(t *testing.T, s *sweepPlan) (*scenarios.Set, []sweep.Answer) {
	t.Helper()
	c := sweep.AsWritten()
	fake := s.start(t, c)
	if err := tr.ask(t, fake); err != nil {
		t.Fatalf("fakeopenai: Sweep: the whole answer gave an error already: %v", err)
	}
	return fake.set, fake.answers(c)
}

// check runs one subtest.
func (tr truncation) check(t *testing.T, s *sweepPlan, set *scenarios.Set, c sweep.Case) {
	fake := s.start(t, c, AllowUnused())
	if err := tr.ask(t, fake); err != nil || t.Failed() {
		return
	}
	switch verdict := c.Judge(set, false, fake.answers(c)); verdict {
	case sweep.OK: // Another answer came, of which nothing was lost.
	case sweep.NoRequest:
		t.Errorf("fakeopenai: Sweep: no error, and no request for the answer that was not whole: %s", c.Variant.About)
	default:
		t.Errorf("fakeopenai: Sweep: no error, %s: %s", verdict.Reason(), c.Variant.About)
	}
}

// answers are the answers that were played in the variant of a case. The call waits
// until they have ended.
func (s *Server) answers(c sweep.Case) []sweep.Answer {
	s.tb.test.Helper()
	for i := range s.Requests() {
		s.AwaitEnd(i)
	}
	other := func(a sweep.Answer) bool { return a.Scenario == "" || !c.Plays(a.Scenario, a.Reply) }
	return slices.DeleteFunc(sweep.Answers(s.core.Journal()), other)
}
