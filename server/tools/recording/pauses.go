package recording

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// precision is what times are rounded to.
const precision = time.Millisecond

// scenario is the scenario with the current steps and the pauses of the recording.
func (s *stream) scenario() scenarios.Scenario {
	sc := s.base
	sc.Envelope.Obfuscations = s.obfuscation()
	if len(s.parts) > 0 && s.parts[0].form == bare {
		sc.Wire.Retry = nil // The bytes of the event hold the line already.
	}
	if at := s.exchange.HeaderAt.Round(precision); at > 0 {
		sc.Wire.HeaderDelay = &at
	}
	steps := s.pace(&sc)
	sc.Replies = []scenarios.Reply{{Stream: &steps}}
	return sc
}

// pace puts the pauses before chunks into the pace of the scenario, and those before steps that
// pace does not delay, such as comments, into wait steps. If the events of each step came
// together, the pace has only the pauses between steps.
func (s *stream) pace(sc *scenarios.Scenario) []scenarios.Step {
	steps := make([]scenarios.Step, 0, len(s.parts))
	gaps := s.gaps()
	wait := func(gap time.Duration) {
		if gap > 0 {
			steps = append(steps, scenarios.Step{Wait: &gap})
		}
	}
	var each, ofSteps []time.Duration
	together := true
	for _, p := range s.parts {
		st, own := p.step, gaps[p.first:p.end]
		if st.Comment == nil && st.Raw == nil && st.Event == nil && st.Done == nil {
			each, ofSteps = append(each, own...), append(ofSteps, own[0])
			together = together && allZero(own[1:]) && (len(own) == 1 || st.Item == nil && st.Call() == nil)
		} else {
			wait(own[0])
		}
		steps = append(steps, st)
	}
	if s.done > 0 {
		wait(gaps[len(gaps)-1])
	}
	if len(each) > 0 && each[0] > 0 {
		sc.Pace.First = &scenarios.First{Mean: each[0]}
	}
	switch {
	case len(each) == 0 || allZero(each[1:]):
	case together:
		sc.Pace.Recorded = ofSteps[1:]
	default:
		sc.Pace.Recorded = each[1:]
		if s.isResponses() {
			sc.Pace.Per = "event"
		}
	}
	return steps
}

// gaps are the pauses before the events. The times since the start of the stream are rounded,
// not the pauses, so that errors do not add up.
func (s *stream) gaps() []time.Duration {
	gaps := make([]time.Duration, len(s.frames))
	before := s.exchange.HeaderAt.Round(precision)
	for i := range s.frames {
		at := max(before, s.frames[i].at.Round(precision))
		gaps[i], before = at-before, at
	}
	return gaps
}

func allZero(gaps []time.Duration) bool {
	for _, gap := range gaps {
		if gap > 0 {
			return false
		}
	}
	return true
}
