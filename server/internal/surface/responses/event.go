package responses

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// The kinds of events that damage names by the words of the language. Any other
// event has the kind of its type, without its first word.
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

// emit adds an event of this type. The first event of a group has the pause of the
// group before it; the others follow at once.
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

// emitPaced adds an event that is not the first of its group and has a pause of its
// own before it.
func (s *speaker) emitPaced(eventType, kind string, members ...ojson.Member) {
	u := s.emit(eventType, kind, members...)
	u.Paced, u.Gap, u.Jitter = true, s.group.RunGap, s.group.Jitter
}

// event is the JSON of an event: its type, its members in the order of the
// alphabet, and its number.
func (s *speaker) event(eventType string, members []ojson.Member) ojson.Value {
	slices.SortStableFunc(members, func(a, b ojson.Member) int { return cmp.Compare(a.Name, b.Name) })
	v := ojson.Object(append([]ojson.Member{ojson.M("type", ojson.String(eventType))}, members...)...)
	if delta := v.Get("delta"); s.padded && !delta.IsAbsent() && delta.Kind() != ojson.ObjectKind {
		v.Set("obfuscation", ojson.String(s.pad(delta)))
	}
	v.Set("sequence_number", ojson.Int(s.number()))
	s.said++
	return v
}

// number is the number of the next event.
func (s *speaker) number() int64 {
	if n := s.options.Envelope.SequenceNumber; n != nil {
		return int64(n.Start) + int64(n.Step)*int64(s.said)
	}
	return int64(s.said)
}

// padBlock is what the length of a piece of text is hidden to a multiple of.
const padBlock = 16

// pad is as many random letters and digits as bring a piece of text to a multiple
// of 16 UTF-16 units, the rule that all recorded events follow; or what is written
// for it.
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
	return draw.Text(s.chance, draw.Base62, (padBlock-s.length(delta)%padBlock)%padBlock)
}

// length is the length of a text in UTF-16 units. A text that only the request
// tells has none.
func (s *speaker) length(text ojson.Value) int {
	id, isHole := hole.In(text)
	if !isHole {
		return units(text.Text())
	}
	large, ok := s.repeats[id]
	if !ok {
		return 0
	}
	count, tail := large.Parts()
	return int(count%padBlock)*units(large.Unit) + units(tail)
}

func units(text string) int {
	n := 0
	for _, r := range text {
		n += utf16.RuneLen(r)
	}
	return n
}
