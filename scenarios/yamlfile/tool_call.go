package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

func toolCallSection() *section[scenarios.ToolCall] {
	return &section[scenarios.ToolCall]{
		name: "tool call", about: "A call of a function tool.", position: callPosition,
		fields:    []field[scenarios.ToolCall]{callID(), callName("function"), callArguments(), callIndex(), callLater()},
		misplaced: map[string]string{"function": "write name and arguments beside id", "type": "leave it out, it is always function"},
	}
}

func customToolSection() *section[scenarios.ToolCall] {
	return &section[scenarios.ToolCall]{
		name: "custom tool call", about: "A call of a custom tool.", position: callPosition,
		fields: []field[scenarios.ToolCall]{callID(), callName("tool"),
			key("input", "The text that is given to the tool.", optText(), func(c *scenarios.ToolCall) *scenarios.Opt[scenarios.Text] { return &c.Arguments.Text }),
			callIndex(), callLater()},
	}
}

func functionCallSection() *section[scenarios.ToolCall] {
	return &section[scenarios.ToolCall]{
		name: "function call", about: "A call in the old form, from before there were tools.", position: callPosition,
		fields:    []field[scenarios.ToolCall]{callName("function"), callArguments()},
		misplaced: map[string]string{"id": "a call in the old form has no id; write it as tool_call, or in a message under tool_calls"},
	}
}

func callPosition(c *scenarios.ToolCall) *diag.Pos { return &c.Pos }

func callID() field[scenarios.ToolCall] {
	return key("id", "The id of the call. Default: drawn from the seed.", unquoted(optText()), func(c *scenarios.ToolCall) *scenarios.Opt[scenarios.Text] { return &c.ID })
}

func callIndex() field[scenarios.ToolCall] {
	return optional("index", "The position of the call. Default: the next one of the choice.",
		intCodec("an index", 0, 1_000_000), func(c *scenarios.ToolCall) **int { return &c.Index })
}

func callName(of string) field[scenarios.ToolCall] {
	return key("name", "The name of the "+of+".", unquoted(optText()), func(c *scenarios.ToolCall) *scenarios.Opt[scenarios.Text] { return &c.Name })
}

func callArguments() field[scenarios.ToolCall] {
	return key("arguments", "The arguments: JSON text, YAML that becomes JSON, or fake, which invents them to satisfy the schema of the offered tool.",
		argumentsCodec(), func(c *scenarios.ToolCall) *scenarios.Arguments { return &c.Arguments })
}

// callLater is what the fragments of a call have after the first one: names of
// members that are sent again, or the members themselves.
func callLater() field[scenarios.ToolCall] {
	s := &section[scenarios.LaterMembers]{
		name: "later fragments", about: "What the fragments of a call have after the first one, beside index and arguments.",
		position: func(l *scenarios.LaterMembers) *diag.Pos { return &l.Pos },
		fields: []field[scenarios.LaterMembers]{
			key("id", "Their id.", unquoted(optText()), func(l *scenarios.LaterMembers) *scenarios.Opt[scenarios.Text] { return &l.ID }),
			key("type", "Their type.", unquoted(optText()), func(l *scenarios.LaterMembers) *scenarios.Opt[scenarios.Text] { return &l.Type }),
			key("name", "Their name.", unquoted(optText()), func(l *scenarios.LaterMembers) *scenarios.Opt[scenarios.Text] { return &l.Name }),
		},
	}
	repeated := mapped(nonEmpty(oneOrMore("a list of members", wordCodec("id", "type", "name"))), func(names []string, p diag.Pos) scenarios.LaterMembers {
		return scenarios.LaterMembers{Repeat: names, Pos: p}
	}, func(l scenarios.LaterMembers) ([]string, bool) { return l.Repeat, l.Repeat != nil })
	return optional("later", "What the fragments after the first have beside index and arguments: a list such as [id, name] repeats these, a mapping gives the members.",
		anyOf(repeated, s.codec("a mapping")), func(c *scenarios.ToolCall) **scenarios.LaterMembers { return &c.Later })
}

// fragmentsCodec reads one fragment of a call, or several for one chunk.
func fragmentsCodec() codec[[]scenarios.CallFragment] {
	text := func(name, doc string, at func(*scenarios.CallFragment) *scenarios.Opt[scenarios.Text]) field[scenarios.CallFragment] {
		return key(name, doc, unquoted(optText()), at)
	}
	s := &section[scenarios.CallFragment]{
		name: "call fragment", about: "A fragment of a call of a tool, as one chunk sends it. What is left out is not sent.",
		position: func(f *scenarios.CallFragment) *diag.Pos { return &f.Pos },
		fields: []field[scenarios.CallFragment]{
			key("index", "The position of the call.", nullable(intCodec("an index", -1_000_000, 1_000_000)),
				func(f *scenarios.CallFragment) *scenarios.Opt[int] { return &f.Index }),
			text("id", "The id of the call.", func(f *scenarios.CallFragment) *scenarios.Opt[scenarios.Text] { return &f.ID }),
			text("type", "The type of the call: function, custom, or what a server sends in their place.",
				func(f *scenarios.CallFragment) *scenarios.Opt[scenarios.Text] { return &f.Type }),
			text("name", "The name of the function or tool.", func(f *scenarios.CallFragment) *scenarios.Opt[scenarios.Text] { return &f.Name }),
			key("arguments", "A piece of the arguments: text, or YAML that becomes JSON.",
				writtenArguments(), func(f *scenarios.CallFragment) *scenarios.Arguments { return &f.Arguments }),
			key("input", "A piece of the input of a custom tool, in place of arguments.", optText(), func(f *scenarios.CallFragment) *scenarios.Opt[scenarios.Text] { return &f.Input }),
		},
		misplaced: map[string]string{
			"function": "write name and arguments beside index",
			"custom":   "write name and input beside index",
		},
		check: func(d *decoder, m members, _ *scenarios.CallFragment) bool {
			return d.atMostOne(m, "", "arguments", "input")
		},
	}
	one := mapped(s.codec("a mapping"), func(f scenarios.CallFragment, _ diag.Pos) []scenarios.CallFragment {
		return []scenarios.CallFragment{f}
	},
		func(list []scenarios.CallFragment) (f scenarios.CallFragment, ok bool) {
			if len(list) != 1 {
				return f, false
			}
			return list[0], true
		})
	return anyOf(one, nonEmpty(listOf("a list of fragments", s.codec("a mapping"))))
}

// writtenArguments reads arguments that are not invented.
func writtenArguments() codec[scenarios.Arguments] {
	return validated(argumentsCodec(), func(d *decoder, n *yaml.Node, a *scenarios.Arguments) bool {
		if a.Fake {
			d.Report(n, "write a whole call, as in tool_call: { name: get_weather, arguments: fake }", "the arguments of a fragment cannot be invented")
		}
		return !a.Fake
	})
}

// argumentsCodec reads the arguments of a call.
func argumentsCodec() codec[scenarios.Arguments] {
	text := codec[scenarios.Arguments]{
		noun: "JSON text", shapes: node.Text, anyText: true,
		get: func(d *decoder, n *yaml.Node) (scenarios.Arguments, bool) {
			if n.Value == "fake" && node.IsPlain(n) {
				return scenarios.Arguments{Fake: true}, true
			}
			return scenarios.Arguments{Text: scenarios.Some(scenarios.Text{Source: n.Value, Pos: d.Pos(n)})}, true
		},
		write: func(a scenarios.Arguments) *yaml.Node {
			switch {
			case a.Fake:
				return node.Plain("fake")
			case a.Value != nil || a.Text.Null:
				return nil
			}
			return textCodec().write(a.Text.Value)
		},
		schema: schema.Of("string"),
	}
	none := null(func() scenarios.Arguments { return scenarios.Arguments{Text: scenarios.NullOf[scenarios.Text]()} },
		func(a scenarios.Arguments) bool { return a.Text.Null && a.Value == nil })
	value := mapped(jsonCodec("a mapping", node.Mapping|node.List), func(v ojson.Value, _ diag.Pos) scenarios.Arguments { return scenarios.Arguments{Value: &v} },
		func(a scenarios.Arguments) (v ojson.Value, ok bool) {
			if a.Value == nil {
				return v, false
			}
			return *a.Value, true
		})
	return anyOf(text, none, value)
}

// piecesCodec reads how the arguments of a call are cut.
func piecesCodec() codec[scenarios.Pieces] {
	count := mapped(intCodec("a number of pieces", 0, 100_000), func(n int, p diag.Pos) scenarios.Pieces { return scenarios.Pieces{Present: true, Count: n, Pos: p} },
		func(p scenarios.Pieces) (int, bool) { return p.Count, p.Present && p.Texts == nil })
	texts := mapped(nonEmpty(listOf("a list of texts", textCodec())), func(t []scenarios.Text, p diag.Pos) scenarios.Pieces {
		return scenarios.Pieces{Present: true, Texts: t, Pos: p}
	}, func(p scenarios.Pieces) ([]scenarios.Text, bool) { return p.Texts, p.Texts != nil })
	return anyOf(count, texts)
}
