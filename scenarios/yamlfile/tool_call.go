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
		fields:    []field[scenarios.ToolCall]{callID(), callName("function"), callArguments(), callIndex()},
		misplaced: map[string]string{"function": "write name and arguments beside id", "type": "leave it out, it is always function"},
	}
}

func customToolSection() *section[scenarios.ToolCall] {
	return &section[scenarios.ToolCall]{
		name: "custom tool call", about: "A call of a custom tool.", position: callPosition,
		fields: []field[scenarios.ToolCall]{callID(), callName("tool"),
			key("input", "The text that is given to the tool.", optText(), func(c *scenarios.ToolCall) *scenarios.Opt[scenarios.Text] { return &c.Arguments.Text }),
			callIndex()},
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
