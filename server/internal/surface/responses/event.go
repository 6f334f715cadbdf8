package responses

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
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
			all = append(all, ojson.M("obfuscation", s.obfuscation(delta, series)))
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
	return s.later(series, func(dst []byte, f *surface.Filler, piece int, _ []byte) []byte {
		if piece > 0 {
			f.Extra++
		}
		return strconv.AppendInt(dst, number+step*f.Extra, 10)
	})
}

// later returns a hole for a value that follows from texts, and that add appends as JSON. If it is that of a
// series, each piece has one, and json is the piece.
func (s *speaker) later(series hole.ID, add func(dst []byte, f *surface.Filler, piece int, json []byte) []byte) ojson.Value {
	return s.options.Later(func(f *surface.Filler, id hole.ID) {
		if series == 0 {
			f.Values.Fill(id, func(dst []byte) []byte { return add(dst, f, 0, nil) })
			return
		}
		pieces := f.Values.Series(series)
		n := pieces.Len()
		list := hole.NewPieces(n, padBlock*n)
		for piece := range n {
			list.AddJSON(func(dst []byte) []byte { return add(dst, f, piece, pieces.At(piece)) })
		}
		f.Values.SetSeries(id, list)
	})
}

// padBlock is the length in UTF-16 units to a multiple of which a delta is padded.
const padBlock = 16

// obfuscation returns the obfuscation of a delta, which may be a series. Which letters it has follows from all
// texts before it.
func (s *speaker) obfuscation(delta ojson.Value, series hole.ID) ojson.Value {
	written, letters, known := s.options.Envelope.Obfuscations, s.letters, delta.String()
	if !s.late {
		return ojson.String(string(letters.pad(&s.padding, written, []byte(known))))
	}
	of, open := hole.In(delta)
	return s.later(series, func(dst []byte, f *surface.Filler, _ int, json []byte) []byte {
		switch {
		case series != 0:
		case open:
			json = f.Values.Get(of)
		default:
			json = []byte(known)
		}
		return f.Style.AppendString(dst, string(letters.pad(&f.Padding, written, json)))
	})
}

// letters are the random letters and digits of which the obfuscation of all answers of a program consists, one
// after the other. They are drawn once, as far as the longest answer so far has them.
type letters struct {
	source func() *rand.Rand // source makes the source of chance; nil has a fixed one.

	mu     sync.Mutex // mu guards the fields below.
	chance *rand.Rand // chance is nil before the first letter.
	drawn  []byte     // drawn only grows: answers read what they got while others add to it.
}

// pad returns the obfuscation of a delta, given as JSON: what the author wrote for it, or else random letters
// and digits that fill it up to a multiple of padBlock, as in all recordings.
func (l *letters) pad(p *surface.Padding, written []string, delta []byte) []byte {
	if p.Written < len(written) {
		p.Written++
		return []byte(written[p.Written-1])
	}
	from := p.Used
	p.Used += (padBlock - units(delta)%padBlock) % padBlock
	if p.Used > len(p.Letters) {
		p.Letters = l.atLeast(p.Used)
	}
	return p.Letters[from:p.Used]
}

// atLeast returns so many letters or more, so that an answer rarely asks.
func (l *letters) atLeast(n int) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.chance == nil {
		l.chance = rand.New(rand.NewPCG(1, 1))
		if l.source != nil {
			l.chance = l.source()
		}
	}
	if n > len(l.drawn) {
		l.drawn = invent.AppendText(l.drawn, l.chance, invent.Base62, n+n/2-len(l.drawn))
	}
	return l.drawn
}

// units returns the length in UTF-16 units of the text of a JSON string; 0 for anything else.
func units(json []byte) (n int) {
	if json[0] != '"' {
		return 0
	}
	for at := 1; at < len(json)-1; {
		r, size := utf8.DecodeRune(json[at:])
		if r == '\\' {
			size = len(`\n`)
			if json[at+1] == 'u' {
				size = len(`\u0000`)
			}
		}
		n, at = n+utf16.RuneLen(r), at+size
	}
	return n
}
