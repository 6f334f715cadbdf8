// Package compile turns the units that a surface speaks into a program. It gives them
// due times, damages them, frames them as server-sent events, and cuts them where the
// scenario ends early. It knows nothing of any API.
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

// Unit is one thing that a stream sends, in the JSON of its surface but not framed yet,
// or a hold.
type Unit struct {
	Kind string   // Kind names the unit for damage and reports, in the words of its surface.
	Also []string // Also holds further names by which damage finds the unit.
	Step int      // Step is the index of the step that the unit came from.

	Gap    *time.Duration // Gap is the pause before the unit; nil leaves it to the pace.
	Jitter time.Duration  // Jitter is how far Gap varies, either way.
	Paced  bool           // Paced says that the pauses of the pace apply to the unit.

	Silent  bool // Silent says that the unit is a pause, and sends nothing.
	Final   bool // Final says that the unit tells the client that the stream is complete.
	Closing bool // Closing says that an early ending leaves out this unit and all after it.

	FinalNewline bool // FinalNewline says that a line feed follows JSON over several lines, in an answer of one piece.

	// JSON, Event and Raw are what is sent: an event whose data is JSON, any other
	// event, or bytes.
	JSON  ojson.Value
	Event sse.Event
	Name  string // Name is the event's name if neither Event nor the wire gives one.
	Raw   *string
	Hold  string
	Wire  *scenarios.StepWire // Wire lays out the event of this unit in another way than the others; nil for none.

	// Series is not 0 for a unit that is sent once for each piece of the text in this
	// hole. JSON then has a [hole.Piece], and PieceGap is the pause before each piece but
	// the first.
	Series   hole.ID
	PieceGap *time.Duration
	// Follows says that the first piece of the series follows at once what is before it: only the
	// others are paced.
	Follows bool

	piece   player.Filling  // piece is the piece that this unit of a series sends.
	frame   player.Template // frame holds the bytes, if they could be made without the request.
	eventID string          // eventID is the id of the frame's event.
	corrupt int             // corrupt is how many bytes to damage once they are known.
}

// sends reports whether the unit puts bytes on the wire.
func (u *Unit) sends() bool { return !u.Silent && u.Hold == "" }

// hasKind reports whether a kind that damage names fits the unit: its kind, another of
// its names, or the name of its event.
func (u *Unit) hasKind(kind string) bool {
	return u.Kind == kind || u.Name == kind || slices.Contains(u.Also, kind)
}

// narrowed returns units of which only those keep the wire of their step that it names. The events of a
// step follow each other.
func narrowed(units []Unit) []Unit {
	if !slices.ContainsFunc(units, func(u Unit) bool { return u.Wire != nil && u.Wire.Frames != "" }) {
		return units
	}
	units = slices.Clone(units)
	for rest := units; len(rest) > 0; {
		w, n := rest[0].Wire, 1
		for n < len(rest) && rest[n].Wire == w {
			n++
		}
		own := rest[:n]
		rest = rest[n:]
		if w == nil || w.Frames == "" {
			continue
		}
		named := Named(own, w.Frames)
		for i := range own {
			if len(named) > 0 && named[0] == i {
				named = named[1:]
			} else {
				own[i].loseWire()
			}
		}
	}
	return units
}

// loseWire takes the wire of its step away from the unit.
func (u *Unit) loseWire() {
	if u.Wire.Event.Present {
		u.Event.Event = nil
	}
	u.Event.Comment, u.Event.ID, u.Event.Retry, u.Wire = nil, nil, nil, nil
}

// style is the layout of the unit's JSON: that of its step, or else that of all events.
func (u *Unit) style(all ojson.Style) ojson.Style {
	if u.Wire != nil && u.Wire.JSONStyle != nil {
		return Style(u.Wire.JSONStyle)
	}
	return all
}

// name is the name by which damage finds the unit: its kind, unless that is only the
// last part of its event's name.
func (u *Unit) name() string {
	if strings.HasSuffix(u.Name, "."+u.Kind) {
		return u.Name
	}
	return u.Kind
}

func hasSeries(units []Unit) bool {
	return slices.ContainsFunc(units, func(u Unit) bool { return u.Series != 0 })
}

// expandSeries replaces each series by one unit for each piece; by one alone, without values.
func expandSeries(units []Unit, v *player.Values) []Unit {
	if v == nil || !hasSeries(units) {
		return units
	}
	var out []Unit
	for _, u := range units {
		if u.Series == 0 {
			out = append(out, u)
			continue
		}
		pieces := v.Series(u.Series)
		for i := range pieces.Len() {
			one := u
			one.Series, one.piece = 0, player.NewFilling(pieces, i)
			if i > 0 {
				one.Gap, one.Follows = u.PieceGap, false
			}
			out = append(out, one)
		}
	}
	return out
}

// unitBytes and jsonBytes estimate the memory of a unit and of its JSON.
const (
	unitBytes = 600
	jsonBytes = 4000
)

// Size estimates the memory of units, in bytes.
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

// Size estimates the memory of the stream, in bytes.
func (s *Stream) Size() int64 { return Size(s.units) }
