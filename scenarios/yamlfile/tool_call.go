package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func toolCallSection() *table.Section {
	return &table.Section{
		Name: "tool call", About: "A call of a function tool.", Lone: []string{"name"},
		Fields: append(table.Listed("call", callID(), callName(), callArguments(), piecesField(), callIndex(), callLater(), callExtra()), callBreak()),
		Short: map[string]table.Shorthand{
			"function": {Lift: true}, "type": {Only: "function"}, "args": {As: "arguments"}, "input": {As: "arguments"}, "parameters": {As: "arguments"}, "params": {As: "arguments"},
			"call_id": {As: "id"}, "tool_call_id": {As: "id"}, "tool_name": {As: "name"},
		},
	}
}

func customToolSection() *table.Section {
	return &table.Section{
		Name: "custom tool call", About: "A call of a custom tool.",
		Fields: table.Listed("call", callID(), callName(),
			table.Key("input", "The text that is given to a custom tool, in place of arguments.").In("Arguments.Text"),
			callIndex(), callLater(), callExtra()),
	}
}

func functionCallSection() *table.Section {
	return &table.Section{
		Name: "function call", About: "A call in the old form, from before there were tools.",
		Fields: append(table.Listed("call", callName(), callArguments()), callBreak()),
	}
}

func callID() table.Field {
	return table.Key("id", "The id of the call. Default: drawn from the seed.", table.Unquoted(optText()))
}

func callIndex() table.Field {
	return table.Key("index", "The position of the call. Default: the next one of the choice.", table.IntCodec("an index", 0, 1_000_000))
}

func callName() table.Field {
	return table.Key("name", "The name of the function or tool.", table.Unquoted(optText()))
}

func callArguments() table.Field {
	return table.Key("arguments", "The arguments: JSON text, YAML that becomes JSON, or fake, which invents them to satisfy the schema of the offered tool.",
		argumentsCodec())
}

func callExtra() table.Field {
	return table.Key("extra", "Further members of the call, such as namespace, caller and async on responses.", table.ObjectJSON())
}

func callBreak() table.Field { return breakField().In("Arguments.Break") }

// callLater reads the further members of the fragments of a call after the first one:
// the names of members that are sent again, or members with their values.
func callLater() table.Field {
	s := &table.Section{
		Name: "later fragments", About: "What the fragments of a call have after the first one, beside index and arguments.",
		Fields: table.Listed("call fragment",
			table.Key("id", "Their id.", table.Unquoted(optText())),
			table.Key("type", "Their type.", table.Unquoted(optText())),
			table.Key("name", "Their name.", table.Unquoted(optText())),
		),
	}
	names := table.NonEmpty(table.OneOrMore("a list of members", table.WordCodec("id", "type", "name")))
	repeated := table.As[scenarios.LaterMembers](names, "Repeat")
	return table.Key("later", "Further members of the fragments after the first: a list such as [id, name] repeats members, a mapping gives them.",
		table.AnyOf(repeated, table.Mapping[scenarios.LaterMembers]("a mapping", s)))
}

func fragmentSection() *table.Section {
	text := table.Unquoted(optText())
	return &table.Section{
		Name: "call fragment", About: "A fragment of a call of a tool, as one chunk sends it. What is left out is not sent.",
		Fields: []table.Field{
			table.Key("index", "The position of the call.", table.Nullable[int](table.IntCodec("an index", -1_000_000, 1_000_000))),
			table.Key("id", "The id of the call.", text),
			table.Key("type", "The type of the call: function, custom, or what a server sends in their place.", text),
			table.Key("name", "The name of the function or tool.", text),
			table.Key("arguments", "A piece of the arguments: text, or YAML that becomes JSON.", writtenArguments()),
			table.Key("input", "A piece of the input of a custom tool, in place of arguments."),
		},
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			return d.AtMostOne(m, "", "arguments", "input")
		},
	}
}

// fragmentsCodec reads one fragment of a call, or several for one chunk.
func fragmentsCodec() table.Codec {
	fragment := table.Later[scenarios.CallFragment]("a mapping", fragmentSection)
	return table.AnyOf(table.Single(partial(fragment)), table.NonEmpty(table.ListOf("a list of fragments", fragment)))
}

// writtenArguments reads arguments that the author gives: JSON text, or YAML that
// becomes JSON.
func writtenArguments() table.Codec {
	return table.Refusing(argumentsCodec(), func(a *scenarios.Arguments) bool { return a.Fake },
		"write a whole call, as in tool_call: { name: get_weather, arguments: fake }", "the arguments of a fragment cannot be invented")
}

func argumentsCodec() table.Codec {
	text := table.NewCodec(
		table.Codec{Noun: "JSON text", Shapes: node.Text, AnyText: true, Schema: table.SchemaOf("string")},
		func(d *table.Decoder, n *yaml.Node) (scenarios.Arguments, bool) {
			if n.Value == "fake" && node.IsPlain(n) {
				return scenarios.Arguments{Fake: true}, true
			}
			return scenarios.Arguments{Text: scenarios.Some(scenarios.Text{Source: n.Value, Pos: d.Pos(n)})}, true
		},
		func(a scenarios.Arguments) *yaml.Node {
			switch {
			case a.Fake:
				return node.Plain("fake")
			case a.Value != nil || a.Text.Null:
				return nil
			}
			return table.TextCodec().Write(&a.Text.Value)
		},
	)
	none := table.Null(func() scenarios.Arguments { return scenarios.Arguments{Text: scenarios.NullOf[scenarios.Text]()} },
		func(a scenarios.Arguments) bool { return a.Text.Null && a.Value == nil })
	value := table.As[scenarios.Arguments](table.JSONCodec("a mapping", node.Mapping|node.List), "Value")
	return table.AnyOf(text, none, value)
}

// piecesCodec reads how the arguments of a call are cut.
func piecesCodec() table.Codec {
	count := table.Mapped(table.IntCodec("a number of pieces", 0, 100_000), func(n int, p diag.Pos) scenarios.Pieces { return scenarios.Pieces{Present: true, Count: n, Pos: p} },
		func(p scenarios.Pieces) (int, bool) { return p.Count, p.Present && p.Texts == nil })
	texts := table.Mapped(table.NonEmpty(table.ListOf("a list of texts", table.TextCodec())), func(t []scenarios.Text, p diag.Pos) scenarios.Pieces {
		return scenarios.Pieces{Present: true, Texts: t, Pos: p}
	}, func(p scenarios.Pieces) ([]scenarios.Text, bool) { return p.Texts, p.Texts != nil })
	return table.AnyOf(count, texts)
}

// piecesField is the key pieces of a call, or of the step beside it.
func piecesField() table.Field {
	return table.Listed("call", table.Key("pieces", "How the arguments of a call are cut: into this many pieces (0: all in the opening chunk), or exactly these. Of an item, exactly the pieces of its texts.",
		piecesCodec()))[0]
}
