package responses

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
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
	if i := slices.IndexFunc(members, isPadded); s.padded && i >= 0 {
		all = append(all, ojson.M("obfuscation", ojson.String(s.pad(members[i].Value))))
	}
	all = append(all, ojson.M("sequence_number", ojson.Int(s.number())))
	s.said++
	return ojson.Object(all...)
}

// isPadded reports whether a member of an event is a delta that obfuscation goes with.
func isPadded(m ojson.Member) bool {
	return m.Name == "delta" && !m.Value.IsAbsent() && m.Value.Kind() != ojson.ObjectKind
}

// number returns the sequence number of the next event.
func (s *speaker) number() int64 {
	if n := s.options.Envelope.SequenceNumber; n != nil {
		return int64(n.Start) + int64(n.Step)*int64(s.said)
	}
	return int64(s.said)
}

// padBlock is the length in UTF-16 units to a multiple of which a delta is padded.
const padBlock = 16

// pad returns the obfuscation of a delta: what the author wrote for it, or else random letters
// and digits that fill it up to a multiple of padBlock, as in all recordings.
func (s *speaker) pad(delta ojson.Value) string {
	if written := s.options.Envelope.Obfuscations; s.pads < len(written) {
		s.pads++
		return written[s.pads-1]
	}
	if s.chance == nil {
		s.chance = rand.New(rand.NewPCG(1, 1))
		if s.options.Rand != nil {
			s.chance = s.options.Rand()
		}
	}
	return invent.Text(s.chance, invent.Base62, (padBlock-length(delta)%padBlock)%padBlock)
}

// length returns the length of a text in UTF-16 units. A text that only the request tells
// counts as empty.
func length(text ojson.Value) (units int) {
	if _, isHole := hole.In(text); isHole {
		return 0
	}
	for _, r := range text.Text() {
		units += utf16.RuneLen(r)
	}
	return units
}
