package recording

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// precision is what times are rounded to.
const precision = time.Millisecond

// timed is the scenario with the pauses of the recording. The times since the start of
// the stream are rounded, not the pauses, so that errors do not add up.
func (s *stream) timed() (*scenarios.Scenario, error) {
	sc, first := s.scenario()
	if at := s.exchange.HeaderAt.Round(precision); at > 0 {
		sc.Wire.HeaderDelay = &at
	}
	gaps := s.gaps()
	steps := *sc.Replies[0].Stream
	if len(s.ranges) > 0 {
		s.paceEach(&sc, first, gaps)
		return &sc, nil
	}
	if s.paced(steps) {
		s.pace(&sc, gaps)
		return &sc, nil
	}
	var waiting []scenarios.Step
	for i := range s.frames {
		if gaps[i] > 0 {
			waiting = append(waiting, scenarios.Step{Wait: &gaps[i]})
		}
		if i < len(steps) {
			waiting = append(waiting, steps[i])
		}
	}
	sc.Replies[0].Stream = &waiting
	return &sc, nil
}

// gaps are the pauses before the events.
func (s *stream) gaps() []time.Duration {
	gaps := make([]time.Duration, len(s.frames))
	before := s.exchange.HeaderAt.Round(precision)
	for i := range s.frames {
		at := max(before, s.frames[i].at.Round(precision))
		gaps[i], before = at-before, at
	}
	return gaps
}

// paced reports whether all events are chunks, so that pace can hold their pauses.
func (s *stream) paced(steps []scenarios.Step) bool {
	for i := range steps {
		if s.forms[i] > whole || steps[i].Comment != nil || steps[i].Done != nil || steps[i].Error != nil {
			return false
		}
	}
	return true
}

// pace puts the pauses into the pace of the scenario. A pause after the last chunk
// becomes a wait step.
func (s *stream) pace(sc *scenarios.Scenario, gaps []time.Duration) {
	chunks := len(s.frames) - s.done
	if chunks > 0 && gaps[0] > 0 {
		sc.Pace.First = &scenarios.First{Mean: gaps[0]}
	}
	if chunks > 1 && !allZero(gaps[1:chunks]) {
		sc.Pace.Recorded = gaps[1:chunks]
	}
	if s.done > 0 && gaps[chunks] > 0 {
		steps := append(*sc.Replies[0].Stream, scenarios.Step{Wait: &gaps[chunks]})
		sc.Replies[0].Stream = &steps
	}
}

// paceEach puts the pauses before events into the pace, and the pauses before steps that
// pace does not delay, such as comments, into wait steps. If the events of each step came
// together, the pace has only the pauses between steps.
func (s *stream) paceEach(sc *scenarios.Scenario, first []int, gaps []time.Duration) {
	var steps []scenarios.Step
	var each, each1st []time.Duration
	together := true
	for n, st := range *sc.Replies[0].Stream {
		end := len(s.frames) - s.done
		if n+1 < len(first) {
			end = first[n+1]
		}
		own := gaps[first[n]:end]
		if st.Comment == nil && st.Raw == nil && st.Event == nil && st.Done == nil {
			each, each1st = append(each, own...), append(each1st, own[0])
			together = together && allZero(own[1:]) && (len(own) == 1 || st.Item == nil && st.Call() == nil)
		} else if own[0] > 0 {
			steps = append(steps, scenarios.Step{Wait: &own[0]})
		}
		steps = append(steps, st)
	}
	if s.done > 0 && gaps[len(gaps)-1] > 0 {
		steps = append(steps, scenarios.Step{Wait: &gaps[len(gaps)-1]})
	}
	sc.Replies[0].Stream = &steps
	if each[0] > 0 {
		sc.Pace.First = &scenarios.First{Mean: each[0]}
	}
	switch {
	case allZero(each[1:]):
	case together:
		sc.Pace.Recorded = each1st[1:]
	default:
		sc.Pace.Recorded = each[1:]
		if s.isResponses() {
			sc.Pace.Per = "event"
		}
	}
}

func allZero(gaps []time.Duration) bool {
	for _, gap := range gaps {
		if gap > 0 {
			return false
		}
	}
	return true
}
