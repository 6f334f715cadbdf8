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
	// HeldBack says that it had nothing to show for the half of an answer that was
	// sent before a silence.
	HeldBack Verdict = "held back"
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
	case HeldBack:
		return "while the answer stood still in its middle"
	case NoRequest:
		return "it asked for no completion"
	}
	return ""
}

// JudgeHeld says what to think of a run of a case of [Hold], from whether the
// program has shown something of the answer before its end, and from what it was
// sent.
func (c Case) JudgeHeld(shown bool, answers []Answer) Verdict {
	played := slices.ContainsFunc(answers, func(a Answer) bool { return a.Scenario != "" && c.Plays(a.Scenario, a.Reply) })
	switch {
	case !played:
		return NoRequest
	case shown:
		return OK
	}
	return HeldBack
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
