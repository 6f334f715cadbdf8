package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// logprobsCodec reads log-probabilities: true for generated ones, false for none, null,
// or the author's own.
func logprobsCodec() table.Codec[*scenarios.Logprobs] {
	entries := logprobEntriesCodec()
	listed := table.As(table.Pointer(entries), func(l *scenarios.Logprobs) **ojson.Value { return &l.Content })
	flag := table.Mapped(table.BoolCodec(), func(on bool, p diag.Pos) scenarios.Logprobs {
		return scenarios.Logprobs{Generate: on, Off: !on, Pos: p}
	}, func(l scenarios.Logprobs) (on, ok bool) { return l.Generate, l.Generate || l.Off })
	none := table.As(table.NullCodec(), func(l *scenarios.Logprobs) *bool { return &l.Null })
	orNull := table.AnyOf(entries, table.Null(ojson.Null, ojson.Value.IsNull))
	s := &table.Section[*scenarios.Logprobs]{
		Name:  "logprobs",
		About: "The log-probabilities of the content's and the refusal's tokens.",
		Fields: []table.Field[*scenarios.Logprobs]{
			table.Optional("content", "The tokens of the content, or null.", orNull, func(l *scenarios.Logprobs) **ojson.Value { return &l.Content }),
			table.Optional("refusal", "The tokens of the refusal, or null.", orNull, func(l *scenarios.Logprobs) **ojson.Value { return &l.Refusal }),
		},
	}
	return table.AnyOf(listed, flag, none, s.Codec("{content, refusal}"))
}

// logprobEntriesCodec reads a list of tokens as JSON, and describes their members in the
// schema.
func logprobEntriesCodec() table.Codec[*ojson.Value] {
	self := func(v *ojson.Value) *ojson.Value { return v }
	s := &table.Section[*ojson.Value]{
		Name:  "logprobs entry",
		About: "A token and its log-probability.",
	}
	entry := s.Codec("a mapping such as {token, logprob}")
	entry.Write = func(v *ojson.Value) *yaml.Node { return node.FromJSON(*v) }
	entries := table.Mapped(table.ListOf("a list of tokens", entry), func(list []ojson.Value, _ diag.Pos) ojson.Value {
		return ojson.Array(list...)
	}, func(v ojson.Value) ([]ojson.Value, bool) { return v.Items(), v.Kind() == ojson.ArrayKind })
	s.Fields = []table.Field[*ojson.Value]{
		table.Required(table.Member("token", "The text of the token.",
			table.ReadAs(table.SourceCodec("a text"), func(t string, _ diag.Pos) ojson.Value { return ojson.String(t) }), self)),
		table.Member("logprob", "Its log-probability; -9999.0 is a token that was not among the likely ones.", table.JSONCodec("a number", node.Number), self),
		table.Member("bytes", "Its bytes in UTF-8, or null.", table.JSONCodec("a list of bytes or null", node.List|node.Null), self),
		table.Member("top_logprobs", "The likeliest tokens at this place.", entries, self),
	}
	return entries
}
