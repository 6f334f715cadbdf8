package yamlfile

import (
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

var endKinds = []string{string(scenarios.EndClose), string(scenarios.EndCut), string(scenarios.EndReset), string(scenarios.EndStall), string(scenarios.EndLinger), string(scenarios.EndRefuse)}

// endCodec reads how a stream ends: a word such as cut, or a mapping from that word to
// its options.
func endCodec() table.Codec[*scenarios.End] {
	kinds := table.WordCodec(endKinds...)
	get := kinds.Get
	kinds.Get = func(d *table.Decoder, n *yaml.Node, kind *string) bool {
		if n.Value == "hang" || n.Value == "timeout" { // not a stall, which comes after the answer
			d.Report(n, "write { stall: { after: 0 } }", "expected one of %s, found %q", strings.Join(endKinds, ", "), n.Value)
			return false
		}
		return get(d, n, kind)
	}
	word := table.Mapped(kinds, func(kind string, p diag.Pos) scenarios.End {
		return scenarios.End{Kind: scenarios.EndKind(kind), Pos: p}
	}, func(e scenarios.End) (string, bool) {
		kind := e.Kind
		e.Kind = ""
		return string(kind), table.IsZeroButPosition(e)
	})
	return table.AnyOf(word, table.Later("a mapping such as {cut: {after: 3}}", endSection))
}

func endSection() *table.Section[*scenarios.End] {
	return &table.Section[*scenarios.End]{
		Name:      "end",
		About:     "How a stream ends: one of close, cut, reset, stall, linger and refuse.",
		Misplaced: map[string]string{"after": "write cut: { after: $ }", "byte": "write cut: { byte: $ }", "inside": "write cut: { inside: $ }"},
		Check: func(d *table.Decoder, m table.Members, _ *scenarios.End) bool {
			return d.ExactlyOne(m, "end", endKinds...)
		},
		Fields: []table.Field[*scenarios.End]{
			endField(scenarios.EndClose, "Orderly, but without [DONE]; a message also without its finish.", "after", "byte", "inside", "chance"),
			endField(scenarios.EndCut, "Inside an event; the connection closes without HTTP's final chunk.", "after", "byte", "inside", "final_chunk", "chance"),
			endField(scenarios.EndReset, "The connection is reset.", "after", "byte", "inside", "chance"),
			endField(scenarios.EndStall, "Silence, then the connection closes. A duration alone is how long.", "for", "after", "byte", "inside", "chance"),
			endField(scenarios.EndLinger, "All is sent, but the connection stays open. A duration alone is how long.", "for", "after", "byte", "inside", "chance"),
			endField(scenarios.EndRefuse, "The connection closes before any answer.", "reset", "chance"),
		},
	}
}

// endField is the key of one kind of ending, with its options.
func endField(kind scenarios.EndKind, doc string, options ...string) table.Field[*scenarios.End] {
	s := &table.Section[*scenarios.End]{
		Name:  string(kind),
		About: doc,
		Lone:  []string{"after", "byte"},
		Check: func(d *table.Decoder, m table.Members, e *scenarios.End) bool { return checkEnd(d, m, e, kind) },
	}
	for _, f := range endOptions() {
		for _, name := range options {
			if f.Name == name {
				s.Fields = append(s.Fields, f)
			}
		}
	}
	c := s.Codec("a mapping")
	if options[0] == "for" {
		c = table.AnyOf(table.ReadOnly(table.As(table.Pointer(table.DurationCodec()), func(e *scenarios.End) **time.Duration { return &e.For })), c)
	}
	return table.StoredField(string(kind), doc, c, func(e *scenarios.End, from scenarios.End) {
		from.Kind, from.Pos = kind, e.Pos
		*e = from
	}, func(e *scenarios.End) (scenarios.End, bool) { return *e, e.Kind == kind })
}

func endOptions() []table.Field[*scenarios.End] {
	return []table.Field[*scenarios.End]{
		table.Optional("for", "How long. Default: 60s.", table.DurationCodec(), func(e *scenarios.End) **time.Duration { return &e.For }),
		afterField(),
		table.Optional("byte", "How many bytes are sent before: of the body or, beside after, of the frame that follows.", table.IntCodec[int64]("a number of bytes", 0, 1<<40), func(e *scenarios.End) **int64 { return &e.Byte }),
		insideField(),
		table.Key("final_chunk", "Also send HTTP's final chunk, so that the body looks complete.", table.BoolCodec(), func(e *scenarios.End) *bool { return &e.FinalChunk }),
		table.Key("reset", "By a reset in place of an ordinary close.", table.BoolCodec(), func(e *scenarios.End) *bool { return &e.Reset }),
		table.Optional("chance", "How likely it is, drawn from the seed. Default: always.", table.ChanceCodec(), func(e *scenarios.End) **float64 { return &e.Chance }),
	}
}

// checkEnd reports an ending with two places.
func checkEnd(d *table.Decoder, m table.Members, e *scenarios.End, kind scenarios.EndKind) bool {
	switch {
	case e.All && kind == scenarios.EndClose:
		d.Report(m.Key("after"), "leave end out", "every stream is closed after all is sent")
		return false
	case e.All:
		return d.AtMostOne(m, "leave one of them out: after all is sent, nothing is left to end inside of", "after", "byte") && d.AtMostOne(m, "leave one of them out: after all is sent, nothing is left to end inside of", "after", "inside")
	}
	return d.AtMostOne(m, "leave inside out: byte is the exact place, inside of a frame or not", "byte", "inside")
}

// afterField is the key after: a number of frames, or all.
func afterField() table.Field[*scenarios.End] {
	const doc = "How many whole frames are sent before; negative counts from the last; all is everything, [DONE] included."
	return table.Either(
		table.Optional("after", doc, table.IntCodec("a number of frames", -table.MaxCount, table.MaxCount), func(e *scenarios.End) **int { return &e.After }),
		table.Key("after", doc, table.Constant("all", true), func(e *scenarios.End) *bool { return &e.All }),
	)
}

// insideField is the key inside: whether a stream ends inside a frame, or rune for
// inside a character.
func insideField() table.Field[*scenarios.End] {
	const doc = "Whether it falls into the middle of the next frame. Default: true for cut, else false. With rune it falls inside the next character of several bytes."
	return table.Either(
		table.Optional("inside", doc, table.BoolCodec(), func(e *scenarios.End) **bool { return &e.Inside }),
		table.Key("inside", doc, table.Constant("rune", true), func(e *scenarios.End) *bool { return &e.InsideRune }),
	)
}
