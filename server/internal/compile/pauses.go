package compile

import (
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Programs are shared by all requests, but random pauses are not. A request that needs
// its own pauses gets the shared program with its own list of due times.

// WithPauses returns a shared program of [Stream.Program] with the pauses of one
// request. The stream must have no series, and its events must not be coalesced.
func (s *Stream) WithPauses(shared *player.Program, of Pauses) *player.Program {
	m := &s.Manner
	stop := cutoffOf(m.End, s.units, s.FromMessage)
	units, _ := truncate(s.units, stop)
	p := *shared
	p.Due = make([]time.Duration, 0, len(units)+1)
	times := newScheduler(&m.Pace, of)
	for i := range units {
		if due := times.next(&units[i]); !units[i].Silent {
			p.Due = append(p.Due, due)
		}
	}
	p.Ending.Due = times.now
	if n := len(p.Due); n > 0 && sendsAfterDone(&m.Wire, stop) {
		p.Due = append(p.Due, p.Due[n-1])
	}
	return &p
}

// BodyWithPauses returns a shared program that [Body] made of these units, with the
// pauses of one request.
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

// lastOf is the last due time; 0 if there is none.
func lastOf(due []time.Duration) time.Duration {
	if len(due) == 0 {
		return 0
	}
	return due[len(due)-1]
}

// DrawsPauses reports whether pauses before the units are random.
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
