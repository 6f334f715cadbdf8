package yamlfile

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func fakeSection() *table.Section[*scenarios.Fake] {
	const most = 100_000 // words; what is made of them is bounded to about as many
	return &table.Section[*scenarios.Fake]{
		Name:  "fake",
		About: "Generated content, the same for the same seed: one of words, sentences, paragraphs, template and json_schema.",
		Fields: []table.Field[*scenarios.Fake]{
			table.Key("words", "That many words.", table.IntCodec("a number of words", 1, most), func(f *scenarios.Fake) *int { return &f.Words }),
			table.Key("sentences", "That many sentences.", table.IntCodec("a number of sentences", 1, most/10), func(f *scenarios.Fake) *int { return &f.Sentences }),
			table.Key("paragraphs", "That many paragraphs.", table.IntCodec("a number of paragraphs", 1, most/100), func(f *scenarios.Fake) *int { return &f.Paragraphs }),
			table.Key("template", "A gofakeit template, such as Dear {firstname}.", table.NotEmpty("a text", table.SourceCodec("a text")), func(f *scenarios.Fake) *string { return &f.Template }),
			table.Optional("json_schema", "A JSON text that satisfies a schema: the one of the request's response_format (request), or the one given.",
				jsonSchemaCodec(), func(f *scenarios.Fake) **scenarios.JSONSchema { return &f.JSONSchema }),
			table.Key("break", "How the JSON text breaks the schema of json_schema.", table.WordCodec(scenarios.Breaks...), func(f *scenarios.Fake) *string { return &f.Break }),
		},
		Misplaced: map[string]string{"lorem": "write words: $", "count": "write words: $"},
		Check: func(d *table.Decoder, m table.Members, _ *scenarios.Fake) bool {
			return d.ExactlyOne(m, "fake", "words", "sentences", "paragraphs", "template", "json_schema")
		},
	}
}

func jsonSchemaCodec() table.Codec[*scenarios.JSONSchema] {
	request := table.As(table.Constant("request", true), func(s *scenarios.JSONSchema) *bool { return &s.FromRequest })
	schema := table.As(table.JSONCodec("a schema", node.Mapping), func(s *scenarios.JSONSchema) *ojson.Value { return &s.Schema })
	return table.AnyOf(request, schema)
}
