package yamlfile

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

var endKinds = []string{string(scenarios.EndClose), string(scenarios.EndCut), string(scenarios.EndReset), string(scenarios.EndStall), string(scenarios.EndLinger), string(scenarios.EndRefuse)}

// endCodec reads how a stream ends: a word, or a word and what belongs to it.
func endCodec() codec[scenarios.End] {
	s := &section[scenarios.End]{
		name:     "end",
		about:    "How a stream ends: one of close, cut, reset, stall, linger and refuse.",
		position: func(e *scenarios.End) *diag.Pos { return &e.Pos },
		check:    func(d *decoder, m members, _ *scenarios.End) bool { return d.exactlyOne(m, "end", endKinds...) },
		fields: []field[scenarios.End]{
			endField(scenarios.EndClose, "Orderly, but without [DONE]; a message also without its finish.", "after", "byte", "chance"),
			endField(scenarios.EndCut, "Inside an event; the connection closes without HTTP's final chunk.", "after", "byte", "inside", "final_chunk", "chance"),
			endField(scenarios.EndReset, "The connection is reset.", "after", "byte", "chance"),
			endField(scenarios.EndStall, "Silence, then the connection closes. A duration alone is how long.", "for", "after", "byte", "chance"),
			endField(scenarios.EndLinger, "All is sent, but the connection stays open. A duration alone is how long.", "for", "after", "byte", "chance"),
			endField(scenarios.EndRefuse, "The connection closes before any answer.", "reset", "chance"),
		},
	}
	word := mapped(wordCodec(endKinds...), func(kind string, p diag.Pos) scenarios.End {
		return scenarios.End{Kind: scenarios.EndKind(kind), Pos: p}
	}, func(e scenarios.End) (string, bool) {
		kind := e.Kind
		e.Kind = ""
		return string(kind), isZeroButPosition(e)
	})
	return anyOf(word, s.codec("a mapping such as {cut: {after: 3}}"))
}

// endField is the key of one kind of ending with the options that it has.
func endField(kind scenarios.EndKind, doc string, options ...string) field[scenarios.End] {
	s := &section[scenarios.End]{
		name:  string(kind),
		about: doc,
		lone:  []string{"after", "byte"},
		check: func(d *decoder, m members, _ *scenarios.End) bool {
			where := d.atMostOne(m, "both say where the stream ends", "after", "byte")
			return where && d.atMostOne(m, "a byte may lie anywhere", "byte", "inside")
		},
	}
	for _, f := range endOptions() {
		for _, name := range options {
			if f.name == name {
				s.fields = append(s.fields, f)
			}
		}
	}
	c := s.codec("a mapping")
	if options[0] == "for" {
		c = anyOf(readAs(durationCodec(), func(v time.Duration, _ diag.Pos) scenarios.End { return scenarios.End{For: v} }), c)
	}
	return storedField(string(kind), doc, c, func(e *scenarios.End, from scenarios.End) {
		from.Kind, from.Pos = kind, e.Pos
		*e = from
	}, func(e *scenarios.End) (scenarios.End, bool) { return *e, e.Kind == kind })
}

func endOptions() []field[scenarios.End] {
	return []field[scenarios.End]{
		key("for", "How long. Default: 60s.", durationCodec(), func(e *scenarios.End) *time.Duration { return &e.For }),
		optional("after", "How many whole frames are sent before; negative counts from the last.", intCodec("a number of frames", -maxCount, maxCount), func(e *scenarios.End) **int { return &e.After }),
		optional("byte", "How many bytes of the body are sent before.", intCodec[int64]("a number of bytes", 0, 1<<40), func(e *scenarios.End) **int64 { return &e.Byte }),
		optional("inside", "false cuts between two frames, not inside the next one.", boolCodec(), func(e *scenarios.End) **bool { return &e.Inside }),
		key("final_chunk", "Also send HTTP's final chunk, so that the body looks complete.", boolCodec(), func(e *scenarios.End) *bool { return &e.FinalChunk }),
		key("reset", "By a reset in place of an ordinary close.", boolCodec(), func(e *scenarios.End) *bool { return &e.Reset }),
		optional("chance", "How likely it is, drawn from the seed. Default: always.", chanceCodec(), func(e *scenarios.End) **float64 { return &e.Chance }),
	}
}
