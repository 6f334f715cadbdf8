package yamlfile

import (
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// lineCodec reads a template text of one line. If the rendered template has a line
// break, it is replaced when the text is sent.
func lineCodec() table.Codec {
	return table.Validated(table.TextCodec(), func(d *table.Decoder, n *yaml.Node, t *scenarios.Text) bool {
		one := t.IsTemplate() || !strings.ContainsAny(t.Source, "\r\n")
		if !one {
			d.Report(n, "write it in one line", "expected a text in one line, found %s", node.InWords(n))
		}
		return one
	})
}

// sizedTextCodec reads a template text, or {repeat, bytes} for a generated one.
func sizedTextCodec() table.Codec {
	return table.AnyOf(table.TextCodec(), table.Later[scenarios.Text](sizeOfText, generatedTextSection))
}

// sizeOfText is what messages call a generated text.
const sizeOfText = "{repeat, bytes}"

// generatedTextSection is the mapping {repeat, bytes}.
func generatedTextSection() *table.Section {
	return &table.Section{
		Name:  "generated text",
		About: "A text of a given size, for what would be megabytes in the file.",
		Misplaced: map[string]string{
			"text": "write $ in place of the mapping", "type": "leave it out: a text stands alone",
		},
		Fields: []table.Field{
			table.Required(table.Key("repeat", "What is written again and again.", table.NameCodec("a text"))),
			table.Required(table.Key("bytes", "How long the text is, in bytes. The last repetition may be cut.",
				table.IntCodec[int64]("a number of bytes", 1, scenarios.MaxText))),
		},
	}
}

func optText() table.Codec      { return table.Nullable[scenarios.Text](table.TextCodec()) }
func optSizedText() table.Codec { return table.Nullable[scenarios.Text](sizedTextCodec()) }

// byCodec reads how a text is cut.
func byCodec() table.Codec {
	s := &table.Section{
		Name:  "by",
		About: "How a text is cut into pieces of the same size.",
		Fields: []table.Field{
			table.Required(table.Key("size", "The number of characters in a piece.", table.IntCodec("a number of characters", 1, 1_000_000))),
		},
	}
	unit := table.As[scenarios.Cut](table.WordCodec("token", "word", "rune", "line", "all"), "Unit")
	return table.Shortly(table.AnyOf(unit, table.Mapping[scenarios.Cut]("{size}", s)), node.Number, func(n *yaml.Node) *yaml.Node { return mappingOf("size", n) })
}

func fakeSection() *table.Section {
	const most = 100_000 // words; what is made of them is bounded to about as many
	return &table.Section{
		Name:  "fake",
		About: "Generated content, the same for the same seed: one of words, sentences, paragraphs, template and json_schema.",
		Fields: []table.Field{
			table.Key("words", "That many words.", table.IntCodec("a number of words", 1, most)),
			table.Key("sentences", "That many sentences.", table.IntCodec("a number of sentences", 1, most/10)),
			table.Key("paragraphs", "That many paragraphs.", table.IntCodec("a number of paragraphs", 1, most/100)),
			table.Key("template", "A gofakeit template, such as Dear {firstname}.", table.NotEmpty("a text", table.SourceCodec("a text"))),
			table.Key("json_schema", "A JSON text that satisfies a schema: the one of the request's response_format (request), or the one given.",
				jsonSchemaCodec()),
			breakField(),
		},
		Misplaced: map[string]string{"lorem": "write words: $", "count": "write words: $"},
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			return d.ExactlyOne(m, "fake", "words", "sentences", "paragraphs", "template", "json_schema")
		},
	}
}

func jsonSchemaCodec() table.Codec {
	request := table.As[scenarios.JSONSchema](table.Constant("request", true), "FromRequest")
	schema := table.As[scenarios.JSONSchema](table.JSONCodec("a schema", node.Mapping), "Schema")
	return table.AnyOf(request, schema)
}

// breakField is the key break of invented JSON, and of a call whose arguments are invented.
func breakField() table.Field {
	const doc = "How invented JSON breaks its schema: that of json_schema or, in a call with arguments that are fake, that of the offered tool."
	return table.Listed("fake", table.Key("break", doc, table.WordCodec(scenarios.Breaks...)))[0]
}
