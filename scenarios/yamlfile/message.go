package yamlfile

import (
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// messageCodec reads a message; a text alone is its content.
func messageCodec() table.Codec {
	return table.OrRather(table.AnyOf(contentCodec(), table.Later[scenarios.Message]("a mapping", messageSection)), func(_ *table.Decoder, n *yaml.Node) string {
		if text, ok := table.InLine(n, table.MostInLine); ok && node.ShapeOf(n) == node.List {
			return "write message: { choices: " + text + " } for several choices; answers one after another are replies"
		}
		return ""
	})
}

// contentCodec reads a text as a message that has only this content.
func contentCodec() table.Codec {
	return table.As[scenarios.Message](table.Some[scenarios.Text](table.TextCodec()), "Content")
}

func messageSection() *table.Section {
	s := &table.Section{
		Name:    "message",
		About:   "The finished answer, from which the stream follows.",
		Check:   table.Check(checkMessage),
		Pasted:  pastedCompletion,
		InLines: true,
		Short:   apiNames,
		Misplaced: map[string]string{
			"role":      "leave it out: the role of a message is always assistant; a step of a stream can have another",
			"tool_call": "write tool_calls: [$]",
			"tools":     "write tool_calls for calls that the model makes; when: { tools: f } is a condition on the tools of a request",
		},
	}
	s.Fields = []table.Field{
		contentField(),
		table.Key("fake", "A generated text, in place of content.", table.Later[scenarios.Fake]("a mapping such as {words: 40}", fakeSection)),
		table.Key("refusal", "The text of a refusal.", optSizedText()),
		table.Key("reasoning", "What the model thinks before it answers: a text is the summary.", messageReasoningCodec()),
		table.Key("tool_calls", "Calls of function tools.",
			table.InLines(table.ListOf("a list of calls", namedCall(table.Later[scenarios.ToolCall]("a mapping", toolCallSection))))),
		table.Key("custom_tool_calls", "Calls of custom tools.",
			table.InLines(table.ListOf("a list of calls", table.Later[scenarios.ToolCall]("a mapping", customToolSection)))),
		table.Key("function_call", "A call in the old form, from before there were tools.", table.Later[scenarios.ToolCall]("a mapping", functionCallSection)),
		table.Key("audio", "A spoken answer.", table.Later[scenarios.Audio]("a mapping", audioSection)),
		table.Key("annotations", "Annotations such as url_citation, as they are sent.", table.JSONCodec("a list or null", node.List|node.Null)),
		table.Key("logprobs", "The log-probabilities of the tokens. Default: generated when the request asks; true: always; false: never.", logprobsCodec()),
		table.Key("when_asked", "Sends logprobs only to a request that asks for them."),
		table.Key("finish", "The finish_reason. Default: what follows from the message.", table.Unquoted(optText())),
		table.Key("usage", "The token counts. Default: counted.", usageCodec()),
		table.Key("by", "How the text is cut into chunks. Default: by token.", byCodec()),
	}
	s.Fields = append(s.Fields, table.Key("choices", "For n > 1: a message for each choice. The rest of the message is empty then.",
		table.InLines(table.NonEmpty(table.ListOf("a list of messages", table.AnyOf(contentCodec(), table.Mapping[scenarios.Message]("a mapping", s)))))))
	return s
}

// namedCall also reads the name of a function alone, as a call without arguments.
func namedCall(c table.Codec) table.Codec {
	return table.Shortly(c, node.Text, func(n *yaml.Node) *yaml.Node { return mappingOf("name", n) })
}

// contentField is the key content: a text, or the texts of several parts.
func contentField() table.Field {
	const doc = "The text of the answer. A list has the texts of its parts, on responses."
	texts := table.NonEmpty(table.ListOf("a list of texts", sizedTextCodec()))
	texts = table.Refusing(texts, func(list *[]scenarios.Text) bool {
		return slices.ContainsFunc(*list, func(t scenarios.Text) bool { return t.Source == "" && t.Bytes == 0 })
	}, "leave the empty text out of the list", "a part of the content is empty")
	return table.Either(
		table.Stored("content", doc, optSizedText(), func(m *scenarios.Message, text scenarios.Opt[scenarios.Text]) { m.Content = text },
			func(m *scenarios.Message) (scenarios.Opt[scenarios.Text], bool) {
				return m.Content, m.Content.Present && len(m.Parts) == 0
			}),
		table.Stored("content", doc, texts, func(m *scenarios.Message, list []scenarios.Text) {
			if len(list) > 0 {
				m.Content, m.Parts = scenarios.Some(list[0]), list[1:]
			}
		}, func(m *scenarios.Message) ([]scenarios.Text, bool) {
			return append([]scenarios.Text{m.Content.Value}, m.Parts...), len(m.Parts) > 0
		}),
	)
}

// maxChoices is the largest number of choices that OpenAI sends.
const maxChoices = 128

func checkMessage(d *table.Decoder, m table.Members, v *scenarios.Message) bool {
	ok := d.AtMostOne(m, "", "content", "fake")
	if v.Fake != nil {
		v.Fake.By = v.By
	}
	if l := v.Logprobs; l == nil || l.Off || l.Null {
		ok = d.Refuse(m, "when_asked", "leave it out: it is about logprobs, and this message sends none; usage is sent only on request anyway") && ok
	}
	if m.Key("choices") == nil {
		if len(m.Pairs) == 0 && m.Complete {
			d.Report(m.Node, `for an empty answer, write message: { content: "" }`, "the message is empty")
			return false
		}
		return ok
	}
	beside := func(p node.Pair) bool { return p.Name == "choices" || p.Name == "usage" }
	ok = d.RefuseEach(slices.DeleteFunc(slices.Clone(m.Pairs), beside), "write it in each of the choices", "choices and %s exclude each other") && ok
	if len(v.Choices) > maxChoices {
		d.Report(m.Node, "leave out the others", "the message has %d choices; a request can ask for at most %d with n", len(v.Choices), maxChoices)
		ok = false
	}
	for _, c := range v.Choices {
		if c.Choices != nil || c.Usage != nil {
			d.Problems = append(d.Problems, diag.Problem{Pos: c.Pos, Width: 1, Message: "a choice cannot have choices or usage of its own", Hint: "write usage beside choices, and all choices in one list"})
			ok = false
		}
	}
	return ok
}

func audioSection() *table.Section {
	return &table.Section{
		Name: "audio", About: "A spoken answer.",
		Fields: []table.Field{
			table.Key("id", "The id of the audio. Default: drawn from the seed.", table.Unquoted(optText())),
			table.Required(table.Key("transcript", "What is said.")),
			table.Key("data", "The sound, in base64. Default: silence as long as the transcript takes to say.", table.StringCodec("a text in base64")),
			table.Key("expires_at", "Until when it can be referred to, in seconds since 1970.",
				table.Nullable[int64](table.IntCodec[int64]("a number of seconds", 0, table.MaxSeconds))),
		},
	}
}
