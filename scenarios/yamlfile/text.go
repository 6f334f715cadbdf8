package yamlfile

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// textCodec reads a template text.
func textCodec() codec[scenarios.Text] { return templated(sourceCodec("a text")) }

// lineCodec reads a template text of one line. A line break that comes out of a
// template is replaced when it is sent.
func lineCodec() codec[scenarios.Text] {
	return validated(textCodec(), func(d *decoder, n *yaml.Node, t *scenarios.Text) bool {
		one := t.IsTemplate() || !strings.ContainsAny(t.Source, "\r\n")
		if !one {
			d.Report(n, "write it in one line", "expected a text in one line, found %s", node.InWords(n))
		}
		return one
	})
}

// looseTextCodec reads a template text that may look like a number.
func looseTextCodec() codec[scenarios.Text] { return templated(looseCodec("a text")) }

func templated(c codec[string]) codec[scenarios.Text] {
	text := mapped(c, func(s string, p diag.Pos) scenarios.Text { return scenarios.Text{Source: s, Pos: p} }, writtenText)
	text.get = func(d *decoder, n *yaml.Node) (scenarios.Text, bool) {
		// Unlike a name, a text may hold bytes that are no UTF-8.
		t := scenarios.Text{Source: n.Value, Pos: d.Pos(n)}
		switch {
		case !node.IsBytes(n) || !t.IsTemplate():
		case utf8.ValidString(t.Source):
			t.Source = scenarios.EscapeActions(t.Source)
		default:
			t.Literal = true
		}
		return t, true
	}
	return text
}

// writtenText is what stands in a file for a text.
func writtenText(t scenarios.Text) (string, bool) {
	bytes := !utf8.ValidString(t.Source) && !ojson.HasSurrogate(t.Source) // as which a text is no template
	switch {
	case bytes:
		return t.Source, !t.IsTemplate()
	case t.Literal: // written so that it comes out of a template
		return scenarios.EscapeActions(t.Source), true
	}
	return t.Source, t.Repeat == ""
}

// maxTextBytes bounds the texts that {repeat, bytes} makes.
const maxTextBytes = 64 << 20

// sizedTextCodec reads a template text, or the size of a generated one.
func sizedTextCodec() codec[scenarios.Text] {
	s := &section[scenarios.Text]{
		name:     "generated text",
		about:    "A text of a given size, for what would be megabytes in the file.",
		position: func(t *scenarios.Text) *diag.Pos { return &t.Pos },
	}
	s.fields = []field[scenarios.Text]{
		required(key("repeat", "What is written again and again.", nameCodec("a text"), func(t *scenarios.Text) *string { return &t.Repeat })),
		required(key("bytes", "How long the text is, in bytes. The last repetition may be cut.",
			intCodec[int64]("a number of bytes", 1, maxTextBytes), func(t *scenarios.Text) *int64 { return &t.Bytes })),
	}
	return anyOf(textCodec(), s.codec("{repeat, bytes}"))
}

func optText() codec[scenarios.Opt[scenarios.Text]]      { return nullable(textCodec()) }
func optSizedText() codec[scenarios.Opt[scenarios.Text]] { return nullable(sizedTextCodec()) }

// byCodec reads how a text is cut.
func byCodec() codec[scenarios.Cut] {
	s := &section[scenarios.Cut]{
		name:  "by",
		about: "How a text is cut into pieces of the same size.",
		fields: []field[scenarios.Cut]{
			required(key("size", "The number of characters in a piece.", intCodec("a number of characters", 1, 1_000_000), func(b *scenarios.Cut) *int { return &b.Size })),
		},
	}
	unit := mapped(wordCodec("token", "word", "rune", "line", "all"), func(u string, _ diag.Pos) scenarios.Cut { return scenarios.Cut{Unit: u} },
		func(b scenarios.Cut) (string, bool) { return b.Unit, b.Size == 0 })
	return anyOf(unit, s.codec("{size}"))
}
