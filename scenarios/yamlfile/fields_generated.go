package yamlfile

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// byCodec reads how a text is cut.
func byCodec() codec[scenarios.By] {
	s := &section[scenarios.By]{
		name:  "by",
		about: "How a text is cut into pieces of the same size.",
		fields: []field[scenarios.By]{
			required(key("size", "The number of characters in a piece.", intCodec("a number of characters", 1, 1_000_000), func(b *scenarios.By) *int { return &b.Size })),
		},
	}
	unit := as(wordCodec("token", "word", "rune", "line", "all"), func(u string, _ diag.Pos) scenarios.By { return scenarios.By{Unit: u} })
	return anyOf(unit, s.codec("{size}"))
}

// fakeCodec reads generated content.
func fakeCodec() codec[scenarios.Fake] {
	const most = 100_000 // words; what is made of them is bounded to about as many
	s := &section[scenarios.Fake]{
		name:  "fake",
		about: "Generated content, the same for the same seed: one of words, sentences, paragraphs, template and json_schema.",
		place: func(f *scenarios.Fake) *diag.Pos { return &f.Pos },
		fields: []field[scenarios.Fake]{
			key("words", "That many words.", intCodec("a number of words", 1, most), func(f *scenarios.Fake) *int { return &f.Words }),
			key("sentences", "That many sentences.", intCodec("a number of sentences", 1, most/10), func(f *scenarios.Fake) *int { return &f.Sentences }),
			key("paragraphs", "That many paragraphs.", intCodec("a number of paragraphs", 1, most/100), func(f *scenarios.Fake) *int { return &f.Paragraphs }),
			key("template", "A gofakeit template, such as Dear {firstname}.", nameCodec("a text"), func(f *scenarios.Fake) *string { return &f.Template }),
			maybe("json_schema", "A JSON text that satisfies a schema: the one of the request's response_format (request), or the one given.",
				jsonSchemaCodec(), func(f *scenarios.Fake) **scenarios.JSONSchema { return &f.JSONSchema }),
		},
		check: func(d *decoder, m members, _ *scenarios.Fake) bool {
			return d.exactlyOne(m, "fake", "words", "sentences", "paragraphs", "template", "json_schema")
		},
	}
	return s.codec("a mapping such as {words: 40}")
}

func jsonSchemaCodec() codec[scenarios.JSONSchema] {
	request := as(wordCodec("request"), func(string, diag.Pos) scenarios.JSONSchema { return scenarios.JSONSchema{FromRequest: true} })
	schema := as(jsonCodec("a schema", shapeMapping), func(v ojson.Value, _ diag.Pos) scenarios.JSONSchema { return scenarios.JSONSchema{Schema: v} })
	return anyOf(request, schema)
}

// logprobsCodec reads log-probabilities: authored, invented, null or none.
func logprobsCodec() codec[scenarios.Logprobs] {
	entries := logprobEntriesCodec()
	listed := as(entries, func(v ojson.Value, p diag.Pos) scenarios.Logprobs { return scenarios.Logprobs{Content: &v, Pos: p} })
	flag := as(boolCodec(), func(on bool, p diag.Pos) scenarios.Logprobs {
		return scenarios.Logprobs{Generate: on, Off: !on, Pos: p}
	})
	none := as(null(func() bool { return true }), func(_ bool, p diag.Pos) scenarios.Logprobs { return scenarios.Logprobs{Null: true, Pos: p} })
	orNull := anyOf(entries, null(ojson.Null))
	s := &section[scenarios.Logprobs]{
		name:  "logprobs",
		about: "The log-probabilities of the content's and the refusal's tokens.",
		place: func(l *scenarios.Logprobs) *diag.Pos { return &l.Pos },
		fields: []field[scenarios.Logprobs]{
			maybe("content", "The tokens of the content, or null.", orNull, func(l *scenarios.Logprobs) **ojson.Value { return &l.Content }),
			maybe("refusal", "The tokens of the refusal, or null.", orNull, func(l *scenarios.Logprobs) **ojson.Value { return &l.Refusal }),
		},
	}
	return anyOf(listed, flag, none, s.codec("{content, refusal}"))
}

// logprobEntriesCodec reads a list of tokens as JSON, and knows their members.
func logprobEntriesCodec() codec[ojson.Value] {
	self := func(v *ojson.Value) *ojson.Value { return v }
	s := &section[ojson.Value]{
		name:  "logprobs entry",
		about: "A token and its log-probability.",
	}
	entries := as(listOf("a list of tokens", s.codec("a mapping such as {token, logprob}")), func(list []ojson.Value, _ diag.Pos) ojson.Value {
		return ojson.Array(list...)
	})
	s.fields = []field[ojson.Value]{
		required(member("token", "The text of the token.",
			as(stringCodec("a text"), func(t string, _ diag.Pos) ojson.Value { return ojson.String(t) }), self)),
		member("logprob", "Its log-probability; -9999.0 is a token that was not among the likely ones.", jsonCodec("a number", shapeNumber), self),
		member("bytes", "Its bytes in UTF-8, or null.", jsonCodec("a list of bytes or null", shapeList|shapeNull), self),
		member("top_logprobs", "The likeliest tokens at this place.", entries, self),
	}
	return entries
}

// usageCodec reads a usage object, or null.
func usageCodec() codec[scenarios.Usage] {
	object := func(u *scenarios.Usage) *ojson.Value { return &u.Object }
	count := jsonCodec("a number or null", shapeNumber|shapeNull)
	details := jsonCodec("a mapping or null", shapeMapping|shapeNull)
	s := &section[scenarios.Usage]{
		name:  "usage",
		about: "The token counts. What is left out is filled in as the real service would; other keys are sent as they are.",
		place: func(u *scenarios.Usage) *diag.Pos { return &u.Pos },
		rest:  object,
		fields: []field[scenarios.Usage]{
			member("prompt_tokens", "Tokens of the request.", count, object),
			member("completion_tokens", "Tokens of the answer.", count, object),
			member("total_tokens", "Default: the sum.", count, object),
			member("prompt_tokens_details", "Default: zeros.", details, object),
			member("completion_tokens_details", "Default: zeros.", details, object),
		},
		check: func(_ *decoder, _ members, u *scenarios.Usage) bool {
			if u.Object.IsAbsent() {
				u.Object = ojson.Object()
			}
			return true
		},
	}
	none := as(null(func() bool { return true }), func(_ bool, p diag.Pos) scenarios.Usage { return scenarios.Usage{Null: true, Pos: p} })
	return anyOf(s.codec("a mapping"), none)
}
