package surface

import (
	"cmp"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// EventSpeaker is what all speakers of events of several types have in common: the group that is spoken, and the events so
// far.
type EventSpeaker struct {
	Options     *Options
	Obfuscation *Obfuscation
	Padded      bool // Padded says that deltas have obfuscation.

	// Ends has the position of the last group of each call, by the index of the call; UsageAt is the position of the last
	// group with usage.
	Ends    map[int]int
	UsageAt int

	At      int           // At is the position of the current group.
	Group   *script.Group // Group is the current group.
	Units   []compile.Unit
	Blank   compile.Unit // Blank is the unit that the first event of the current group starts from; it has the pause before the group.
	Closing bool         // Closing marks the next event as the first of those that an early ending takes away.

	began  int // began is the number of units before the current group.
	latest int // latest is the index of the call that had the latest fragment.
}

// Begin begins the group at a position, and returns its unit, which is complete if the group is no chunk.
func (s *EventSpeaker) Begin(at int, g *script.Group) compile.Unit {
	u := NewUnit(g)
	s.At, s.Group, s.began, s.Blank = at, g, len(s.Units), u
	s.Blank.Series = 0
	return u
}

// BeginEnd begins what follows the last group: it belongs to the step of the last event, and comes without a pause.
func (s *EventSpeaker) BeginEnd() {
	last := script.Group{Step: -1}
	if n := len(s.Units); n > 0 {
		last.Step = s.Units[n-1].Step
	}
	s.Group, s.began, s.Blank = &last, len(s.Units), compile.Unit{Step: last.Step}
}

// Said returns the events of the current group.
func (s *EventSpeaker) Said() []compile.Unit { return s.Units[s.began:] }

// Add adds an event of this type. The first event of a group gets the pause before the group; the others follow at once. Its
// kind is the type without "response." if no other is given; places are those of [Options.AmendEverywhere].
func (s *EventSpeaker) Add(eventType, kind string, event ojson.Value, places func(ojson.Path) []ojson.Path) *compile.Unit {
	u := compile.Unit{Step: s.Group.Step, Wire: s.Blank.Wire, Event: s.Blank.Event}
	if len(s.Said()) == 0 {
		u = s.Blank
	}
	u.Kind, u.Name = cmp.Or(kind, strings.TrimPrefix(eventType, "response.")), eventType
	u.Closing, s.Closing = s.Closing, false
	u.JSON = s.Options.AmendEverywhere(event, places)
	s.Units = append(s.Units, u)
	return &s.Units[len(s.Units)-1]
}

// InSeries makes the event u one that is sent for each piece of the series of the group, if that has one.
func (s *EventSpeaker) InSeries(u *compile.Unit) {
	if s.Group.Series != 0 {
		u.Series, u.PieceGap = s.Group.Series, s.Group.PieceGap
		u.Follows = !u.Paced
		u.Paced, u.Jitter = true, s.Group.Jitter
	}
}

// SeriesOf returns the series of the group if the delta is the hole for one piece of the series; 0 for any other delta.
func (s *EventSpeaker) SeriesOf(delta ojson.Value) hole.ID {
	if id, _ := hole.In(delta); id == hole.Piece {
		return s.Group.Series
	}
	return 0
}

// StartOf returns the beat that opens the call of a fragment, or goes on with it; known is the number of calls so far.
func (s *EventSpeaker) StartOf(f *script.CallFragment, known int) *script.CallStart {
	start := StartOf(f, s.latest, known)
	s.latest = start.Index
	return start
}
