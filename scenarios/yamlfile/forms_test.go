package yamlfile_test

import (
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// Each row is one form in which something can be written, and its meaning. The test adds the rest
// of the scenario.
func TestForms(t *testing.T) {
	t.Parallel()
	step := func(get func(scenarios.Step) any) func(*scenarios.Scenario) any {
		return func(s *scenarios.Scenario) any { return get((*s.Replies[0].Stream)[0]) }
	}
	message := func(get func(scenarios.Message) any) func(*scenarios.Scenario) any {
		return func(s *scenarios.Scenario) any { return get(*s.Replies[0].Message) }
	}
	data := step(func(s scenarios.Step) any { return s.Event.Data.Value.Source })
	for _, c := range []struct {
		name, yaml string
		get        func(*scenarios.Scenario) any
		want       any
	}{
		{"a text is the message's content", "message: Hi", message(func(m scenarios.Message) any { return m.Content.Value.Source }), "Hi"},
		{"null is present", "message: { content: null }", message(func(m scenarios.Message) any { return m.Content.Present && m.Content.Null }), true},
		{"an empty text is not null", "message: { content: '' }", message(func(m scenarios.Message) any { return m.Content.Present && !m.Content.Null }), true},
		{"what is not written is not present", "message: { refusal: no }", message(func(m scenarios.Message) any { return m.Content.Present }), false},
		{"a size", "message: { content: { repeat: ab, bytes: 7 } }", message(func(m scenarios.Message) any { return m.Content.Value.Repeat + string(rune('0'+m.Content.Value.Bytes)) }), "ab7"},
		{"arguments as JSON text", "message: { tool_calls: [{ arguments: '{}' }] }", message(func(m scenarios.Message) any { return m.ToolCalls[0].Arguments.Text.Value.Source }), "{}"},
		{"arguments as YAML keep order and spelling", "message: { tool_calls: [{ arguments: { b: 1.0, a: -2e3 } }] }",
			message(func(m scenarios.Message) any { return m.ToolCalls[0].Arguments.Value.String() }), `{"b":1.0,"a":-2e3}`},
		{"invented arguments", "message: { tool_calls: [{ arguments: fake }] }", message(func(m scenarios.Message) any { return m.ToolCalls[0].Arguments.Fake }), true},
		{"the text fake in quotes", "message: { tool_calls: [{ arguments: 'fake' }] }", message(func(m scenarios.Message) any { return m.ToolCalls[0].Arguments.Fake }), false},
		{"by of a message with fake", "message: { fake: { words: 3 }, by: { size: 4 } }", message(func(m scenarios.Message) any { return m.Fake.By.Size }), 4},
		{"logprobs: true", "message: { content: a, logprobs: true }", message(func(m scenarios.Message) any { return m.Logprobs.Generate }), true},
		{"logprobs: false", "message: { content: a, logprobs: false }", message(func(m scenarios.Message) any { return m.Logprobs.Off }), true},
		{"logprobs: null", "message: { content: a, logprobs: null }", message(func(m scenarios.Message) any { return m.Logprobs.Null }), true},
		{"a list of logprobs is that of the content", "message: { content: a, logprobs: [{ token: a, logprob: -9999.0 }] }",
			message(func(m scenarios.Message) any { return m.Logprobs.Content.String() }), `[{"token":"a","logprob":-9999.0}]`},
		{"usage: null", "message: { content: a, usage: null }", message(func(m scenarios.Message) any { return m.Usage.Null }), true},
		{"usage keeps other members", "message: { content: a, usage: { prompt_tokens: 3, extra: { cached: true } } }",
			message(func(m scenarios.Message) any { return m.Usage.Object.String() }), `{"prompt_tokens":3,"cached":true}`},
		{"cached tokens are one of the details", "message: { content: a, usage: { cached_tokens: 3 } }",
			message(func(m scenarios.Message) any { return m.Usage.Object.String() }), `{"prompt_tokens_details":{"cached_tokens":3}}`},
		{"and stand beside other details", "message: { content: a, usage: { reasoning_tokens: 3, completion_tokens_details: { audio_tokens: 1 }, accepted_prediction_tokens: 2 } }",
			message(func(m scenarios.Message) any { return m.Usage.Object.String() }), `{"completion_tokens_details":{"audio_tokens":1,"reasoning_tokens":3,"accepted_prediction_tokens":2}}`},
		{"a call as the API writes it", "message: { tool_calls: [{ type: function, function: { name: f, arguments: '{}' } }] }", message(func(m scenarios.Message) any { return m.ToolCalls[0].Name.Value.Source }), "f"},
		{"a call by its name", "message: { tool_calls: [f] }", message(func(m scenarios.Message) any { return m.ToolCalls[0].Name.Value.Source }), "f"},
		{"a number of characters", "message: { content: abc, by: 2 }", message(func(m scenarios.Message) any { return m.By.Size }), 2},
		{"finish as the API calls it", "message: { content: abc, finish_reason: length }", message(func(m scenarios.Message) any { return m.Finish.Value.Source }), "length"},
		{"a cut after whole events", "message: a\nend: { cut: 3 }", func(s *scenarios.Scenario) any { return *s.End.After == 3 && !*s.End.Inside }, true},
		{"an item by its type", "stream: [{ item: web_search_call }]", step(func(s scenarios.Step) any { return s.Item.Type() }), "web_search_call"},
		{"headers as they are called elsewhere", "when: { headers: { X-A: b } }\nmessage: a", func(s *scenarios.Scenario) any { return s.When.Header[0].Name }, "X-A"},
		{"one vector", "embeddings: [0.6, 0.8]", func(s *scenarios.Scenario) any { return len(s.Replies[0].Embeddings.Rules[0].Vector) }, 2},
		{"one vector in a list", "embeddings: [[0.6, 0.8]]", func(s *scenarios.Scenario) any { return len(s.Replies[0].Embeddings.Rules[0].Vector) }, 2},
		{"one category", "moderations: { violence: true }", func(s *scenarios.Scenario) any { return s.Replies[0].Moderations.Rules[0].Scores[0].Category }, "violence"},
		{"reasoning as a text", "message: { reasoning: Hm. }", message(func(m scenarios.Message) any { return m.Reasoning.Summary[0].Value.Source }), "Hm."},
		{"reasoning with a field", "message: { reasoning: { text: Hm., field: thinking } }", message(func(m scenarios.Message) any { return m.Reasoning.Field }), "thinking"},

		{"heartbeat: true", "stream: [{ heartbeat: true }]", step(func(s scenarios.Step) any { return s.Heartbeat }), 1},
		{"heartbeat: {}", "stream: [{ heartbeat: {} }]", step(func(s scenarios.Step) any { return s.Heartbeat }), 1},
		{"heartbeat: 3", "stream: [{ heartbeat: 3 }]", step(func(s scenarios.Step) any { return s.Heartbeat }), 3},
		{"by beside text", "stream: [{ text: a b, by: word }]", step(func(s scenarios.Step) any { return s.Text.By.Unit }), "word"},
		{"by beside fake", "stream: [{ fake: { words: 2 }, by: rune }]", step(func(s scenarios.Step) any { return s.Fake.By.Unit }), "rune"},
		{"a number of pieces", "stream: [{ tool_call: { name: f }, pieces: 0 }]", step(func(s scenarios.Step) any { return s.Pieces.Present && s.Pieces.Count == 0 }), true},
		{"pieces as texts", "stream: [{ tool_call: { name: f }, pieces: [a, b] }]", step(func(s scenarios.Step) any { return s.Pieces.Texts[1].Source }), "b"},
		{"no pieces", "stream: [{ tool_call: { name: f } }]", step(func(s scenarios.Step) any { return s.Pieces.Present }), false},
		{"the input of a custom tool", "stream: [{ custom_tool: { name: f, input: x } }]", step(func(s scenarios.Step) any { return s.CustomTool.Arguments.Text.Value.Source }), "x"},
		{"a pause of nothing", "stream: [{ content: a, after: 0 }]", step(func(s scenarios.Step) any { return *s.After }), time.Duration(0)},
		{"done: false", "stream: [{ done: false }]", step(func(s scenarios.Step) any { return *s.Done }), false},
		{"an error as a text", "stream: [{ error: Gone. }]", step(func(s scenarios.Step) any { return s.Error.Message.Value.Source }), "Gone."},
		{"an error as a number", "stream: [{ error: 503 }]", step(func(s scenarios.Step) any { return s.Error.Status == 503 && !s.Error.Message.Present }), true},
		{"data as a mapping", "stream: [event: { data: { type: ping, n: 1 } }]", data, `{"type":"ping","n":1}`},
		{"data as an empty mapping", "stream: [event: { data: {} }]", data, `{}`},
		{"data as a list", "stream: [event: { data: [] }]", data, `[]`},
		{"data as null", "stream: [event: { data: null }]", data, `null`},
		{"data as a number", "stream: [event: { data: 1 }]", data, `1`},
		{"data by size", "stream: [event: { data: { repeat: a, bytes: 3 } }]", step(func(s scenarios.Step) any { return s.Event.Data.Value.Bytes }), int64(3)},
		{"a template in data", "stream: [event: { data: { user: '{{ .api_key }}' } }]", data, `{"user":"{{ .api_key }}"}`},
		{"other members of an error", "stream: [{ error: { message: a, extra: { hint: b, cod: 1 } } }]", step(func(s scenarios.Step) any { return s.Error.Extra.String() }), `{"hint":"b","cod":1}`},
		{"a single path to omit", "stream: [{ content: a, omit: delta.refusal }]", step(func(s scenarios.Step) any { return s.Omit[0].String() }), "delta.refusal"},
		{"set takes any JSON", "stream: [{ content: a, set: { usage: { a: [1, null, x] } } }]", step(func(s scenarios.Step) any { return s.Set[0].Value.String() }), `{"a":[1,null,"x"]}`},
		{"a number as the retry of an event", "stream: [{ event: { retry: 0x10 } }]", step(func(s scenarios.Step) any { return s.Event.Retry.Value.Source }), "0x10"},
		{"tool_calls: null", "stream: [{ tool_calls: null }]", step(func(s scenarios.Step) any { return *s.ToolCalls }), ojson.Null()},

		{"created: per_chunk", "message: a\nenvelope: { created: per_chunk }", func(s *scenarios.Scenario) any { return s.Envelope.CreatedPerChunk }, true},
		{"other members of the envelope", "message: a\nenvelope: { extra: { region: eu, ids: 1 } }", func(s *scenarios.Scenario) any { return s.Envelope.Extra.String() }, `{"region":"eu","ids":1}`},
		{"an HTTP error as a number", "error: 429", func(s *scenarios.Scenario) any { return s.Replies[0].Error.Status }, 429},
		{"no [DONE]", "message: a\nwire: { done: false }", func(s *scenarios.Scenario) any { return *s.Wire.Done }, 0},
		{"split by a word", "message: a\nwire: { split: crlf }", func(s *scenarios.Scenario) any { return s.Wire.Split.By }, "crlf"},
		{"split by a size", "message: a\nwire: { split: 5 }", func(s *scenarios.Scenario) any { return s.Wire.Split.Size }, 5},
		{"a header with two values", "message: a\nwire: { headers: { A: [b, 1] } }", func(s *scenarios.Scenario) any { return s.Wire.Headers[1].Name + s.Wire.Headers[1].Value.Source }, "A1"},
		{"end as a word", "message: a\nend: reset", func(s *scenarios.Scenario) any { return s.End.Kind }, scenarios.EndReset},
		{"end with a duration", "message: a\nend: { stall: 30s }", func(s *scenarios.Scenario) any { return *s.End.For }, 30 * time.Second},
		{"end with options", "message: a\nend: { cut: { after: -1, inside: true } }", func(s *scenarios.Scenario) any {
			return *s.End.After == -1 && *s.End.Inside && s.End.Kind == scenarios.EndCut
		}, true},
		{"damage by position", "message: a\ndamage: { drop: -1 }", func(s *scenarios.Scenario) any { return s.Damage[0].Frames.Position }, -1},
		{"damage by kind", "message: a\ndamage: [{ drop: finish }]", func(s *scenarios.Scenario) any { return s.Damage[0].Frames.Kind }, "finish"},
		{"damage with a chance before", "message: a\ndamage: [{ chance: 0.5, corrupt: { bytes: 2 } }]",
			func(s *scenarios.Scenario) any {
				return *s.Damage[0].Chance == 0.5 && s.Damage[0].Bytes == 2 && s.Damage[0].Frames.Kind == "all"
			}, true},
		{"swap", "message: a\ndamage: [{ swap: [2, done] }]", func(s *scenarios.Scenario) any { return s.Damage[0].With.Kind }, "done"},
		{"a text must be equal", "message: a\nwhen: { user: hi }", func(s *scenarios.Scenario) any { return *s.When.User.Equals }, "hi"},
		{"any tool result", "message: a\nwhen: { tool_result: true }", func(s *scenarios.Scenario) any { return s.When.ToolResults[0].ID }, ""},
		{"several tool results", "message: a\nwhen: { tool_result: [a, { id: b, content: { contains: c } }] }", func(s *scenarios.Scenario) any {
			return s.When.ToolResults[0].ID + s.When.ToolResults[1].ID + *s.When.ToolResults[1].Content.Contains
		}, "abc"},
		{"a header that is there", "message: a\nwhen: { header: { X-A: true } }", func(s *scenarios.Scenario) any { return s.When.Header[0].Match == nil }, true},
		{"a value in the body", "message: a\nwhen: { body: { temperature: 0.50 } }", func(s *scenarios.Scenario) any { return s.When.Body[0].Equals.String() }, "0.50"},
		{"a condition on the body", "message: a\nwhen: { body: { 'a[0]': { contains: x } } }", func(s *scenarios.Scenario) any { return *s.When.Body[0].Match.Contains }, "x"},
		{"a single tool", "message: a\nwhen: { tools: f }", func(s *scenarios.Scenario) any { return s.When.Tools[0] }, "f"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			list, diags := yamlfile.Parse("form.yaml", []byte("name: form\n"+c.yaml+"\n"))
			if len(diags) > 0 {
				t.Fatal(diags)
			}
			if got := c.get(list[0]); !same(got, c.want) {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func same(got, want any) bool {
	if v, ok := want.(ojson.Value); ok {
		return ojson.Equal(got.(ojson.Value), v)
	}
	return got == want
}

func TestPositionsAreThoseOfTheValues(t *testing.T) {
	t.Parallel()
	list, diags := yamlfile.Parse("a.yaml", []byte(`# a comment
name: places
quirks: [role-repeated]
stream:
  - content: 名前
    omit: [delta.role]
  - wait: 1s
---
name: second
message: { content: Hi, finish: stop }
`))
	if len(diags) > 0 {
		t.Fatal(diags)
	}
	steps := *list[0].Replies[0].Stream
	for name, c := range map[string]struct {
		got       diag.Pos
		line, col int
	}{
		"a scenario":          {list[0].Pos, 2, 1},
		"a quirk":             {list[0].Quirks[0].Pos, 3, 10},
		"a direct reply":      {list[0].Replies[0].Pos, 4, 1},
		"a step":              {steps[0].Pos, 5, 5},
		"a text":              {steps[0].Content.Value.Pos, 5, 14},
		"a path":              {steps[0].Omit[0].Pos, 6, 12},
		"the second step":     {steps[1].Pos, 7, 5},
		"the second document": {list[1].Pos, 9, 1},
		"a message":           {list[1].Replies[0].Message.Pos, 10, 10},
		"a text in a mapping": {list[1].Replies[0].Message.Content.Value.Pos, 10, 21},
	} {
		if want := (diag.Pos{File: "a.yaml", Line: c.line, Col: c.col}); c.got != want {
			t.Errorf("%s: got %v, want %v", name, c.got, want)
		}
	}
}
