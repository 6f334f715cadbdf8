package responses

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Kinds of events: the words by which damage names them. Any other event has its type as kind,
// without "response.".
const (
	kindContent   = "content"
	kindRefusal   = "refusal"
	kindReasoning = "reasoning"
	kindTool      = "tool"
	kindHeartbeat = "heartbeat"
	kindFinish    = "finish"
	kindUsage     = "usage"
	kindLogprobs  = "logprobs"
	kindError     = "error"
)

// emit adds an event of this type. The first event of a group gets the pause before the group;
// the others follow at once.
func (s *speaker) emit(eventType, kind string, members ...ojson.Member) *compile.Unit {
	u := compile.Unit{Step: s.group.Step, Wire: s.blank.Wire, Event: s.blank.Event}
	if len(s.units) == s.began {
		u = s.blank
	}
	u.Kind, u.Name = cmp.Or(kind, strings.TrimPrefix(eventType, "response.")), eventType
	u.Closing, s.closing = s.closing, false
	u.JSON = s.options.AmendEverywhere(s.layout.event(s.event(eventType, members)), inEvent(eventType))
	s.units = append(s.units, u)
	return &s.units[len(s.units)-1]
}

// answer adds the event of this name that has the response object.
func (s *speaker) answer(name, kind string, now snapshot) *compile.Unit {
	return s.emit("response."+name, kind, ojson.M("response", s.response(now)))
}

// emitPaced adds an event with a pause of its own, which is not the first of its group.
func (s *speaker) emitPaced(eventType, kind string, members ...ojson.Member) {
	u := s.emit(eventType, kind, members...)
	u.Paced, u.Gap, u.Jitter = true, s.group.PieceGap, s.group.Jitter
}

// event returns the JSON of an event: its type, its members in alphabetical order, its
// obfuscation if any, and its sequence number.
func (s *speaker) event(eventType string, members []ojson.Member) ojson.Value {
	slices.SortStableFunc(members, func(a, b ojson.Member) int { return cmp.Compare(a.Name, b.Name) })
	all := append(make([]ojson.Member, 0, len(members)+3), ojson.M("type", ojson.String(eventType)))
	all = append(all, members...)
	series := hole.ID(0) // the series that the event is sent for
	if i := slices.IndexFunc(members, isPadded); i >= 0 {
		delta := members[i].Value
		if id, _ := hole.In(delta); id == hole.Piece {
			series = s.group.Series
		}
		if s.padded {
			all = append(all, ojson.M("obfuscation", s.obfuscation.Of(delta, series)))
		}
	}
	all = append(all, ojson.M("sequence_number", s.number(series)))
	s.said++
	return ojson.Object(all...)
}

// isPadded reports whether a member of an event is a delta that obfuscation goes with.
func isPadded(m ojson.Member) bool {
	return m.Name == "delta" && !m.Value.IsAbsent() && m.Value.Kind() != ojson.ObjectKind
}

// number returns the sequence number of the next event, which may be a series.
func (s *speaker) number(series hole.ID) ojson.Value {
	number, step := int64(s.said), int64(1)
	if n := s.options.Envelope.SequenceNumber; n != nil {
		number, step = int64(n.Start)+int64(n.Step)*number, int64(n.Step)
	}
	s.behind = s.behind || series != 0
	if !s.late || !s.behind {
		return ojson.Int(number)
	}
	return s.options.LaterIn(series, func(dst []byte, f *surface.Filler, piece int, _ []byte) []byte {
		if piece > 0 {
			f.Extra++
		}
		return strconv.AppendInt(dst, number+step*f.Extra, 10)
	})
}

// isOfAnswer reports whether a path of the envelope begins with a member of the response object
// and names it without "response". Events have members text and error of their own, which such a
// path means.
func isOfAnswer(p ojson.Path) bool {
	name := p[0].Name
	return name == "billing" || memberNamed(name) != nil && name != "text" && name != "error"
}

// inEvent returns a function that maps a path of the envelope to the places in an event of this
// type: a member of the response object is inside "response".
func inEvent(eventType string) func(ojson.Path) []ojson.Path {
	return surface.InEvent(eventType, func(p ojson.Path, ofType bool) ojson.Path {
		if isOfAnswer(p) && (!ofType || isSnapshot(eventType)) {
			return append(ojson.Path{{Name: "response"}}, p...)
		}
		return p
	})
}

// isSnapshot reports whether events of this type have a response object.
func isSnapshot(eventType string) bool {
	return slices.Contains([]string{"created", "queued", "in_progress", statusCompleted, statusIncomplete, statusFailed, statusCancelled}, strings.TrimPrefix(eventType, "response."))
}

// inAnswer maps a path of the envelope to the places in the body of an answer in one piece.
func inAnswer(p ojson.Path) []ojson.Path {
	switch {
	case p[0].Name == "response" && len(p) > 1:
		return []ojson.Path{p[1:]}
	case isOfAnswer(p):
		return []ojson.Path{p}
	}
	return nil
}
