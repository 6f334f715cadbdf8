package yamlfile

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// fakeCodec reads generated content.
func fakeCodec() codec[scenarios.Fake] {
	const most = 100_000 // words; what is made of them is bounded to about as many
	s := &section[scenarios.Fake]{
		name:     "fake",
		about:    "Generated content, the same for the same seed: one of words, sentences, paragraphs, template and json_schema.",
		position: func(f *scenarios.Fake) *diag.Pos { return &f.Pos },
		fields: []field[scenarios.Fake]{
			key("words", "That many words.", intCodec("a number of words", 1, most), func(f *scenarios.Fake) *int { return &f.Words }),
			key("sentences", "That many sentences.", intCodec("a number of sentences", 1, most/10), func(f *scenarios.Fake) *int { return &f.Sentences }),
			key("paragraphs", "That many paragraphs.", intCodec("a number of paragraphs", 1, most/100), func(f *scenarios.Fake) *int { return &f.Paragraphs }),
			key("template", "A gofakeit template, such as Dear {firstname}.", notEmpty("a text", sourceCodec("a text")), func(f *scenarios.Fake) *string { return &f.Template }),
			optional("json_schema", "A JSON text that satisfies a schema: the one of the request's response_format (request), or the one given.",
				jsonSchemaCodec(), func(f *scenarios.Fake) **scenarios.JSONSchema { return &f.JSONSchema }),
		},
		check: func(d *decoder, m members, _ *scenarios.Fake) bool {
			return d.exactlyOne(m, "fake", "words", "sentences", "paragraphs", "template", "json_schema")
		},
	}
	return s.codec("a mapping such as {words: 40}")
}

func jsonSchemaCodec() codec[scenarios.JSONSchema] {
	request := mapped(wordCodec("request"), func(string, diag.Pos) scenarios.JSONSchema { return scenarios.JSONSchema{FromRequest: true} },
		func(s scenarios.JSONSchema) (string, bool) { return "request", s.FromRequest })
	schema := mapped(jsonCodec("a schema", node.Mapping), func(v ojson.Value, _ diag.Pos) scenarios.JSONSchema { return scenarios.JSONSchema{Schema: v} },
		func(s scenarios.JSONSchema) (ojson.Value, bool) { return s.Schema, true })
	return anyOf(request, schema)
}
