package table

import (
	"unicode/utf8"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// TextCodec reads a template text.
func TextCodec() Codec { return templated(SourceCodec("a text")) }

// LooseTextCodec reads a template text. A number or boolean without quotes is a text, too.
func LooseTextCodec() Codec { return templated(LooseCodec("a text")) }

func templated(c Codec) Codec {
	text := Mapped(c, func(s string, p diag.Pos) scenarios.Text { return scenarios.Text{Source: s, Pos: p} }, writtenText)
	text.Get = func(d *Decoder, n *yaml.Node, into any) bool {
		// Unlike a name, a text may hold bytes that are no UTF-8.
		t := into.(*scenarios.Text)
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
