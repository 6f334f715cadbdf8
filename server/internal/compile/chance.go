package compile

import (
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// draws decides what the scenario leaves to chance, and writes the outcomes down.
type draws struct {
	rand     *rand.Rand
	outcomes []string
}

// ending is the ending that happens, if chance decides about it.
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

// strikes is a damage, together with the frames that it has struck.
type strikes struct {
	*draws
	damage   *scenarios.Damage
	complete func(ojson.Path) ojson.Path // complete writes a path of the damage in full.
	frames   []int                       // frames are the numbers of the frames that were struck.
}

// strike decides whether the damage is done to a frame, given by its number among
// those that are sent, from 1.
func (s *strikes) strike(frame int) bool {
	if s.damage.Chance == nil {
		return true
	}
	hit := s.rand.Float64() < *s.damage.Chance
	if hit {
		s.frames = append(s.frames, frame)
	}
	return hit
}

// report writes down what was drawn for the damage; n is its number in the
// scenario's list, from 1.
func (s *strikes) report(n int) {
	switch {
	case s.damage.Chance == nil:
	case len(s.frames) == 0:
		s.note("damage %d (%s) struck nothing", n, s.damage.Op)
	default:
		s.note("damage %d (%s) struck %s", n, s.damage.Op, numbered("frame", s.frames))
	}
}

// numbered is a noun with the numbers of what it stands for.
func numbered(noun string, numbers []int) string {
	if len(numbers) != 1 {
		noun += "s"
	}
	return noun + " " + strings.Trim(strings.Join(strings.Fields(fmt.Sprint(numbers)), ", "), "[]")
}
