package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

func toolCallSection() *table.Section[*scenarios.ToolCall] {
	return &table.Section[*scenarios.ToolCall]{
		Name: "tool call", About: "A call of a function tool.", Lone: []string{"name"},
		Fields:    []table.Field[*scenarios.ToolCall]{callID(), callName("function"), callArguments(), callBreak(), callIndex(), callLater()},
		Misplaced: map[string]string{"function": "write name and arguments beside id", "type": "leave it out, it is always function"},
	}
}

func customToolSection() *table.Section[*scenarios.ToolCall] {
	return &table.Section[*scenarios.ToolCall]{
		Name: "custom tool call", About: "A call of a custom tool.",
		Fields: []table.Field[*scenarios.ToolCall]{callID(), callName("tool"),
			table.Key("input", "The text that is given to the tool.", optText(), func(c *scenarios.ToolCall) *scenarios.Opt[scenarios.Text] { return &c.Arguments.Text }),
			callIndex(), callLater()},
	}
}

func functionCallSection() *table.Section[*scenarios.ToolCall] {
	return &table.Section[*scenarios.ToolCall]{
		Name: "function call", About: "A call in the old form, from before there were tools.",
		Fields:    []table.Field[*scenarios.ToolCall]{callName("function"), callArguments(), callBreak()},
		Misplaced: map[string]string{"id": "a call in the old form has no id; write it as tool_call, or in a message under tool_calls"},
	}
}

func callID() table.Field[*scenarios.ToolCall] {
	return table.Key("id", "The id of the call. Default: drawn from the seed.", table.Unquoted(optText()), func(c *scenarios.ToolCall) *scenarios.Opt[scenarios.Text] { return &c.ID })
}

func callIndex() table.Field[*scenarios.ToolCall] {
	return table.Optional("index", "The position of the call. Default: the next one of the choice.",
		table.IntCodec("an index", 0, 1_000_000), func(c *scenarios.ToolCall) **int { return &c.Index })
}

func callName(of string) table.Field[*scenarios.ToolCall] {
	return table.Key("name", "The name of the "+of+".", table.Unquoted(optText()), func(c *scenarios.ToolCall) *scenarios.Opt[scenarios.Text] { return &c.Name })
}

func callArguments() table.Field[*scenarios.ToolCall] {
	return table.Key("arguments", "The arguments: JSON text, YAML that becomes JSON, or fake, which invents them to satisfy the schema of the offered tool.",
		argumentsCodec(), func(c *scenarios.ToolCall) *scenarios.Arguments { return &c.Arguments })
}

func callBreak() table.Field[*scenarios.ToolCall] {
	return table.Key("break", "How arguments that are fake break the schema of the offered tool.", table.WordCodec(scenarios.Breaks...),
		func(c *scenarios.ToolCall) *string { return &c.Arguments.Break })
}

// callLater reads the further members of the fragments of a call after the first one:
// the names of members that are sent again, or members with their values.
func callLater() table.Field[*scenarios.ToolCall] {
	s := &table.Section[*scenarios.LaterMembers]{
		Name: "later fragments", About: "What the fragments of a call have after the first one, beside index and arguments.",
		Fields: []table.Field[*scenarios.LaterMembers]{
			table.Key("id", "Their id.", table.Unquoted(optText()), func(l *scenarios.LaterMembers) *scenarios.Opt[scenarios.Text] { return &l.ID }),
			table.Key("type", "Their type.", table.Unquoted(optText()), func(l *scenarios.LaterMembers) *scenarios.Opt[scenarios.Text] { return &l.Type }),
			table.Key("name", "Their name.", table.Unquoted(optText()), func(l *scenarios.LaterMembers) *scenarios.Opt[scenarios.Text] { return &l.Name }),
		},
	}
	names := table.NonEmpty(table.OneOrMore("a list of members", table.WordCodec("id", "type", "name")))
	repeated := table.As(names, func(l *scenarios.LaterMembers) *[]string { return &l.Repeat })
	return table.Optional("later", "What the fragments after the first have beside index and arguments: a list such as [id, name] repeats these, a mapping gives the members.",
		table.AnyOf(repeated, s.Codec("a mapping")), func(c *scenarios.ToolCall) **scenarios.LaterMembers { return &c.Later })
}

func fragmentSection() *table.Section[*scenarios.CallFragment] {
	text := func(name, doc string, at func(*scenarios.CallFragment) *scenarios.Opt[scenarios.Text]) table.Field[*scenarios.CallFragment] {
		return table.Key(name, doc, table.Unquoted(optText()), at)
	}
	return &table.Section[*scenarios.CallFragment]{
		Name: "call fragment", About: "A fragment of a call of a tool, as one chunk sends it. What is left out is not sent.",
		Fields: []table.Field[*scenarios.CallFragment]{
			table.Key("index", "The position of the call.", table.Nullable(table.IntCodec("an index", -1_000_000, 1_000_000)),
				func(f *scenarios.CallFragment) *scenarios.Opt[int] { return &f.Index }),
			text("id", "The id of the call.", func(f *scenarios.CallFragment) *scenarios.Opt[scenarios.Text] { return &f.ID }),
			text("type", "The type of the call: function, custom, or what a server sends in their place.",
				func(f *scenarios.CallFragment) *scenarios.Opt[scenarios.Text] { return &f.Type }),
			text("name", "The name of the function or tool.", func(f *scenarios.CallFragment) *scenarios.Opt[scenarios.Text] { return &f.Name }),
			table.Key("arguments", "A piece of the arguments: text, or YAML that becomes JSON.",
				writtenArguments(), func(f *scenarios.CallFragment) *scenarios.Arguments { return &f.Arguments }),
			table.Key("input", "A piece of the input of a custom tool, in place of arguments.", optText(), func(f *scenarios.CallFragment) *scenarios.Opt[scenarios.Text] { return &f.Input }),
		},
		Misplaced: map[string]string{
			"function": "write name and arguments beside index",
			"custom":   "write name and input beside index",
		},
		Check: func(d *table.Decoder, m table.Members, _ *scenarios.CallFragment) bool {
			return d.AtMostOne(m, "", "arguments", "input")
		},
	}
}

// fragmentsCodec reads one fragment of a call, or several for one chunk.
func fragmentsCodec() table.Codec[*[]scenarios.CallFragment] {
	fragment := table.Later("a mapping", fragmentSection)
	return table.AnyOf(table.Single(partial(fragment)), table.NonEmpty(table.ListOf("a list of fragments", fragment)))
}

// writtenArguments reads arguments that the author gives: JSON text, or YAML that
// becomes JSON.
func writtenArguments() table.Codec[*scenarios.Arguments] {
	return table.Refusing(argumentsCodec(), func(a *scenarios.Arguments) bool { return a.Fake },
		"write a whole call, as in tool_call: { name: get_weather, arguments: fake }", "the arguments of a fragment cannot be invented")
}

// argumentsCodec reads the arguments of a call.
func argumentsCodec() table.Codec[*scenarios.Arguments] {
	text := table.NewCodec(
		table.Form{Noun: "JSON text", Shapes: node.Text, AnyText: true, Schema: table.SchemaOf("string")},
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
			return textCodec().Write(&a.Text.Value)
		},
	)
	none := table.Null(func() scenarios.Arguments { return scenarios.Arguments{Text: scenarios.NullOf[scenarios.Text]()} },
		func(a scenarios.Arguments) bool { return a.Text.Null && a.Value == nil })
	value := table.As(table.Pointer(table.JSONCodec("a mapping", node.Mapping|node.List)), func(a *scenarios.Arguments) **ojson.Value { return &a.Value })
	return table.AnyOf(text, none, value)
}

// piecesCodec reads how the arguments of a call are cut.
func piecesCodec() table.Codec[*scenarios.Pieces] {
	count := table.Mapped(table.IntCodec("a number of pieces", 0, 100_000), func(n int, p diag.Pos) scenarios.Pieces { return scenarios.Pieces{Present: true, Count: n, Pos: p} },
		func(p scenarios.Pieces) (int, bool) { return p.Count, p.Present && p.Texts == nil })
	texts := table.Mapped(table.NonEmpty(table.ListOf("a list of texts", textCodec())), func(t []scenarios.Text, p diag.Pos) scenarios.Pieces {
		return scenarios.Pieces{Present: true, Texts: t, Pos: p}
	}, func(p scenarios.Pieces) ([]scenarios.Text, bool) { return p.Texts, p.Texts != nil })
	return table.AnyOf(count, texts)
}
