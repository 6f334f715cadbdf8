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
			endField(scenarios.EndClose, "Orderly, but without [DONE]; a message also without its finish.", "after", "byte", "inside", "chance"),
			endField(scenarios.EndCut, "Inside an event; the connection closes without HTTP's final chunk.", "after", "byte", "inside", "final_chunk", "chance"),
			endField(scenarios.EndReset, "The connection is reset.", "after", "byte", "inside", "chance"),
			endField(scenarios.EndStall, "Silence, then the connection closes. A duration alone is how long.", "for", "after", "byte", "inside", "chance"),
			endField(scenarios.EndLinger, "All is sent, but the connection stays open. A duration alone is how long.", "for", "after", "byte", "inside", "chance"),
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
		check: func(d *decoder, m members, e *scenarios.End) bool { return checkEnd(d, m, e, kind) },
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
		afterField(),
		optional("byte", "How many bytes are sent before: of the body or, beside after, of the frame that follows.", intCodec[int64]("a number of bytes", 0, 1<<40), func(e *scenarios.End) **int64 { return &e.Byte }),
		insideField(),
		key("final_chunk", "Also send HTTP's final chunk, so that the body looks complete.", boolCodec(), func(e *scenarios.End) *bool { return &e.FinalChunk }),
		key("reset", "By a reset in place of an ordinary close.", boolCodec(), func(e *scenarios.End) *bool { return &e.Reset }),
		optional("chance", "How likely it is, drawn from the seed. Default: always.", chanceCodec(), func(e *scenarios.End) **float64 { return &e.Chance }),
	}
}

// checkEnd reports two places in one ending.
func checkEnd(d *decoder, m members, e *scenarios.End, kind scenarios.EndKind) bool {
	switch {
	case e.All && kind == scenarios.EndClose:
		d.Report(m.key("after"), "leave end out", "after everything, every stream is closed")
		return false
	case e.All:
		return d.atMostOne(m, "after: all leaves nothing to end inside of", "after", "byte") && d.atMostOne(m, "after: all leaves nothing to end inside of", "after", "inside")
	}
	return d.atMostOne(m, "a byte may lie anywhere", "byte", "inside")
}

// afterField reads after how many frames a stream ends, or after all.
func afterField() field[scenarios.End] {
	type form struct {
		frames *int
		all    bool
	}
	frames := mapped(intCodec("a number of frames", -maxCount, maxCount), func(n int, _ diag.Pos) form { return form{frames: &n} },
		func(f form) (n int, ok bool) {
			if f.frames != nil {
				n = *f.frames
			}
			return n, f.frames != nil
		})
	all := mapped(wordCodec("all"), func(string, diag.Pos) form { return form{all: true} }, func(f form) (string, bool) { return "all", f.all })
	return storedField("after", "How many whole frames are sent before; negative counts from the last; all is everything, [DONE] included.",
		anyOf(frames, all), func(e *scenarios.End, f form) { e.After, e.All = f.frames, f.all },
		func(e *scenarios.End) (form, bool) { return form{e.After, e.All}, e.After != nil || e.All })
}

// insideField reads whether a stream ends inside a frame, or inside a character.
func insideField() field[scenarios.End] {
	type form struct {
		flag *bool
		rune bool
	}
	flag := mapped(boolCodec(), func(on bool, _ diag.Pos) form { return form{flag: &on} },
		func(f form) (on, ok bool) { return f.flag != nil && *f.flag, f.flag != nil })
	character := mapped(wordCodec("rune"), func(string, diag.Pos) form { return form{rune: true} }, func(f form) (string, bool) { return "rune", f.rune })
	return storedField("inside", "Whether it falls into the middle of the next frame. Default: true for cut, else false. With rune it falls inside the next character of several bytes.",
		anyOf(flag, character), func(e *scenarios.End, f form) { e.Inside, e.InsideRune = f.flag, f.rune },
		func(e *scenarios.End) (form, bool) {
			return form{e.Inside, e.InsideRune}, e.Inside != nil || e.InsideRune
		})
}
