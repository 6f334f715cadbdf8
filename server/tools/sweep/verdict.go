package sweep

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
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
	// NothingLost says that the program did not complain, but that it was sent the finish
	// reason.
	NothingLost Verdict = "nothing was lost"
	// HeldBack says that the program showed nothing of the half of an answer that it was
	// sent before the silence.
	HeldBack Verdict = "held back"
	// NoRequest says that the program made no request for an answer that the case changes.
	NoRequest Verdict = "no request"
)

// Bad reports whether the program did not do what it should.
func (v Verdict) Bad() bool { return v != OK && v != NothingLost }

// Reason is the reason for the verdict in words; "" for OK and Failed.
func (v Verdict) Reason() string {
	switch v {
	case PassedSilently:
		return "although the answer was not whole"
	case NothingLost:
		return "the finish reason was in what was sent"
	case HeldBack:
		return "while the answer stood still in its middle"
	case NoRequest:
		return "it asked for no completion"
	}
	return ""
}

// JudgeHeld judges a run of a case of [Hold]. Shown says whether the program showed
// something of the answer before its end; answers are those of the run.
func (c Case) JudgeHeld(shown bool, answers []Answer) Verdict {
	switch {
	case len(c.played(answers)) == 0:
		return NoRequest
	case shown:
		return OK
	}
	return HeldBack
}

// Judge judges a run of the case. Complained says whether the program reported an error,
// for example by its exit code, which it must do if and only if an answer ends too early, or
// the scenario that answered expects it; answers are those of the run, given by scenarios of
// the set.
func (c Case) Judge(set *scenarios.Set, complained bool, answers []Answer) Verdict {
	played, expected := c.played(answers), expectedOf(set, answers)
	switch {
	case len(played) == 0:
		return NoRequest
	case complained == (c.fails || expected == scenarios.AnError), !c.fails && expected == scenarios.AnyError:
		return OK
	case complained:
		return Failed
	case c.fails && c.drawn == nil && slices.ContainsFunc(played, func(a Answer) bool { return !lacksEnd(a.Bytes, c.only.Bytes) }):
		return NothingLost
	}
	return PassedSilently
}

// expectedOf is what the scenario that answered last expects of errors.
func expectedOf(set *scenarios.Set, answers []Answer) scenarios.ExpectedError {
	for _, a := range slices.Backward(answers) {
		if s := set.Lookup(a.Scenario); s != nil {
			return s.ExpectedError()
		}
	}
	return scenarios.NoError
}

// played are the answers of a run that the case changes.
func (c Case) played(answers []Answer) []Answer {
	other := func(a Answer) bool { return a.Scenario == "" || !c.Plays(a.Scenario, a.Reply) }
	return slices.DeleteFunc(slices.Clone(answers), other)
}
