package compile

import (
	"fmt"
	"iter"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// MaxWrittenOut is how many units a stream with loops may have if each must be in
// memory by itself. Each takes about a kilobyte.
const MaxWrittenOut = 100_000

// WritesOut reports whether the manner treats each unit by itself, so that loops must
// be written out.
func WritesOut(m *scenarios.Manner) bool {
	return Bytewise(m) || hasIDs(m.Wire.IDs) || m.Wire.Newline == "mixed" || m.Wire.Coalesce > 1
}

// TooMany returns the error for a stream with more units than can be in memory; nil if
// there are few enough.
func TooMany(units int, loops bool, m *scenarios.Manner) error {
	if !loops || units <= MaxWrittenOut || !WritesOut(m) {
		return nil
	}
	return fmt.Errorf("the stream has %d frames, and with repeat it has %d at most where ids, newline: mixed, coalesce, split, gzip, drip, damage "+
		"or an end inside of a frame look at each of them: repeat less often", units, MaxWrittenOut)
}

// All iterates over units in the order in which they are sent; units of loops occur as
// often as they are sent.
func All(units []Unit) iter.Seq[*Unit] {
	return func(yield func(*Unit) bool) {
		for i := range units {
			if !yield(&units[i]) {
				return
			}
			loop := units[i+1-max(1, units[i].Loop) : i+1]
			for turn := 1; units[i].Loop > 0 && turn < units[i].Times; turn++ {
				for k := range loop {
					if !yield(&loop[k]) {
						return
					}
				}
			}
		}
	}
}

// hasLoops reports whether there are loops.
func hasLoops(units []Unit) bool {
	return slices.ContainsFunc(units, func(u Unit) bool { return u.Loop > 0 })
}

// writeOut returns the units with loops written out.
func writeOut(units []Unit) []Unit {
	if !hasLoops(units) {
		return units
	}
	out := make([]Unit, 0, countUnits(units))
	for u := range All(units) {
		out = append(out, u.once())
	}
	return out
}

// countUnits counts units as often as they are sent.
func countUnits(units []Unit) (n int) {
	for i := range units {
		n += max(1, units[i].Times)
	}
	return n
}

// once is the unit outside of its loop.
func (u *Unit) once() Unit {
	one := *u
	one.Times, one.Loop = 0, 0
	return one
}

// truncateLoop drops the last units that are sent, without of them, from units that end
// with a loop. Without is less than what the loop sends after its first turn. The last
// complete turn is moved out of the loop.
func truncateLoop(units []Unit, without int) []Unit {
	last := len(units) - 1
	first, turns := last+1-units[last].Loop, units[last].Times
	loop := units[first:]
	perTurn := countSent(loop, len(units)*turns) / turns
	sent := perTurn*turns - without
	whole, part := sent/perTurn, sent%perTurn
	out := slices.Clone(units[:first])
	if whole > 1 {
		out = append(out, loop...)
		for i := first; i <= last; i++ {
			out[i].Times = whole - 1
		}
	}
	for i := range loop {
		out = append(out, loop[i].once())
	}
	for i := range loop {
		if loop[i].sends() {
			if part == 0 {
				break
			}
			part--
		}
		out = append(out, loop[i].once())
	}
	return out
}

// loopTimer records the due times of a loop in the shortest form: a period if the turns
// are regular, a list if not.
type loopTimer struct {
	first []time.Duration // first are the due times of the first turn.
	every time.Duration
	all   []time.Duration // all are the due times of the later turns, once these are irregular.
	n     int             // n counts the due times of later turns.
}

// add records the next due time after those of the first turn.
func (l *loopTimer) add(due time.Duration, left int) {
	turn, i := l.n/len(l.first)+1, l.n%len(l.first)
	if l.n == 0 {
		l.every = due - l.first[0]
	}
	if l.all == nil && due != l.first[i]+time.Duration(turn)*l.every {
		l.all = make([]time.Duration, 0, left+l.n)
		for k := range l.n {
			l.all = append(l.all, l.first[k%len(l.first)]+time.Duration(k/len(l.first)+1)*l.every)
		}
	}
	if l.all != nil {
		l.all = append(l.all, due)
	}
	l.n++
}

// loop sets how often the frames of a loop's first turn are sent, and when. It advances
// the times past the later turns.
func (s *scheduler) loop(units []Unit, frames []player.Frame) (due time.Duration) {
	times := units[len(units)-1].Times
	timer := loopTimer{}
	for i := range frames {
		timer.first = append(timer.first, frames[i].Due)
	}
	for turn := range times - 1 {
		for i := range units {
			due = s.next(&units[i], units[i].Gap)
			if units[i].sends() && len(frames) > 0 {
				timer.add(due, (times-1-turn)*len(frames))
			}
		}
	}
	if n := len(frames); n > 0 {
		frames[n-1].Loop = &player.Loop{Frames: n, Times: times, Every: timer.every, Due: timer.all}
	}
	return due
}

// run lets the frame of a run's first piece be sent for all pieces but the last, which
// can be the end of the stream and is framed by itself. It advances the times past
// them.
func (s *scheduler) run(u *Unit, pieces hole.Pieces, first *player.Frame) {
	turns := pieces.Len() - 1
	if every, ok := s.steady(u, u.RunGap, turns-1); ok {
		first.Loop = &player.Loop{Frames: 1, Times: turns, Every: every, Pieces: pieces}
		return
	}
	timer := loopTimer{first: []time.Duration{first.Due}}
	for turn := 1; turn < turns; turn++ {
		timer.add(s.next(u, u.RunGap), turns-turn)
	}
	first.Loop = &player.Loop{Frames: 1, Times: turns, Every: timer.every, Due: timer.all, Pieces: pieces}
}
