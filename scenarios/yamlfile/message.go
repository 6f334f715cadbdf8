package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// messageCodec reads a finished answer; a text alone is its content.
func messageCodec() codec[scenarios.Message] {
	s := messageSection()
	return anyOf(contentCodec(), s.codec("a mapping"))
}

// contentCodec reads a text as a message that is nothing but that text.
func contentCodec() codec[scenarios.Message] {
	return mapped(textCodec(), func(t scenarios.Text, p diag.Pos) scenarios.Message {
		return scenarios.Message{Content: scenarios.Some(t), Pos: p}
	}, func(m scenarios.Message) (scenarios.Text, bool) {
		content := m.Content
		m.Content = scenarios.Opt[scenarios.Text]{}
		return content.Value, content.Present && !content.Null && isZeroButPosition(m)
	})
}

func messageSection() *section[scenarios.Message] {
	s := &section[scenarios.Message]{
		name:     "message",
		about:    "The finished answer, from which the stream follows.",
		position: func(m *scenarios.Message) *diag.Pos { return &m.Pos },
		check:    checkMessage,
		pasted:   pastedCompletion,
		inLines:  true,
		misplaced: map[string]string{
			"role":      "the role of an answer is always assistant; a stream can say another",
			"tool_call": "write tool_calls, a list",
		},
	}
	s.fields = []field[scenarios.Message]{
		key("content", "The text of the answer.", optSizedText(), func(m *scenarios.Message) *scenarios.Opt[scenarios.Text] { return &m.Content }),
		optional("fake", "A generated text, in place of content.", fakeCodec(), func(m *scenarios.Message) **scenarios.Fake { return &m.Fake }),
		key("refusal", "The text of a refusal.", optSizedText(), func(m *scenarios.Message) *scenarios.Opt[scenarios.Text] { return &m.Refusal }),
		optional("reasoning", "The reasoning text that other providers stream before the content.",
			reasoningCodec(), func(m *scenarios.Message) **scenarios.Reasoning { return &m.Reasoning }),
		key("tool_calls", "Calls of function tools.",
			inLines(listOf("a list of calls", toolCallSection().codec("a mapping"))), func(m *scenarios.Message) *[]scenarios.ToolCall { return &m.ToolCalls }),
		key("custom_tool_calls", "Calls of custom tools.",
			inLines(listOf("a list of calls", customToolSection().codec("a mapping"))), func(m *scenarios.Message) *[]scenarios.ToolCall { return &m.CustomToolCalls }),
		optional("function_call", "A call in the old form, from before there were tools.",
			functionCallSection().codec("a mapping"), func(m *scenarios.Message) **scenarios.ToolCall { return &m.FunctionCall }),
		optional("audio", "A spoken answer.", audioSection().codec("a mapping"), func(m *scenarios.Message) **scenarios.Audio { return &m.Audio }),
		optional("annotations", "Annotations such as url_citation, as they are sent.",
			jsonCodec("a list or null", node.List|node.Null), func(m *scenarios.Message) **ojson.Value { return &m.Annotations }),
		optional("logprobs", "The log-probabilities of the tokens. Default: generated when the request asks; true: always; false: never.",
			logprobsCodec(), func(m *scenarios.Message) **scenarios.Logprobs { return &m.Logprobs }),
		key("when_asked", "Sends logprobs only to a request that asks for them.", boolCodec(), func(m *scenarios.Message) *bool { return &m.WhenAsked }),
		key("finish", "The finish_reason. Default: what follows from the message.", unquoted(optText()), func(m *scenarios.Message) *scenarios.Opt[scenarios.Text] { return &m.Finish }),
		optional("usage", "The token counts. Default: counted.", usageCodec(), func(m *scenarios.Message) **scenarios.Usage { return &m.Usage }),
		key("by", "How the text is cut into chunks. Default: by token.", byCodec(), func(m *scenarios.Message) *scenarios.Cut { return &m.By }),
	}
	s.fields = append(s.fields, key("choices", "For n > 1: a message for each choice. The rest of the message is empty then.",
		inLines(nonEmpty(listOf("a list of messages", anyOf(contentCodec(), s.codec("a mapping"))))),
		func(m *scenarios.Message) *[]scenarios.Message { return &m.Choices }))
	return s
}

// maxChoices is how many choices OpenAI gives to a request.
const maxChoices = 128

func checkMessage(d *decoder, m members, v *scenarios.Message) bool {
	ok := d.atMostOne(m, "", "content", "fake")
	if v.Fake != nil {
		v.Fake.By = v.By
	}
	if l := v.Logprobs; l == nil || l.Off || l.Null {
		ok = d.refuse(m, "when_asked", "only logprobs can be asked for, and the message sends none; usage is sent to who asks for it anyway") && ok
	}
	if m.key("choices") == nil {
		if len(m.pairs) == 0 && m.complete {
			d.Report(m.node, `an empty answer is {content: ""}`, "the message says nothing")
			return false
		}
		return ok
	}
	for _, p := range m.pairs {
		if p.Name != "choices" && p.Name != "usage" {
			d.Report(p.Key, "write it in each of the choices", "choices and %s exclude each other", p.Name)
			ok = false
		}
	}
	if len(v.Choices) > maxChoices {
		d.Report(m.node, "leave out the others", "the message has %d choices; a request can ask for at most %d with n", len(v.Choices), maxChoices)
		ok = false
	}
	for _, c := range v.Choices {
		if c.Choices != nil || c.Usage != nil {
			d.Problems = append(d.Problems, diag.Problem{Pos: c.Pos, Width: 1, Message: "a choice cannot have choices or usage of its own"})
			ok = false
		}
	}
	return ok
}

func reasoningCodec() codec[scenarios.Reasoning] {
	s := &section[scenarios.Reasoning]{
		name:     "reasoning",
		about:    "A piece of reasoning text and the name of the member that carries it.",
		position: func(r *scenarios.Reasoning) *diag.Pos { return &r.Pos },
		fields: []field[scenarios.Reasoning]{
			required(key("text", "The text.", optSizedText(), func(r *scenarios.Reasoning) *scenarios.Opt[scenarios.Text] { return &r.Text })),
			key("field", "The member's name. Default: reasoning_content.", nameCodec("a name"), func(r *scenarios.Reasoning) *string { return &r.Field }),
			key("by", "In a message, how the text is cut into chunks. Default: as the content.", byCodec(), func(r *scenarios.Reasoning) *scenarios.Cut { return &r.By }),
		},
	}
	text := mapped(nullable(textCodec()), func(t scenarios.Opt[scenarios.Text], p diag.Pos) scenarios.Reasoning {
		return scenarios.Reasoning{Text: t, Pos: p}
	}, func(r scenarios.Reasoning) (scenarios.Opt[scenarios.Text], bool) {
		return r.Text, r.Field == "" && r.By == scenarios.Cut{}
	})
	return anyOf(text, s.codec("{text, field}"))
}

// uncutReasoning reads the reasoning of a step, which is one chunk.
func uncutReasoning() codec[scenarios.Reasoning] {
	return validated(reasoningCodec(), func(d *decoder, n *yaml.Node, r *scenarios.Reasoning) bool {
		cut := r.By != scenarios.Cut{}
		if cut {
			d.Report(n, "write a step for each piece, or a message, whose reasoning is cut", "the reasoning of a step is not cut: by has no meaning here")
		}
		return !cut
	})
}

func audioSection() *section[scenarios.Audio] {
	return &section[scenarios.Audio]{
		name: "audio", about: "A spoken answer.",
		position: func(a *scenarios.Audio) *diag.Pos { return &a.Pos },
		fields: []field[scenarios.Audio]{
			key("id", "The id of the audio. Default: drawn from the seed.", unquoted(optText()), func(a *scenarios.Audio) *scenarios.Opt[scenarios.Text] { return &a.ID }),
			required(key("transcript", "What is said.", textCodec(), func(a *scenarios.Audio) *scenarios.Text { return &a.Transcript })),
			key("data", "The sound, in base64. Default: silence as long as the transcript takes to say.",
				stringCodec("a text in base64"), func(a *scenarios.Audio) *string { return &a.Data }),
			key("expires_at", "Until when it can be referred to, in seconds since 1970.",
				nullable(intCodec[int64]("a number of seconds", 0, maxSeconds)), func(a *scenarios.Audio) *scenarios.Opt[int64] { return &a.ExpiresAt }),
		},
	}
}
