package yamlfile

import (
	"math"
	"slices"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// scenarioAsWritten is a scenario in the form of its YAML, in which message, stream or
// another answer can stand in the scenario itself instead of a reply.
type scenarioAsWritten struct {
	scenarios.Scenario
	Direct scenarios.Reply
}

const quirksDoc = "The lint rules that are broken on purpose."

// scenarioSection is the root of the table of the language: all other sections are
// reachable from it.
func scenarioSection() *table.Section {
	reply := table.Pasted(partial(table.Later[scenarios.Reply]("a reply", replySection)), node.Mapping, pastedAnswer)
	reply = table.Shortly(reply, node.Text, func(n *yaml.Node) *yaml.Node { return mappingOf("message", n) })
	s := &table.Section{
		Name:        "scenario",
		About:       "One named answer, or row of answers, to the requests it matches. What is pasted from the API is read, too, and fakeopenai fmt writes it in the words that editors know.",
		Check:       table.Check(checkScenarioForm),
		Partial:     true,
		InLines:     true,
		WrittenLast: slices.Concat([]string{"replies"}, answers, []string{"expect"}),
	}
	s.Fields = []table.Field{
		table.Required(table.Key("name", "The name of the scenario, by which a request can ask for it.", table.Unquoted(table.NameCodec("a name")))),
		table.Key("description", "What it is for, for people.", table.SourceCodec("a text")),
		table.Key("tags", "Words to find it by.", table.OneOrMore("a list of names", table.NameCodec("a name"))),
		table.Key("extends", "The scenario whose replies this one takes over and changes.",
			table.NameCodec("the name of a scenario")),
		table.Key("when", "Which requests it answers. All conditions must hold; without any it answers every request.",
			partial(table.Later[scenarios.When]("a mapping of conditions", whenSection))),
		table.Key("replies", "The answers, in order: the first whose condition holds and that is not used up is given.",
			table.InLines(table.NonEmpty(table.ListOf("a list of replies", reply)))),
	}
	s.Fields = append(s.Fields, table.Within("Direct", answerFields())...)
	s.Fields = append(s.Fields,
		table.Key("seed", "Ids, generated text and jitter are drawn from it. The same seed gives the same bytes.",
			table.IntCodec[int64]("a whole number", math.MinInt64, math.MaxInt64)),
		table.Key("strict", "Check requests as api.openai.com does, and answer bad ones with its errors."),
		table.Key("check_history", "Refuse requests whose messages cannot be the history of a conversation with tools."),
		table.Key("limits", "How many requests and tokens each API key can have. A request beyond a limit gets the real service's 429.",
			table.Later[scenarios.Limits]("a mapping such as {rpm: 3}", limitsSection)),
		table.Key("quirks", quirksDoc, table.OneOrMore("a list of lint rules", quirkCodec())),
		noFaultsField("all its replies"),
		table.Key("expect", "What a healthy client comes to, or a list of alternatives.", expectCodec()),
	)
	s.Fields = append(s.Fields, mannerFields()...)
	return s
}

// partial marks the codec of a section whose value is used even if parts of it could
// not be read.
func partial(c table.Codec) table.Codec {
	c.Partial = true
	return c
}

func quirkCodec() table.Codec {
	return table.As[scenarios.Quirk](table.Unquoted(table.NameCodec("a lint rule")), "Rule")
}

// formOf returns the form in which a scenario is written. If its only reply has nothing
// but an answer, the answer is written in the scenario itself.
func formOf(s *scenarios.Scenario) scenarioAsWritten {
	form := scenarioAsWritten{Scenario: *s}
	if len(s.Replies) != 1 {
		return form
	}
	rest := s.Replies[0].AsWritten()
	rest.Message, rest.Stream, rest.Error, rest.Embeddings, rest.Moderations = nil, nil, nil, nil, nil
	if table.IsZeroButPosition(rest) {
		form.Direct, form.Replies = s.Replies[0], nil
	}
	return form
}

var answers = []string{"message", "stream", "error", "embeddings", "moderations"}

// checkScenarioForm makes an answer that stands in the scenario itself its only reply.
// It drops replies whose answer could not be read.
func checkScenarioForm(d *table.Decoder, m table.Members, s *scenarioAsWritten) bool {
	ok := true
	for _, p := range m.Among("extends") {
		s.ExtendsPos = new(d.Pos(p.Value))
	}
	if key := m.Key("check_history"); key != nil {
		s.CheckHistoryPos = d.Pos(key)
	}
	direct := m.Among(answers...)
	switch {
	case len(direct) > 0 && m.Key("replies") != nil:
		d.Report(direct[0].Key, "write it as one of the replies", "%s and replies exclude each other", direct[0].Name)
		ok = false
	case len(direct) > 0:
		ok = !m.Complete || d.AtMostOne(m, "", answers...) // an answer that could not be read has a hint of its own
		s.Direct.Pos = d.Pos(direct[0].Key)
		s.Replies = []scenarios.Reply{s.Direct}
	case m.Key("replies") == nil && s.Extends == "" && s.Manner.Wire.Body != nil:
		s.Replies = []scenarios.Reply{{Message: emptyMessage(), Pos: d.Pos(m.Node)}}
	case m.Key("replies") == nil && s.Extends == "" && m.Complete:
		d.Report(m.Node, "add message, stream, error, replies, or wire with a body", "the scenario has no reply")
		ok = false
	}
	if !ok || !m.Complete {
		s.Replies = withAnswer(s.Replies)
	}
	return ok
}

// emptyMessage is the message of a reply that has only wire.body, which is sent instead
// of a message.
func emptyMessage() *scenarios.Message {
	return &scenarios.Message{Content: scenarios.Some(scenarios.Text{})}
}

func withAnswer(replies []scenarios.Reply) []scenarios.Reply {
	var list []scenarios.Reply
	for _, r := range replies {
		if r.Message != nil || r.Stream != nil || r.Error != nil || r.Whole() != "" {
			list = append(list, r)
		}
	}
	return list
}

func replySection() *table.Section {
	s := &table.Section{
		Name:        "reply",
		About:       "One answer of a scenario: a condition, and one of message, stream, error, embeddings and moderations.",
		Partial:     true,
		InLines:     true,
		WrittenLast: answers,
		Check: table.Check(func(d *table.Decoder, m table.Members, r *scenarios.Reply) bool {
			if len(m.Among(answers...)) == 0 && r.Manner.Wire.Body != nil {
				r.Message = emptyMessage()
				return true
			}
			return d.ExactlyOne(m, "a reply", answers...)
		}),
	}
	s.Fields = append(conditionFields(), table.Listed("scenario", noFaultsField("the reply"))...)
	s.Fields = append(s.Fields,
		table.Key("transcript", "What the sound that a client sends on the Realtime API says. The conversation, and later conditions, have it from then on."))
	s.Fields = append(s.Fields, table.Listed("scenario", answerFields()...)...)
	s.Fields = append(s.Fields, table.Listed("scenario", mannerFields()...)...)
	return s
}

// conditionFields is the keys that say for which requests a reply or a fault is, and how often.
func conditionFields() []table.Field {
	return table.Listed("reply",
		table.Key("when", "Which of the requests it is for.", partial(table.Later[scenarios.When]("a mapping of conditions", whenSection))),
		table.Key("times", "How often it is given to each API key, before the next reply takes over. Default: without limit.",
			table.IntCodec("a number of times", 1, 1_000_000)),
		table.Key("chance", "How likely the reply is for each request, drawn from the seed; otherwise the next reply is tried. Default: always.",
			table.Refusing(table.ChanceCodec(), func(v *float64) bool { return *v == 1 }, "leave it out", "a chance of 1 is always")),
	)
}

func noFaultsField(from string) table.Field {
	no := table.Refusing(table.BoolCodec(), func(v *bool) bool { return *v }, "leave it out; faults are a document of their own, which begins with faults:", "faults can strike each reply anyway")
	return table.Key("faults", "false keeps faults away from "+from+".",
		table.Mapped(no, func(v bool, _ diag.Pos) bool { return !v }, func(v bool) (bool, bool) { return !v, true })).In("NoFaults")
}

func errorField() table.Field {
	return table.Key("error", "An HTTP error instead of an answer. A text alone is its message, a number alone its status.",
		errorCodec[scenarios.APIError]("message: Hello, end: { stall: { after: 0 } }", "message: Hello, end: $", apiErrorSection))
}

// answerFields is the kinds of answers, in a reply or in the scenario itself.
func answerFields() []table.Field {
	return []table.Field{
		table.Key("message", "The finished answer, streamed as the real service would. A text alone is its content.",
			messageCodec()),
		table.Key("stream", "Every chunk, pause and event; only the envelope, the framing and the closing [DONE] are added.",
			table.InLines(table.Pasted(table.OrRather(table.ListOf("a list of steps", stepCodec()), stepsHint), node.Text, pastedStream))),
		errorField(),
		table.Key("embeddings", "Rules for the vectors of a request to /v1/embeddings: the first that holds for an input counts. Default: a vector by its words.",
			embeddingsCodec()),
		table.Key("moderations", "Rules for what is found in each input of a request to /v1/moderations. Default: nothing.",
			moderationsCodec()),
	}
}

func mannerFields() []table.Field {
	return []table.Field{
		table.Key("envelope", "The members that every chunk carries.", table.Later[scenarios.Envelope]("a mapping", envelopeSection)),
		table.Key("pace", "The rhythm of the chunks. Default: all at once.", table.Later[scenarios.Pace]("a mapping", paceSection)),
		table.Key("wire", "How the stream is laid out in bytes. Default: as api.openai.com does.", table.Later[scenarios.Wire]("a mapping", wireSection)),
		table.Key("damage", "Changes of the finished frames on their way, in order.",
			table.InLines(table.OneOrMore("a list of damages", table.Later[scenarios.Damage]("a damage such as {drop: finish}", damageSection)))),
		table.Key("end", "How the stream ends. Default: [DONE], then the orderly end of the HTTP body.", endCodec()),
	}
}

func limitsSection() *table.Section {
	const most = 1_000_000_000
	return &table.Section{
		Name:  "limits",
		About: "How much each API key can have, in a window that slides.",
		Check: table.Check(checkLimits),
		Lone:  []string{"rpm"},
		Fields: []table.Field{
			table.Key("rpm", "How many requests are answered in a window.", table.IntCodec("a number of requests", 1, most)),
			table.Key("tpm", "How many tokens of prompts and answers are spent in a window.", table.IntCodec("a number of tokens", 1, most)),
			table.Key("concurrent", "How many answers are open at the same time.", table.IntCodec("a number of answers", 1, most)),
			table.Key("window", "How long the minute of rpm and tpm is. Default: 1m."),
		},
	}
}

func checkLimits(d *table.Decoder, m table.Members, l *scenarios.Limits) bool {
	window := m.Key("window")
	switch {
	case window != nil && m.Complete && l.Window == 0:
		d.Report(window, "write window: 1s, or leave it out for a minute", "the window must be longer than 0s")
	case window != nil && m.Key("rpm") == nil && m.Key("tpm") == nil:
		d.Report(window, "write rpm or tpm beside it, such as { rpm: 3, window: 2s }", "window has no effect without rpm or tpm")
	case window == nil && m.Complete && l.IsZero():
		d.Report(m.Node, "write limits: { rpm: 3 }, or leave limits out", "the limits are empty")
	default:
		return true
	}
	return false
}

// expectCodec reads the outcome that a client comes to, or a list of outcomes of which it may come to any.
func expectCodec() table.Codec {
	expectation := table.Later[scenarios.Expectation]("a mapping such as {text: Hi, finish: stop}", expectSection)
	return table.AnyOf(table.Single(expectation), listOfOthers[scenarios.Expectation]("a list of alternatives", expectation, nil))
}

func expectSection() *table.Section {
	text := table.Refusing(sizedTextCodec(), func(t *scenarios.Text) bool { return t.IsTemplate() },
		"write the text that a client reads", "an expected text is no template")
	words := []string{"text", "refusal", "calls", "finish", "usage", "error"}
	return &table.Section{
		Aside: true,
		Name:  "expect",
		About: "What a healthy client comes to. Members that are left out are not compared.",
		Fields: []table.Field{
			table.Key("text", "The text of the first choice.", text),
			table.Key("refusal", "The text of its refusal.", text),
			table.Key("calls", "Its calls of tools and functions, in their order; [] for no calls.",
				table.ListOf("a list of calls", table.Later[scenarios.ExpectedCall]("a mapping", expectedCallSection))),
			table.Key("finish", "Its finish_reason, in the words of chat completions.", table.Unquoted(table.NameCodec("a text"))),
			table.Key("usage", "The token counts that are compared, such as { completion_tokens: 3 }.",
				table.Refusing(usageCodec(), func(u *scenarios.Usage) bool { return u.Null }, "leave it out", "there is nothing to compare with")),
			table.Key("error", "true: an error, because the answer is broken; any: an error, or else the rest of the expectation. Default: no error.", table.AnyOf(table.Mapped(table.TrueCodec(), func(bool, diag.Pos) scenarios.ExpectedError { return scenarios.AnError },
				func(e scenarios.ExpectedError) (bool, bool) { return true, e == scenarios.AnError }), table.Constant("any", scenarios.AnyError))),
		},
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

// embeddingsCodec reads the rules of the answer to a request for embeddings; the empty list has
// none.
func embeddingsCodec() table.Codec {
	rule := table.Later[scenarios.EmbeddingRule]("a rule such as {input: Hi, vector: [0.6, 0.8]}", embeddingSection)
	rule = table.Shortly(rule, node.List, func(n *yaml.Node) *yaml.Node { return mappingOf("vector", n) })
	rules := table.Shortly(table.ListOf("a list of rules", rule), node.Mapping|node.List, func(n *yaml.Node) *yaml.Node {
		if len(n.Content) > 1 && n.Kind == yaml.MappingNode && n.Content[1].Kind == yaml.SequenceNode && node.ShapeOf(n.Content[1]) == node.List && !slices.Contains([]string{"vector", "embedding", "data"}, n.Content[0].Value) {
			rules := &yaml.Node{Kind: yaml.SequenceNode}
			for _, p := range node.Members(n) {
				rule := mappingOf("input", node.Quoted(p.Name))
				node.Add(rule, "vector", p.Value)
				rules.Content = append(rules.Content, rule)
			}
			return rules
		}
		if len(n.Content) > 0 && (n.Kind == yaml.MappingNode || node.ShapeOf(n.Content[0]) == node.Number) {
			return listOf(n) // one rule, or one vector
		}
		return nil
	})
	return table.As[scenarios.Embeddings](rules, "Rules")
}

func listOf(item *yaml.Node) *yaml.Node {
	return &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Content: []*yaml.Node{item}}
}

func embeddingSection() *table.Section {
	return &table.Section{
		Name:  "embedding",
		About: "The vector of the inputs for which a condition holds.",
		Fields: []table.Field{
			inputField(),
			table.Required(table.Key("vector", "The vector. It is sent as it is, whatever its length.",
				table.NonEmpty(table.ListOf("a list of numbers", table.NumberCodec("a number", -1e6, 1e6))))),
		},
		Short: map[string]table.Shorthand{"embedding": {As: "vector"}, "object": {Only: "embedding"}},
	}
}

func inputField() table.Field {
	const doc = "The text of the input, for a moderation also the URL of an image. Default: any."
	return table.Listed("embedding", table.Key("input", doc, textMatchCodec()))[0]
}

// moderationsCodec reads the rules of the answer to a request for moderation; the empty list has
// none.
func moderationsCodec() table.Codec {
	rule := table.Later[scenarios.ModerationRule]("a rule such as {input: {contains: kill}, categories: {violence: 0.9}}", moderationSection)
	rules := table.Shortly(table.ListOf("a list of rules", rule), node.Mapping, func(n *yaml.Node) *yaml.Node {
		switch {
		case len(n.Content) == 0:
			return nil
		case slices.Contains(scenarios.ModerationCategories(), n.Content[0].Value):
			n = mappingOf("categories", n)
		}
		return listOf(n)
	})
	return table.As[scenarios.Moderations](rules, "Rules")
}

func moderationSection() *table.Section {
	score := table.AnyOf(
		table.Mapped(table.TrueCodec(), func(bool, diag.Pos) float64 { return sureScore }, func(v float64) (bool, bool) { return true, v == sureScore }),
		table.NumberCodec("a score", 0, 1),
	)
	categories := table.MappingCodec("a mapping of categories to scores", score, func(d *table.Decoder, p node.Pair, v float64) (scenarios.CategoryScore, bool) {
		known := scenarios.ModerationCategories()
		if slices.Contains(known, p.Name) {
			return scenarios.CategoryScore{Category: p.Name, Score: v}, true
		}
		d.Report(p.Key, diag.DidYouMean(p.Name, known), "there is no category %q; there are %s", p.Name, table.OneOf(known))
		return scenarios.CategoryScore{}, false
	}, func(s scenarios.CategoryScore) table.NamedValue[float64] {
		return table.NamedValue[float64]{Name: s.Category, Value: s.Score}
	})
	return &table.Section{
		Name:  "moderation",
		About: "What is found in the inputs for which a condition holds.",
		Fields: []table.Field{
			inputField(),
			table.Required(table.Key("categories", "How sure the service is of each category, from 0 to 1, or true for 0.99. From 0.5 it is flagged, and the input with it.",
				table.NonEmpty(categories)).In("Scores")),
		},
	}
}

// sureScore is the score of a category that is true.
const sureScore = 0.99
