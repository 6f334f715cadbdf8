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
func logprobsCodec() table.Codec {
	entries := logprobEntriesCodec()
	listed := table.As[scenarios.Logprobs](entries, "Content")
	flag := table.Mapped(table.BoolCodec(), func(on bool, p diag.Pos) scenarios.Logprobs {
		return scenarios.Logprobs{Generate: on, Off: !on, Pos: p}
	}, func(l scenarios.Logprobs) (on, ok bool) { return l.Generate, l.Generate || l.Off })
	none := table.As[scenarios.Logprobs](table.NullCodec(), "Null")
	orNull := table.AnyOf(entries, table.Null(ojson.Null, ojson.Value.IsNull))
	s := &table.Section{
		Name:  "logprobs",
		About: "The log-probabilities of the content's and the refusal's tokens.",
		Fields: []table.Field{
			table.Key("content", "The tokens of the content, or null.", orNull),
			table.Key("refusal", "The tokens of the refusal, or null.", orNull),
		},
	}
	return table.AnyOf(listed, flag, none, table.Mapping[scenarios.Logprobs]("{content, refusal}", s))
}

// logprobEntriesCodec reads a list of tokens as JSON, and describes their members in the
// schema.
func logprobEntriesCodec() table.Codec {
	s := &table.Section{
		Name:  "logprobs entry",
		About: "A token and its log-probability.",
	}
	entry := table.Mapping[ojson.Value]("a mapping such as {token, logprob}", s)
	entry.Write = func(from any) *yaml.Node { return node.FromJSON(*from.(*ojson.Value)) }
	entries := table.Mapped(table.ListOf("a list of tokens", entry), func(list []ojson.Value, _ diag.Pos) ojson.Value {
		return ojson.Array(list...)
	}, func(v ojson.Value) ([]ojson.Value, bool) { return v.Items(), v.Kind() == ojson.ArrayKind })
	s.Fields = []table.Field{
		table.Required(table.Member("token", "The text of the token.",
			table.ReadAs(table.SourceCodec("a text"), func(t string, _ diag.Pos) ojson.Value { return ojson.String(t) }), "")),
		table.Member("logprob", "Its log-probability; -9999.0 is a token that was not among the likely ones.", table.JSONCodec("a number", node.Number), ""),
		table.Member("bytes", "Its bytes in UTF-8, or null.", table.JSONCodec("a list of bytes or null", node.List|node.Null), ""),
		table.Member("top_logprobs", "The likeliest tokens at this place.", entries, ""),
	}
	return entries
}
