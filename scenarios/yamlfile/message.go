package yamlfile

import (
	"cmp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// messageCodec reads a message; a text alone is its content.
func messageCodec() table.Codec {
	return table.AnyOf(contentCodec(), table.Pasted(table.Later[scenarios.Message]("a mapping", messageSection), node.Mapping, func(n *yaml.Node) *yaml.Node { return cmp.Or(pastedMessage(n), customApart(n)) }))
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
		InLines: true,
		Short:   apiNames,
	}
	s.Fields = []table.Field{
		contentField(),
		table.Key("fake", "A generated text, in place of content.", table.Later[scenarios.Fake]("a mapping such as {words: 40}", fakeSection)),
		table.Key("refusal", "The text of a refusal.", optSizedText()),
		table.Key("reasoning", "What the model thinks before it answers: a text is the summary.", messageReasoningCodec()),
		table.Key("tool_calls", "Calls of function tools.",
			table.InLines(table.ListOf("a list of calls", table.Shortly(table.Later[scenarios.ToolCall]("a mapping", toolCallSection), node.Text,
				func(name *yaml.Node) *yaml.Node { return mappingOf("name", name) })))),
		table.Key("custom_tool_calls", "Calls of custom tools.",
			table.InLines(table.ListOf("a list of calls", table.Later[scenarios.ToolCall]("a mapping", customToolSection)))),
		table.Key("function_call", "A call in the old form, from before there were tools.", table.Later[scenarios.ToolCall]("a mapping", functionCallSection)),
		table.Key("audio", "A spoken answer.", table.Later[scenarios.Audio]("a mapping", audioSection)),
		table.Key("annotations", "Annotations such as url_citation, as they are sent.", annotationsCodec()),
		table.Key("logprobs", "The log-probabilities of the tokens. Default: generated when the request asks; true: always; false: never.", logprobsCodec()),
		whenAskedField(),
		table.Key("finish", "The finish_reason. Default: what follows from the message.", table.Unquoted(optText())),
		table.Key("usage", "The token counts. Default: counted.", usageCodec()),
		byField(),
	}
	s.Fields = append(s.Fields, table.Key("choices", "For n > 1: a message for each choice. The rest of the message is empty then.",
		table.InLines(table.NonEmpty(table.ListOf("a list of messages", table.AnyOf(contentCodec(), table.Mapping[scenarios.Message]("a mapping", s)))))))
	return s
}

// contentField is the key content: a text, or the texts of several parts.
func contentField() table.Field {
	const doc = "The text of the answer. A list has the texts of its parts, on responses."
	text := table.Pasted(sizedTextCodec(), node.Mapping, partOfText)
	texts := table.NonEmpty(table.ListOf("a list of texts", text))
	texts = table.Refusing(texts, func(list *[]scenarios.Text) bool {
		return slices.ContainsFunc(*list, func(t scenarios.Text) bool { return t.Source == "" && t.Bytes == 0 })
	}, "leave the empty text out of the list", "a part of the content is empty")
	return table.Either(
		table.Stored("content", doc, table.Nullable[scenarios.Text](text), func(m *scenarios.Message, text scenarios.Opt[scenarios.Text]) { m.Content = text },
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

// annotationsCodec reads annotations as JSON; one with the member of a kind has that type.
func annotationsCodec() table.Codec {
	list := table.Pasted(table.JSONCodec("a list", node.List), node.List, func(n *yaml.Node) *yaml.Node {
		typed := *n
		typed.Content = nil
		for _, a := range n.Content {
			if valueOf(a, "type") == nil && hasAny(a, []string{"url_citation", "url"}) {
				with := mappingOf("type", node.Plain("url_citation"))
				with.Content = append(with.Content, a.Content...)
				a = with
			}
			typed.Content = append(typed.Content, a)
		}
		if slices.Equal(typed.Content, n.Content) {
			return nil
		}
		return &typed
	})
	return table.AnyOf(list, table.JSONCodec("null", node.Null))
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
			d.Report(m.Node, `write { content: "" } for an empty answer`, "the message is empty")
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
			table.Required(table.Key("transcript", "The spoken text.")),
			table.Key("data", "The sound, in base64. Default: silence as long as the transcript takes to say.", table.StringCodec("a text in base64")),
			table.Key("expires_at", "Until when it can be referred to, in seconds since 1970.",
				table.Nullable[int64](table.IntCodec[int64]("a number of seconds", 0, table.MaxSeconds))),
		},
	}
}

// usageCodec reads a usage object, or null.
func usageCodec() table.Codec {
	count := table.JSONCodec("a number or null", node.Number|node.Null)
	details := table.JSONCodec("a mapping or null", node.Mapping|node.Null)
	cached := table.Shorthand{As: "cached_tokens", Below: "prompt_tokens_details"}
	prompt, completion := table.Shorthand{Below: "prompt_tokens_details"}, table.Shorthand{Below: "completion_tokens_details"}
	s := &table.Section{
		Name:    "usage",
		About:   "The token counts. What is left out is filled in as the real service would.",
		Foreign: "Object",
		Short: map[string]table.Shorthand{
			"input_tokens": {As: "prompt_tokens"}, "output_tokens": {As: "completion_tokens"}, "input_tokens_details": {As: "prompt_tokens_details"}, "output_tokens_details": {As: "completion_tokens_details"},
			"cached_tokens": prompt, "cache_write_tokens": prompt, "cached_input_tokens": cached, "cache_read_input_tokens": cached,
			"reasoning_tokens": completion, "accepted_prediction_tokens": completion, "rejected_prediction_tokens": completion,
		},
		Fields: []table.Field{
			table.Member("prompt_tokens", "Tokens of the request.", count, "Object"),
			table.Member("completion_tokens", "Tokens of the answer.", count, "Object"),
			table.Member("total_tokens", "Default: the sum.", count, "Object"),
			table.Member("prompt_tokens_details", "Such as { cached_tokens: 1024 }, which can stand beside it, too. Default: zeros.", details, "Object"),
			table.Member("completion_tokens_details", "Such as { reasoning_tokens: 64 }, a part of completion_tokens. Default: zeros.", details, "Object"),
			table.Extra("Further members, such as { cost: 0.1 }, which are sent in the place where extra stands.", "Object"),
		},
		Check: table.Check(func(d *table.Decoder, m table.Members, u *scenarios.Usage) bool {
			if u.Object.IsAbsent() {
				u.Object = ojson.Object()
			}
			return d.OnlyOnce(m, "prompt_tokens", "completion_tokens", "total_tokens", "prompt_tokens_details", "completion_tokens_details")
		}),
	}
	members := table.Mapping[scenarios.Usage]("a mapping", s)
	members.Write = func(from any) *yaml.Node {
		u := from.(*scenarios.Usage)
		if u.Null {
			return nil
		}
		return writtenUsage(u.Object.Members(), members.Keys())
	}
	none := table.As[scenarios.Usage](table.NullCodec(), "Null")
	return table.AnyOf(members, none)
}

// writtenUsage returns the YAML of a usage with these members. Those from the first to the
// last that is no word of the language stand under extra, so that all keep their order.
func writtenUsage(members []ojson.Member, words []string) *yaml.Node {
	foreign := func(m ojson.Member) bool { return !slices.Contains(words, m.Name) || m.Name == "extra" }
	from, to := max(slices.IndexFunc(members, foreign), 0), 0
	for i, m := range members {
		if foreign(m) {
			to = i + 1
		}
	}
	if to > 0 {
		extra := ojson.M("extra", ojson.Object(members[from:to]...))
		members = slices.Concat(members[:from], []ojson.Member{extra}, members[to:])
	}
	return node.FromJSON(ojson.Object(members...))
}

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

func byField() table.Field {
	return table.Listed("message", table.Key("by", "How a text is cut into chunks. Default: by token.", byCodec()))[0]
}

func reasoningSection() *table.Section {
	return &table.Section{
		Name:  "reasoning",
		About: "What the model thinks before it answers.",
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			says := len(m.Among("summary", "text", "encrypted_content", "next")) > 0
			if !says && m.Complete {
				d.Report(m.Node, "add summary or text; for reasoning without a text, write { summary: [] } in a message or { next: item } in a step", "the reasoning is empty")
			}
			return says
		},
		Fields: []table.Field{
			table.Key("summary", "The summary of the reasoning; a list has its parts, in a message.", summaryCodec()),
			table.Key("text", "The reasoning itself: reasoning_text on responses.", optSizedText()),
			table.Key("encrypted_content", "The value that a client sends back in place of the texts; only on responses, for a request that includes it. Default: drawn from the seed."),
			table.Key("next", "In a step, on responses: begins the next part of the summary or of the text, or the next item.",
				table.WordCodec("part", "item")),
			table.Key("field", "The member's name on chat completions. Default: reasoning_content.", table.NameCodec("a name")),
		},
	}
}

// reasoningCodec reads the reasoning of a message or a step; a text alone is the
// summary.
func reasoningCodec() table.Codec {
	text := table.As[scenarios.Reasoning](table.Single(partial(optText())), "Summary")
	return table.AnyOf(text, table.Later[scenarios.Reasoning]("{summary, text}", reasoningSection))
}

// summaryCodec reads the parts of a summary; one alone needs no list.
func summaryCodec() table.Codec {
	part := table.Nullable[scenarios.Text](table.Pasted(sizedTextCodec(), node.Mapping, partOfText))
	return table.AnyOf(table.Single(partial(optSizedText())), table.ListOf("a list of texts", part))
}

func messageReasoningCodec() table.Codec {
	return table.Refusing(reasoningCodec(), func(r *scenarios.Reasoning) bool { return r.Next != "" },
		"write the parts as a list, summary: [..., ...]; several items need a stream", "the reasoning of a message is one item: next has no meaning here")
}

// stepReasoningCodec reads the reasoning of a step, which is the piece of one chunk.
func stepReasoningCodec() table.Codec {
	return table.Validated(reasoningCodec(), func(d *table.Decoder, n *yaml.Node, r *scenarios.Reasoning) bool {
		texts := len(r.Summary)
		if r.Text.Present {
			texts++
		}
		switch {
		case texts > 1:
			d.Report(n, "write a step for each; next: part begins the next part", "the reasoning of a step is one piece, and there are %d", texts)
		case r.Summary != nil && len(r.Summary) == 0:
			d.Report(n, "for reasoning without a text, write { next: item }", "the summary of a step is a piece of text, and this list is empty")
		case r.Next == "part" && texts == 0:
			d.Report(n, "add summary or text", "the next part of the reasoning has no text")
		default:
			return true
		}
		return false
	})
}

// lineCodec reads a template text of one line. If the rendered template has a line
// break, it is replaced when the text is sent.
func lineCodec() table.Codec {
	return table.Validated(table.TextCodec(), func(d *table.Decoder, n *yaml.Node, t *scenarios.Text) bool {
		one := t.IsTemplate() || !strings.ContainsAny(t.Source, "\r\n")
		if !one {
			d.Report(n, "write it in one line", "expected a text in one line, found %s", node.InWords(n))
		}
		return one
	})
}

// sizedTextCodec reads a template text, or {repeat, bytes} for a generated one.
func sizedTextCodec() table.Codec {
	return table.AnyOf(table.TextCodec(), table.Later[scenarios.Text](sizeOfText, generatedTextSection))
}

// sizeOfText is what messages call a generated text.
const sizeOfText = "{repeat, bytes}"

// generatedTextSection is the mapping {repeat, bytes}.
func generatedTextSection() *table.Section {
	return &table.Section{
		Name:  "generated text",
		About: "A text of a given size, for what would be megabytes in the file.",
		Fields: []table.Field{
			table.Required(table.Key("repeat", "What is written again and again.", table.NameCodec("a text"))),
			table.Required(table.Key("bytes", "How long the text is, in bytes. The last repetition may be cut.",
				table.IntCodec[int64]("a number of bytes", 1, scenarios.MaxText))),
		},
	}
}

func optText() table.Codec      { return table.Nullable[scenarios.Text](table.TextCodec()) }
func optSizedText() table.Codec { return table.Nullable[scenarios.Text](sizedTextCodec()) }

func byCodec() table.Codec {
	s := &table.Section{
		Name:  "by",
		About: "How a text is cut into pieces of the same size.",
		Fields: []table.Field{
			table.Required(table.Key("size", "The number of characters in a piece.", table.IntCodec("a number of characters", 1, 1_000_000))),
		},
	}
	unit := table.As[scenarios.Cut](table.WordCodec("token", "word", "rune", "line", "all"), "Unit")
	return table.Shortly(table.AnyOf(unit, table.Mapping[scenarios.Cut]("{size}", s)), node.Number, func(n *yaml.Node) *yaml.Node { return mappingOf("size", n) })
}

func fakeSection() *table.Section {
	const most = 100_000 // words; what is made of them is bounded to about as many
	return &table.Section{
		Name:  "fake",
		About: "Generated content, the same for the same seed: one of words, sentences, paragraphs, template and json_schema.",
		Fields: []table.Field{
			table.Key("words", "That many words.", table.IntCodec("a number of words", 1, most)),
			table.Key("sentences", "That many sentences.", table.IntCodec("a number of sentences", 1, most/10)),
			table.Key("paragraphs", "That many paragraphs.", table.IntCodec("a number of paragraphs", 1, most/100)),
			table.Key("template", "A gofakeit template, such as Dear {firstname}.", table.NotEmpty("a text", table.SourceCodec("a text"))),
			table.Key("json_schema", "A JSON text that satisfies a schema: the one of the request's response_format (request), or the one given.",
				jsonSchemaCodec()),
			breakField(),
		},
		Check: func(d *table.Decoder, m table.Members, _ any) bool {
			return d.ExactlyOne(m, "fake", "words", "sentences", "paragraphs", "template", "json_schema")
		},
	}
}

func jsonSchemaCodec() table.Codec {
	request := table.As[scenarios.JSONSchema](table.Constant("request", true), "FromRequest")
	schema := table.As[scenarios.JSONSchema](table.JSONCodec("a schema", node.Mapping), "Schema")
	return table.AnyOf(request, schema)
}

// breakField is the key break of invented JSON, and of a call whose arguments are invented.
func breakField() table.Field {
	const doc = "How invented JSON breaks its schema: that of json_schema or, in a call with arguments that are fake, that of the offered tool."
	return table.Listed("fake", table.Key("break", doc, table.WordCodec(scenarios.Breaks...)))[0]
}
