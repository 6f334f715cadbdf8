package sweep

import "slices"

// Verdict says what to think of one run.
type Verdict string

// The verdicts on a run.
const (
	OK Verdict = "ok" // OK says that the program did what it should.
	// Failed says that the program complained although the answer was whole.
	Failed Verdict = "failed"
	// PassedSilently says that it did not complain although the answer was not
	// whole.
	PassedSilently Verdict = "passed silently"
	// NothingLost says that it did not complain, and that what was sent had the
	// finish reason in it.
	NothingLost Verdict = "nothing was lost"
	// NoRequest says that it did not ask for what the case is about.
	NoRequest Verdict = "no request"
)

// Bad reports whether the program did not do what it should.
func (v Verdict) Bad() bool { return v != OK && v != NothingLost }

// Reason is the verdict's reason in words, or "" where there is nothing to say
// beyond what the program said itself.
func (v Verdict) Reason() string {
	switch v {
	case PassedSilently:
		return "although the answer was not whole"
	case NothingLost:
		return "the finish reason was in what was sent"
	case NoRequest:
		return "it asked for no completion"
	}
	return ""
}

// Judge says what to think of a run of the case, from whether the program
// complained, as by an error or an exit code, and from what it was sent. It must
// complain where an answer ends too early, and nowhere else.
func (c Case) Judge(complained bool, answers []Answer) Verdict {
	var played []Answer
	for _, a := range answers {
		if a.Scenario != "" && c.Plays(a.Scenario, a.Reply) {
			played = append(played, a)
		}
	}
	switch {
	case len(played) == 0:
		return NoRequest
	case complained == c.Truncates():
		return OK
	case complained:
		return Failed
	case slices.ContainsFunc(played, func(a Answer) bool { return !lacksEnd(a.Bytes, c.truncated.Bytes) }):
		return NothingLost
	}
	return PassedSilently
}
