package compile

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Pauses holds what the pauses of one request depend on, beside the pace. The zero
// value is for no request: each pause is its mean.
type Pauses struct{ Rand *rand.Rand }

// constant is the distribution of pauses that are as written, apart from their jitter.
const constant = "constant"

// schedule returns the due time of each unit. Times count from the start, and from zero
// again after each hold.
func schedule(units []Unit, p *scenarios.Pace, of Pauses) []time.Duration {
	s := newScheduler(p, of)
	due := make([]time.Duration, len(units))
	for i := range units {
		due[i] = s.dueTime(&units[i])
	}
	return due
}

// speed is the factor by which the pace is faster than written.
func speed(p *scenarios.Pace) float64 {
	switch p.Speed {
	case 0:
		return 1
	case scenarios.Instant:
		return math.Inf(1)
	}
	return p.Speed
}

// scheduler computes the due times of units, one after the other.
type scheduler struct {
	pace    *scenarios.Pace
	of      Pauses
	speed   float64
	now     time.Duration
	chunks  int  // chunks is the number of chunks scheduled so far.
	gaps    int  // gaps is the number of pauses of the pace so far, without the first.
	left    int  // left is how many chunks of the current burst are still to come.
	written bool // written says that the next chunk follows a wait step.
}

func newScheduler(p *scenarios.Pace, of Pauses) *scheduler {
	return &scheduler{pace: p, of: of, speed: speed(p)}
}

func (s *scheduler) dueTime(u *Unit) time.Duration {
	gap, paced := u.Gap, s.isPaced(u, u.Paced && !u.Follows)
	if u.Hold != "" {
		due := s.now
		s.now, s.written = 0, false
		return due
	}
	follows := gap == nil && !s.written // no written pause precedes the unit
	switch {
	case gap != nil:
		s.advance(vary(*gap, u.Jitter, s.of.Rand))
	case paced && follows && s.left == 0:
		s.advance(s.gap(u.Jitter))
	}
	switch {
	case paced && follows && s.left > 0:
		s.left--
	case paced:
		s.left = s.burstSize() - 1
	}
	if paced {
		s.chunks++
	}
	s.written = u.Silent && gap != nil
	return s.now
}

// isPaced reports whether the pauses of the pace apply to a unit, of which they do if each chunk has one.
func (s *scheduler) isPaced(u *Unit, byChunk bool) bool {
	return byChunk || s.pace.Per == "event" && u.Name != "" // only events of the answer have a name
}

// skipPieces advances the time past the pieces of a series that follow the first, and returns the pause before each of
// them. These pauses are even: see [pausesAreEven].
func (s *scheduler) skipPieces(u *Unit, pieces int) (every time.Duration) {
	switch {
	case u.PieceGap != nil:
		every = s.scaled(*u.PieceGap)
	case s.isPaced(u, u.Paced):
		every = s.scaled(s.mean())
	}
	s.now += time.Duration(pieces) * every
	if s.isPaced(u, u.Paced) {
		s.chunks += pieces
	}
	return every
}

// pausesAreEven reports whether the pauses between the pieces of series are always the
// same.
func pausesAreEven(units []Unit, p *scenarios.Pace) bool {
	if p.Jitter != nil && *p.Jitter > 0 || p.Burst != nil || p.Distribution != "" && p.Distribution != constant || len(p.Recorded) > 0 {
		return false
	}
	return !slices.ContainsFunc(units, func(u Unit) bool { return u.Series != 0 && u.Jitter > 0 })
}

// PiecesTakeNoTime reports whether the number of pieces of the series has no effect on the time that an
// answer takes.
func PiecesTakeNoTime(units []Unit, p *scenarios.Pace) bool {
	s := newScheduler(p, Pauses{})
	return pausesAreEven(units, p) && !slices.ContainsFunc(units, func(u Unit) bool { return u.Series != 0 && s.skipPieces(&u, 1) > 0 })
}

func (s *scheduler) scaled(d time.Duration) time.Duration {
	return time.Duration(float64(d) / s.speed)
}

func (s *scheduler) advance(d time.Duration) {
	s.now += s.scaled(d)
}

// burstSize draws how many chunks leave at once.
func (s *scheduler) burstSize() int {
	b := s.pace.Burst
	switch {
	case b == nil:
		return 1
	case s.of.Rand == nil:
		return (b.Min + b.Max) / 2
	}
	return b.Min + s.of.Rand.IntN(b.Max-b.Min+1)
}

// gap is the pause of the pace before the next chunk.
func (s *scheduler) gap(jitter time.Duration) time.Duration {
	if s.pace.Jitter != nil {
		jitter = *s.pace.Jitter
	}
	if s.chunks == 0 {
		return s.firstPause(jitter)
	}
	s.gaps++
	if n := len(s.pace.Recorded); n > 0 {
		return vary(s.pace.Recorded[(s.gaps-1)%n], jitter, s.of.Rand)
	}
	return draw(s.pace.Distribution, s.mean(), jitter, s.of.Rand)
}

// firstPause is the pause before the first chunk. The pace's jitter does not apply if the
// first pause has its own distribution.
func (s *scheduler) firstPause(jitter time.Duration) time.Duration {
	f := s.pace.First
	if f == nil {
		return 0
	}
	if f.Distribution != "" {
		jitter = 0
	}
	if f.Jitter != nil {
		jitter = *f.Jitter
	}
	return draw(f.Distribution, f.Mean, jitter, s.of.Rand)
}

// mean is the mean pause before the next chunk.
func (s *scheduler) mean() time.Duration {
	if s.pace.Every == nil {
		return 0
	}
	return *s.pace.Every
}

// draw draws a pause from a distribution. Without a source of chance it returns the
// mean.
func draw(distribution string, mean, jitter time.Duration, r *rand.Rand) time.Duration {
	if r == nil {
		return mean
	}
	switch distribution {
	case "uniform":
		if jitter > 0 {
			return vary(mean, jitter, r)
		}
		return time.Duration(r.Float64() * 2 * float64(mean))
	case "normal":
		return max(0, mean+time.Duration(r.NormFloat64()*float64(deviation(mean, jitter))))
	case "lognormal":
		return lognormal(mean, deviation(mean, jitter), r)
	case "gamma":
		return gamma(mean, jitter, r)
	}
	return vary(mean, jitter, r)
}

// deviation is the standard deviation of normal and lognormal pauses: the jitter, or a
// quarter of the mean if there is no jitter.
func deviation(mean, jitter time.Duration) time.Duration {
	if jitter > 0 {
		return jitter
	}
	return mean / 4
}

// lognormal draws a pause whose logarithm is normally distributed: pauses of many times
// the mean occur, and none is below 0. Mean and deviation are those of the pause, not
// of its logarithm.
func lognormal(mean, deviation time.Duration, r *rand.Rand) time.Duration {
	if mean <= 0 {
		return 0
	}
	ratio := float64(deviation) / float64(mean)
	variance := math.Log1p(ratio * ratio)
	return time.Duration(float64(mean) * math.Exp(r.NormFloat64()*math.Sqrt(variance)-variance/2))
}

// gamma draws from a gamma distribution with this standard deviation. Without one, its
// shape is 1/2: many short pauses and a few long ones, as with a loaded server.
func gamma(mean, deviation time.Duration, r *rand.Rand) time.Duration {
	if mean <= 0 {
		return 0
	}
	shape := 0.5
	if deviation > 0 {
		shape = math.Pow(float64(mean)/float64(deviation), 2)
	}
	return time.Duration(float64(mean) / shape * standardGamma(shape, r))
}

// standardGamma draws from the gamma distribution with this shape and scale 1, by the
// method of Marsaglia and Tsang (2000).
func standardGamma(shape float64, r *rand.Rand) float64 {
	if shape < 1 {
		return standardGamma(shape+1, r) * math.Pow(r.Float64(), 1/shape)
	}
	d := shape - 1.0/3
	c := 1 / math.Sqrt(9*d)
	for {
		x := r.NormFloat64()
		v := math.Pow(1+c*x, 3)
		if v > 0 && math.Log(r.Float64()) < x*x/2+d-d*v+d*math.Log(v) {
			return d * v
		}
	}
}

// vary moves a pause by up to jitter, either way.
func vary(d, jitter time.Duration, r *rand.Rand) time.Duration {
	if jitter <= 0 || r == nil {
		return d
	}
	return max(0, d+time.Duration((2*r.Float64()-1)*float64(jitter)))
}

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
		if due := times.dueTime(&units[i]); !units[i].Silent {
			p.Due = append(p.Due, due)
		}
	}
	p.Ending.Due = times.now
	return &p
}

// BodyWithPauses returns a shared program that [Body] made of these units, with the
// pauses of one request.
func BodyWithPauses(shared *player.Program, units []Unit, m *scenarios.Manner, of Pauses) *player.Program {
	p := *shared
	p.Due = make([]time.Duration, 0, len(p.Frames))
	last := time.Duration(0)
	for i, due := range schedule(units, &m.Pace, of) {
		if last = due; units[i].Hold != "" {
			p.Due = append(p.Due, due)
		}
	}
	if len(p.Due) < len(p.Frames) { // the body comes last
		p.Due = append(p.Due, last)
	}
	return &p
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
	case first != nil && varies(first.Jitter, first.Distribution):
		return true
	}
	return slices.ContainsFunc(units, func(u Unit) bool { return u.Jitter > 0 })
}
