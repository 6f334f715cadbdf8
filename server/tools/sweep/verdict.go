package sweep

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
)

// Verdict is the result of one run of a case.
type Verdict string

// The verdicts on a run.
const (
	OK Verdict = "ok" // OK says that the program did what it should.
	// Failed says that the program complained although the answer was whole.
	Failed Verdict = "failed"
	// Differs says that the program came to another result than with the answer as written.
	Differs Verdict = "differs"
	// PassedSilently says that the program did not complain although the answer was not
	// whole.
	PassedSilently Verdict = "passed silently"
	// NoRequest says that the program made no request for an answer that the case changes.
	NoRequest Verdict = "no request"
)

// Bad reports whether the program did not do what it should.
func (v Verdict) Bad() bool { return v != OK }

// Reason is the reason for the verdict in words; "" for OK and Failed.
func (v Verdict) Reason() string {
	switch v {
	case PassedSilently:
		return "although the answer was not whole"
	case NoRequest:
		return "it asked for no completion"
	}
	return ""
}

// Judge judges a run of the case. Complained says whether the program reported an error,
// for example by its exit code, which it must do if and only if careful readers of the answer
// do; answers are those of the run, given by scenarios of the set as the case changes them.
func (c Case) Judge(set *scenarios.Set, complained bool, answers []Answer) Verdict {
	played := c.played(answers)
	if len(played) == 0 {
		return NoRequest
	}
	expected := scenarios.AnyError
	switch {
	case c.drawn != nil && !c.fails:
		expected = c.drawn.expected
	case c.drawn != nil || c.fails && slices.ContainsFunc(played, func(a Answer) bool { return c.endsTooEarly(set, a) }):
		expected = scenarios.AnError
	case !c.fails:
		expected = c.expected(set, answers)
	}
	switch {
	case complained && expected == scenarios.NoError:
		return Failed
	case !complained && expected == scenarios.AnError:
		return PassedSilently
	}
	return OK
}

// expected is what the scenario that answered last expects of errors or, if it does not say it, what careful readers
// of its answer come to.
func (c Case) expected(set *scenarios.Set, answers []Answer) scenarios.ExpectedError {
	for _, a := range slices.Backward(answers) {
		s := set.Lookup(a.Scenario)
		if s == nil {
			continue
		}
		if len(s.Expect) > 0 {
			return s.ExpectedError()
		}
		o, err := c.outcomes(set, a)
		switch read := (scenarios.Outcomes{Careful: o}); {
		case err != nil && a.Status < 400 || err == nil && !slices.ContainsFunc(o, isError):
			return scenarios.NoError
		case err == nil && !read.MustFail():
			return scenarios.AnyError
		}
		return scenarios.AnError
	}
	return scenarios.NoError
}

func isError(o scenarios.Outcome) bool { return o.Error != "" }

// endsTooEarly reports whether careful readers of an answer of the case report an error. Of an answer that says nothing,
// such as one to a path, they need each byte.
func (c Case) endsTooEarly(set *scenarios.Set, a Answer) bool {
	o, err := c.outcomes(set, a)
	if err != nil || !slices.ContainsFunc(server.Surfaces(), func(on server.Surface) bool { return on.Name == a.Surface }) {
		return len(a.Bytes) < len(c.only.Bytes)
	}
	return (&scenarios.Outcomes{Careful: o}).MustFail()
}

// Outcomes are what careful readers come to with an answer that a scenario of the set gave.
func Outcomes(set *scenarios.Set, a Answer) ([]scenarios.Outcome, error) {
	return AsWritten().outcomes(set, a)
}

// outcomes are what careful readers of an answer come to, as the case plays it.
func (c Case) outcomes(set *scenarios.Set, a Answer) ([]scenarios.Outcome, error) {
	s := set.Lookup(a.Scenario)
	if s == nil {
		return nil, errNoAnswer
	}
	doc, err := c.flat(set, s)
	if err != nil {
		return nil, err
	}
	return (&place{reply: a.Reply, answer: a}).outcomes(doc)
}

// played are the answers of a run that the case changes.
func (c Case) played(answers []Answer) []Answer {
	other := func(a Answer) bool { return a.Scenario == "" || !c.Plays(a.Scenario, a.Reply) }
	return slices.DeleteFunc(slices.Clone(answers), other)
}
