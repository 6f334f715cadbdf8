package yamlfile

import (
	"strings"
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// textCodec reads a template text.
func textCodec() table.Codec[*scenarios.Text] { return templated(table.SourceCodec("a text")) }

// lineCodec reads a template text of one line. If the rendered template has a line
// break, it is replaced when the text is sent.
func lineCodec() table.Codec[*scenarios.Text] {
	return table.Validated(textCodec(), func(d *table.Decoder, n *yaml.Node, t *scenarios.Text) bool {
		one := t.IsTemplate() || !strings.ContainsAny(t.Source, "\r\n")
		if !one {
			d.Report(n, "write it in one line", "expected a text in one line, found %s", node.InWords(n))
		}
		return one
	})
}

// looseTextCodec reads a template text. A number or boolean without quotes is a text, too.
func looseTextCodec() table.Codec[*scenarios.Text] { return templated(table.LooseCodec("a text")) }

func templated(c table.Codec[*string]) table.Codec[*scenarios.Text] {
	text := table.Mapped(c, func(s string, p diag.Pos) scenarios.Text { return scenarios.Text{Source: s, Pos: p} }, writtenText)
	text.Get = func(d *table.Decoder, n *yaml.Node, t *scenarios.Text) bool {
		// Unlike a name, a text may hold bytes that are no UTF-8.
		*t = scenarios.Text{Source: n.Value, Pos: d.Pos(n)}
		switch {
		case !node.IsBytes(n) || !t.IsTemplate():
		case utf8.ValidString(t.Source):
			t.Source = scenarios.EscapeActions(t.Source)
		default:
			t.Literal = true
		}
		return true
	}
	return text
}

// writtenText returns what is written for a text. It is not ok for a generated text, and
// for bytes that would become a template.
func writtenText(t scenarios.Text) (string, bool) {
	bytes := !utf8.ValidString(t.Source) && !ojson.HasSurrogate(t.Source) // is written as !!binary, which is never a template
	switch {
	case bytes:
		return t.Source, !t.IsTemplate()
	case t.Literal: // becomes a template that renders to the text
		return scenarios.EscapeActions(t.Source), true
	}
	return t.Source, t.Repeat == ""
}

// maxTextBytes is the largest size of a text that {repeat, bytes} generates.
const maxTextBytes = 16 << 20

// sizedTextCodec reads a template text, or {repeat, bytes} for a generated one.
func sizedTextCodec() table.Codec[*scenarios.Text] {
	return table.AnyOf(textCodec(), table.Later(sizeOfText, generatedTextSection))
}

// sizeOfText is what messages call a generated text.
const sizeOfText = "{repeat, bytes}"

// generatedTextSection is the mapping {repeat, bytes}.
func generatedTextSection() *table.Section[*scenarios.Text] {
	return &table.Section[*scenarios.Text]{
		Name:  "generated text",
		About: "A text of a given size, for what would be megabytes in the file.",
		Misplaced: map[string]string{
			"text": "write $ in place of the mapping", "type": "leave it out: a text stands alone",
		},
		Fields: []table.Field[*scenarios.Text]{
			table.Required(table.Key("repeat", "What is written again and again.", table.NameCodec("a text"), func(t *scenarios.Text) *string { return &t.Repeat })),
			table.Required(table.Key("bytes", "How long the text is, in bytes. The last repetition may be cut.",
				table.IntCodec[int64]("a number of bytes", 1, maxTextBytes), func(t *scenarios.Text) *int64 { return &t.Bytes })),
		},
	}
}

func optText() table.Codec[*scenarios.Opt[scenarios.Text]] { return table.Nullable(textCodec()) }
func optSizedText() table.Codec[*scenarios.Opt[scenarios.Text]] {
	return table.Nullable(sizedTextCodec())
}

// byCodec reads how a text is cut.
func byCodec() table.Codec[*scenarios.Cut] {
	s := &table.Section[*scenarios.Cut]{
		Name:  "by",
		About: "How a text is cut into pieces of the same size.",
		Fields: []table.Field[*scenarios.Cut]{
			table.Required(table.Key("size", "The number of characters in a piece.", table.IntCodec("a number of characters", 1, 1_000_000), func(b *scenarios.Cut) *int { return &b.Size })),
		},
	}
	unit := table.As(table.WordCodec("token", "word", "rune", "line", "all"), func(c *scenarios.Cut) *string { return &c.Unit })
	return table.AnyOf(unit, s.Codec("{size}"))
}
