package compile

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// draws makes the random decisions of a scenario, and records their outcomes.
type draws struct {
	rand     *rand.Rand // rand is nil at load, where all happens but drops.
	outcomes []string
	places   *places // places is told what damage strikes; nil where nobody asks.
}

// ending returns the ending that happens, which can be decided by chance.
func (d *draws) ending(e scenarios.End) scenarios.End {
	switch {
	case e.Chance == nil:
		return e
	case d.rand.Float64() < *e.Chance:
		d.note("end %s: drawn", e.Kind)
		return e
	}
	d.note("end %s: not drawn", e.Kind)
	return scenarios.End{}
}

func (d *draws) note(format string, args ...any) {
	d.outcomes = append(d.outcomes, fmt.Sprintf(format, args...))
}

// strikes is a damage, together with the frames that it has struck so far.
type strikes struct {
	*draws
	damage   *scenarios.Damage
	complete func(ojson.Path) ojson.Path // complete returns the full path for a path of the damage.
	frames   []int                       // frames are the numbers of the frames that were struck.
	// struckPath says that a frame has the member that the damage names, or that only a
	// request can tell.
	struckPath bool
}

// strike decides whether the damage is done to a frame. Frames are numbered from 1,
// among those that are sent.
func (s *strikes) strike(frame int) bool {
	switch {
	case s.damage.Chance == nil:
		return true
	case s.rand == nil:
		return s.damage.Op != "drop"
	}
	hit := s.rand.Float64() < *s.damage.Chance
	if hit {
		s.frames = append(s.frames, frame)
	}
	return hit
}

// report records what was drawn for the damage; n is its position in the scenario's
// list, from 1.
func (s *strikes) report(n int) {
	switch {
	case s.damage.Chance == nil:
	case len(s.frames) == 0:
		s.note("damage %d (%s) struck nothing", n, s.damage.Op)
	default:
		s.note("damage %d (%s) struck %s", n, s.damage.Op, numbered("frame", s.frames))
	}
}

// numbered is a noun followed by numbers, as in "frames 1, 3".
func numbered(noun string, numbers []int) string {
	if len(numbers) != 1 {
		noun += "s"
	}
	return noun + " " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), ", "), "[]")
}
