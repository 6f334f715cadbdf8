package fakeopenai

import (
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
	return truncation(ask)
}

// truncation is the part of a sweep in which answers end too early.
type truncation func(t *testing.T, fake *Server) error

func (tr truncation) applyTo(s *sweepPlan) { s.truncations = append(s.truncations, tr) }

func (tr truncation) run(t *testing.T, s *sweepPlan) {
	fake := s.start(t, sweep.AsWritten())
	if err := tr(t, fake); err != nil {
		t.Fatalf("fakeopenai: Sweep: the whole answer gave an error already: %v", err)
	}
	set := fake.set
	cases := sweep.Truncate(set, fake.answers())
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) { tr.check(t, s, set, c) })
	}
	if len(cases) == 0 {
		t.Fatal("fakeopenai: Sweep: no answer has a place where it can end too early; it must be asked for, not be an error, and not be compressed")
	}
}

// check runs one subtest.
func (tr truncation) check(t *testing.T, s *sweepPlan, set *scenarios.Set, c sweep.Case) {
	fake := s.start(t, c, AllowUnused())
	if err := tr(t, fake); err != nil || t.Failed() {
		return
	}
	switch verdict := c.Judge(set, false, fake.answers()); verdict {
	case sweep.OK: // Another answer came, of which nothing was lost.
	case sweep.NoRequest:
		t.Errorf("fakeopenai: Sweep: no error, and no request for the answer that was not whole: %s", c.Variant.About)
	default:
		t.Errorf("fakeopenai: Sweep: no error, %s: %s", verdict.Reason(), c.Variant.About)
	}
}

// answers are the answers of the server. The call waits until they have ended.
func (s *Server) answers() []sweep.Answer {
	s.tb.test.Helper()
	for i := range s.Requests() {
		s.AwaitEnd(i)
	}
	return sweep.Answers(s.core.Journal())
}
