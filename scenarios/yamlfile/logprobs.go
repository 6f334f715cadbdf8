package yamlfile

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// logprobsCodec reads log-probabilities: authored, invented, null or none.
func logprobsCodec() codec[scenarios.Logprobs] {
	entries := logprobEntriesCodec()
	listed := mapped(entries, func(v ojson.Value, p diag.Pos) scenarios.Logprobs { return scenarios.Logprobs{Content: &v, Pos: p} },
		func(l scenarios.Logprobs) (v ojson.Value, ok bool) {
			if l.Content == nil || l.Refusal != nil {
				return v, false
			}
			return *l.Content, true
		})
	flag := mapped(boolCodec(), func(on bool, p diag.Pos) scenarios.Logprobs {
		return scenarios.Logprobs{Generate: on, Off: !on, Pos: p}
	}, func(l scenarios.Logprobs) (on, ok bool) { return l.Generate, l.Generate || l.Off })
	none := mapped(nullCodec(), func(_ bool, p diag.Pos) scenarios.Logprobs { return scenarios.Logprobs{Null: true, Pos: p} },
		func(l scenarios.Logprobs) (bool, bool) { return true, l.Null })
	orNull := anyOf(entries, null(ojson.Null, ojson.Value.IsNull))
	s := &section[scenarios.Logprobs]{
		name:     "logprobs",
		about:    "The log-probabilities of the content's and the refusal's tokens.",
		position: func(l *scenarios.Logprobs) *diag.Pos { return &l.Pos },
		fields: []field[scenarios.Logprobs]{
			optional("content", "The tokens of the content, or null.", orNull, func(l *scenarios.Logprobs) **ojson.Value { return &l.Content }),
			optional("refusal", "The tokens of the refusal, or null.", orNull, func(l *scenarios.Logprobs) **ojson.Value { return &l.Refusal }),
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
	entry := withWriter(s.codec("a mapping such as {token, logprob}"), node.FromJSON)
	entries := mapped(listOf("a list of tokens", entry), func(list []ojson.Value, _ diag.Pos) ojson.Value {
		return ojson.Array(list...)
	}, func(v ojson.Value) ([]ojson.Value, bool) { return v.Items(), v.Kind() == ojson.ArrayKind })
	s.fields = []field[ojson.Value]{
		required(member("token", "The text of the token.",
			readAs(sourceCodec("a text"), func(t string, _ diag.Pos) ojson.Value { return ojson.String(t) }), self)),
		member("logprob", "Its log-probability; -9999.0 is a token that was not among the likely ones.", jsonCodec("a number", node.Number), self),
		member("bytes", "Its bytes in UTF-8, or null.", jsonCodec("a list of bytes or null", node.List|node.Null), self),
		member("top_logprobs", "The likeliest tokens at this place.", entries, self),
	}
	return entries
}
