package compile

import (
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Programs are shared by all requests, and drawn pauses are not: what a request has of
// its own then is a list of due times.

// WithPauses is a program that [Stream.Program] made for all requests, with the pauses
// of one. It is for streams without runs whose events are not coalesced.
func (s *Stream) WithPauses(shared *player.Program, of Pauses) *player.Program {
	m := &s.Manner
	stop := cutoffOf(m.End, s.units, s.FromMessage)
	units, _ := truncate(s.units, stop)
	p := *shared
	p.Due = make([]time.Duration, 0, countUnits(units)+1)
	times := newScheduler(&m.Pace, of)
	for u := range All(units) {
		due := times.next(u, u.Gap)
		if !u.Silent {
			p.Due = append(p.Due, due)
		}
		if p.Ending.Due = due; u.Hold != "" {
			p.Ending.Due = 0
		}
	}
	if n := len(p.Due); n > 0 && sendsAfterDone(&m.Wire, stop) {
		p.Due = append(p.Due, p.Due[n-1])
	}
	return &p
}

// BodyWithPauses is a program that [Body] made of the units for all requests, with the
// pauses of one.
func BodyWithPauses(shared *player.Program, units []Unit, m *scenarios.Manner, of Pauses) *player.Program {
	p := *shared
	due := schedule(units, &m.Pace, of)
	p.Due = make([]time.Duration, 0, len(p.Frames))
	for i := range units {
		if units[i].Hold != "" {
			p.Due = append(p.Due, due[i])
		}
	}
	if len(p.Due) < len(p.Frames) { // the body comes last
		p.Due = append(p.Due, lastOf(due))
	}
	return &p
}

// lastOf is the last of due times; 0 if there are none.
func lastOf(due []time.Duration) time.Duration {
	if len(due) == 0 {
		return 0
	}
	return due[len(due)-1]
}

// DrawsPauses reports whether the pauses of units differ from request to request.
func DrawsPauses(units []Unit, p *scenarios.Pace) bool {
	varies := func(jitter *time.Duration, distribution string) bool {
		return jitter != nil && *jitter > 0 || distribution != "" && distribution != constant
	}
	switch first := p.First; {
	case p.Speed == scenarios.Instant:
		return false
	case varies(p.Jitter, p.Distribution), p.Burst != nil && p.Burst.Min < p.Burst.Max:
		return true
	case first != nil && (varies(first.Jitter, first.Distribution) || len(first.Recorded) > 1 || first.PerPromptToken > 0):
		return true
	}
	return slices.ContainsFunc(units, func(u Unit) bool { return u.Jitter > 0 })
}
