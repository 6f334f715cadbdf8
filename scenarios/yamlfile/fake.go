package yamlfile

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

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
			table.Key("break", "How the JSON text breaks the schema of json_schema.", table.WordCodec(scenarios.Breaks...)),
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
