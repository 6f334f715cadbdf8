// Package compile turns the units that a surface speaks into a program: it
// gives them due times, damages them, frames them as server-sent events, and
// cuts them where the scenario ends early. It knows no surface.
package compile

import (
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// Unit is one thing that a stream sends, in the JSON of its surface but not
// framed yet, or a place to wait at.
type Unit struct {
	Kind string   // Kind says what it is, in the words of its surface, for damage and reports.
	Also []string // Also are further words by which damage finds it.
	Step int      // Step is the position in the stream of the step that it came from.

	Gap    *time.Duration // Gap is the pause before it; nil leaves it to the pace.
	Jitter time.Duration  // Jitter is how far that pause varies.
	Paced  bool           // Paced says that the pace's pauses stand before it.

	Silent  bool // Silent says that it is a pause, and sends nothing.
	Final   bool // Final says that it tells the client that the stream is complete.
	Closing bool // Closing says that it begins what an early ending takes away.

	FinalNewline bool // a newline follows JSON over several lines, in an answer of one piece
	Open         bool // Open says that the JSON is an object with a [hole.Rest], in an answer of one piece.

	// What is sent: an event whose data is JSON, or any event, or bytes.
	JSON   ojson.Value
	Event  sse.Event
	Name   string // Name is the name of the event where neither Event nor the wire gives it one.
	Raw    *string
	Repeat *hole.Repeat // Repeat is sent in place of Raw.
	Hold   string
	Wire   *scenarios.StepWire // Wire is how its event is laid out, where that is not as everywhere.

	// Run is not 0 for a unit that stands for several: one for each piece of the
	// text that the run's hole holds. JSON has a [hole.Piece] then, and RunGap is
	// the pause before the pieces after the first.
	Run    hole.ID
	RunGap *time.Duration

	// Times is how often the unit is sent, if it is part of a loop; 0 is once. Loop is
	// not 0 for the last unit of a loop: how many units are sent in turn.
	Times, Loop int

	piece   player.Filling  // piece is what this unit of a run sends.
	frame   player.Template // frame is the bytes, where they could be made before the request.
	framed  bool            // framed says that there is a frame.
	eventID string          // eventID is the id of the frame's event.
	corrupt int             // corrupt is how many of the bytes are damaged once they are known.
}

// sends reports whether the unit is bytes on the wire.
func (u *Unit) sends() bool { return !u.Silent && u.Hold == "" }

// hasKind reports whether a kind that damage names fits the unit: its own, another
// word for it, or the name of its event.
func (u *Unit) hasKind(kind string) bool {
	return u.Kind == kind || u.Name == kind || slices.Contains(u.Also, kind)
}

// name is the word by which damage finds the unit: its kind, unless that is no more
// than the end of the name of its event.
func (u *Unit) name() string {
	if strings.HasSuffix(u.Name, "."+u.Kind) {
		return u.Name
	}
	return u.Kind
}

// expandRuns puts the units of each run in the place of the unit that stands for
// them.
func expandRuns(units []Unit, v *player.Values) []Unit {
	if !slices.ContainsFunc(units, func(u Unit) bool { return u.Run != 0 }) {
		return units
	}
	var out []Unit
	for _, u := range units {
		if u.Run == 0 {
			out = append(out, u)
			continue
		}
		run := v.Run(u.Run)
		for i := range run.Len() {
			one := u
			one.Run, one.piece = 0, player.NewFilling(run.At(i))
			if i > 0 {
				one.Gap = u.RunGap
			}
			out = append(out, one)
		}
	}
	return out
}

// unitBytes and jsonBytes are about what a unit takes, and the JSON of one.
const (
	unitBytes = 600
	jsonBytes = 4000
)

// Size is about how many bytes of memory units take.
func Size(units []Unit) (n int64) {
	for i := range units {
		u := &units[i]
		n += unitBytes + int64(len(u.frame.Data())+len(u.Event.Data))
		if !u.JSON.IsAbsent() {
			n += jsonBytes
		}
	}
	return n
}

// Size is about how many bytes of memory the stream takes.
func (s *Stream) Size() int64 { return Size(s.units) }
