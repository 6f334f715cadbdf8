package yamlfile

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// expectCodec reads what a client comes to, or a list of what it may come to.
func expectCodec() table.Codec {
	expectation := table.OrRather(table.Later[scenarios.Expectation]("a mapping such as {text: Hi, finish: stop}", expectSection), func(_ *table.Decoder, n *yaml.Node) string {
		if text, ok := table.InLine(n, table.MostInLine); ok && node.ShapeOf(n) == node.Text {
			return "write expect: { text: " + text + " }"
		}
		return ""
	})
	return table.AnyOf(table.Single(expectation), listOfOthers[scenarios.Expectation]("a list of alternatives", expectation, nil))
}

func expectSection() *table.Section {
	text := table.Refusing(sizedTextCodec(), func(t *scenarios.Text) bool { return t.IsTemplate() },
		"write the text that a client reads", "an expected text is no template")
	words := []string{"text", "refusal", "calls", "finish", "usage", "error"}
	return &table.Section{
		Aside: true,
		Name:  "expect",
		About: "What a healthy client comes to. Nobody plays it: clients are judged by it. What is left out is not compared.",
		Fields: []table.Field{
			table.Key("text", "The text of the first choice.", text),
			table.Key("refusal", "The text of its refusal.", text),
			table.Key("calls", "Its calls of tools and functions, in their order; [] is none.",
				table.ListOf("a list of calls", table.Later[scenarios.ExpectedCall]("a mapping", expectedCallSection))),
			table.Key("finish", "Its finish_reason, in the words of chat completions.", table.Unquoted(table.NameCodec("a text"))),
			table.Key("usage", "The token counts that are compared, such as { completion_tokens: 3 }.",
				table.Refusing(usageCodec(), func(u *scenarios.Usage) bool { return u.Null }, "leave it out", "there is nothing to compare with")),
			table.Key("error", "true: an error, because the answer is no whole one; any: an error or none, and without one what stands beside it. Default: no error.", table.AnyOf(table.Mapped(table.TrueCodec(), func(bool, diag.Pos) scenarios.ExpectedError { return scenarios.AnError },
				func(e scenarios.ExpectedError) (bool, bool) { return true, e == scenarios.AnError }), table.Constant("any", scenarios.AnyError))),
		},
		Misplaced: map[string]string{"content": "write text: $", "message": "write text: $", "tool_calls": "write calls: $", "status": "write error: true"},
		Check: table.Check(func(d *table.Decoder, m table.Members, e *scenarios.Expectation) bool {
			given := m.Among(words...)
			others := slices.DeleteFunc(slices.Clone(given), func(p node.Pair) bool { return p.Name == "error" })
			switch {
			case len(given) == 0 && m.Complete:
				d.Report(m.Node, "write what a client comes to, such as { finish: stop }", "nothing is expected")
			case e.Error == scenarios.AnError && len(others) > 0:
				d.Report(others[0].Key, "write error: any if a client may also come to it, or leave it out", "%s is not compared where an error is expected", others[0].Name)
			default:
				return true
			}
			return false
		}),
	}
}

func expectedCallSection() *table.Section {
	return &table.Section{
		Name: "expected call", About: "A call that a client finds.", Lone: []string{"name"},
		Fields: []table.Field{
			table.Key("id", "The id of the call. Default: any.", table.Unquoted(table.NameCodec("an id"))),
			table.Required(table.Key("name", "The name of the function or tool.", table.Unquoted(table.NameCodec("a name")))),
			table.Key("arguments", "The arguments: a mapping is compared as JSON, a text as it is. Default: any.",
				table.JSONCodec("a mapping or a text", node.Mapping|node.Text)),
		},
	}
}
