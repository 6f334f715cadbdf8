package chat_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

const (
	streamed  = `"stream":true`
	withUsage = `"stream":true,"stream_options":{"include_usage":true}`
	done      = "[DONE]"
)

// piece returns a choice of a chunk in the middle of a stream.
func piece(text string) string {
	return `{"text":` + ojson.String(text).String() + `,"index":0,"logprobs":null,"finish_reason":null}`
}

// last returns the choice of a chunk that ends a choice.
func last(text, finish string) string {
	return `{"text":` + ojson.String(text).String() + `,"index":0,"logprobs":null,"finish_reason":"` + finish + `"}`
}

// Streams and answers that are not streamed have the bytes of recordings.
func TestAnswersHaveTheRecordedLayout(t *testing.T) {
	t.Parallel()
	const hello = "name: hello\nmessage: Hello there."
	tests := map[string]struct{ members, want string }{
		"a stream": {streamed, `data: {"id":"cmpl-1","object":"text_completion","created":1790000000,"choices":[{"text":"Hello","index":0,"logprobs":null,"finish_reason":null}],"model":"gpt-3.5-turbo-instruct:20230824-v2"}

data: {"id":"cmpl-1","object":"text_completion","created":1790000000,"choices":[{"text":" there","index":0,"logprobs":null,"finish_reason":null}],"model":"gpt-3.5-turbo-instruct:20230824-v2"}

data: {"id":"cmpl-1","object":"text_completion","created":1790000000,"choices":[{"text":".","index":0,"logprobs":null,"finish_reason":"stop"}],"model":"gpt-3.5-turbo-instruct:20230824-v2"}

data: [DONE]

`},
		"a stream with usage": {withUsage, `data: {"id":"cmpl-1","object":"text_completion","created":1790000000,"choices":[{"text":"Hello","index":0,"logprobs":null,"finish_reason":null}],"model":"gpt-3.5-turbo-instruct:20230824-v2","usage":null}

data: {"id":"cmpl-1","object":"text_completion","created":1790000000,"choices":[{"text":" there","index":0,"logprobs":null,"finish_reason":null}],"model":"gpt-3.5-turbo-instruct:20230824-v2","usage":null}

data: {"id":"cmpl-1","object":"text_completion","created":1790000000,"choices":[{"text":".","index":0,"logprobs":null,"finish_reason":"stop"}],"model":"gpt-3.5-turbo-instruct:20230824-v2","usage":null}

data: {"id":"cmpl-1","object":"text_completion","created":1790000000,"model":"gpt-3.5-turbo-instruct:20230824-v2","usage":{"prompt_tokens":2,"completion_tokens":3,"total_tokens":5},"choices":[]}

data: [DONE]

`},
		"one piece": {`"stream":false`, `{
  "id": "cmpl-1",
  "object": "text_completion",
  "created": 1790000000,
  "model": "gpt-3.5-turbo-instruct:20230824-v2",
  "choices": [
    {
      "text": "Hello there.",
      "index": 0,
      "logprobs": null,
      "finish_reason": "stop"
    }
  ],
  "usage": {
    "prompt_tokens": 2,
    "completion_tokens": 3,
    "total_tokens": 5
  }
}
`},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := play(t, hello, tt.members); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// A message or a stream of text becomes these completions.
func TestStreamsOfText(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, yaml, members string
		want                []string
	}{
		{"the reason stands on the last text", "message: { content: Hi there, finish: length }", streamed, []string{piece("Hi"), last(" there", "length"), done}},
		{"one piece of text has the reason", "message: Hi", streamed, []string{last("Hi", "stop"), done}},
		{"no text", `message: { content: "" }`, streamed, []string{last("", "stop"), done}},
		{"null for a text", "message: { content: null }", streamed, []string{last("", "stop"), done}},
		{"no reason", "message: { content: Hi, finish: null }\nquirks: [missing-finish]", streamed, []string{piece("Hi"), done}},
		{"words", "message: { content: one two, by: word }", streamed, []string{piece("one"), last(" two", "stop"), done}},
		{"invented text", "message: { fake: { words: 2 } }", streamed, []string{piece("harum"), last(" odit", "stop"), done}},
		{"a template in a message", `message: "So: {{ .last_user }}"`, streamed, []string{piece("So"), piece(":"), piece(" Say"), last(" it", "stop"), done}},
		{"a template that is cut", "stream:\n- role: assistant\n- { text: 'A {{ .last_user }}', by: word }\n- finish: stop", streamed,
			[]string{piece("A"), piece(" Say"), piece(" it"), last("", "stop"), done}},
		{"a template that renders to nothing", `message: "{{ if .tool_result }}x{{ end }}"`, streamed, []string{last("", "stop"), done}},
		{"a large text", "stream:\n- { role: assistant, content: { repeat: ab, bytes: 4 } }\n- { content: '!', finish: stop }", streamed, []string{piece("abab"), last("!", "stop"), done}},
		{"a role alone is not said", "stream:\n- role: assistant\n- content: Hi\n- finish: stop", streamed, []string{piece("Hi"), last("", "stop"), done}},
		{"nor with logprobs of nothing", "stream:\n- { role: assistant, logprobs: { content: [] } }\n- content: Hi\n- finish: stop", streamed, []string{piece("Hi"), last("", "stop"), done}},
		{"text beside a role", "stream:\n- { role: assistant, content: Hi }\n- finish: stop", streamed, []string{piece("Hi"), last("", "stop"), done}},
		{"a heartbeat", "stream:\n- { role: assistant, content: Hi }\n- heartbeat: 1\n- finish: stop", streamed, []string{piece("Hi"), piece(""), last("", "stop"), done}},
		{"usage as written", "stream:\n- { role: assistant, content: Hi }\n- finish: stop\n- usage: { prompt_tokens: 7, completion_tokens: 9, extra: { cost: 1 } }", streamed,
			[]string{piece("Hi"), last("", "stop"), `{"prompt_tokens":7,"completion_tokens":9,"total_tokens":16,"cost":1}`, done}},
		{"usage in a chunk with text", "stream:\n- { role: assistant, content: Hi, finish: stop, usage: {} }\nquirks: [usage-with-choices]", streamed, []string{last("Hi", "stop"), done}},
		{"a step changes its chunk", "when: { surface: completions }\nstream:\n- { content: a, set: { text: 5 }, omit: [logprobs], extra: { provider: p } }\n- { content: b, finish: stop }", streamed,
			[]string{`{"text":5,"index":0,"finish_reason":null}`, last("b", "stop"), done}},
		{"a whole chunk", "quirks: [chunk-without-envelope, choice-incomplete, envelope-changes]\nwhen: { surface: completions }\nstream:\n- chunk: { id: own, choices: [{ text: 'as is' }] }\n- { content: b, finish: stop }", streamed,
			[]string{`{"text":"as is"}`, last("b", "stop"), done}},
		{"its own [DONE]", "stream:\n- { role: assistant, content: a, finish: stop }\n- done: false", streamed, []string{last("a", "stop")}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wantSaid(t, play(t, "name: x\n"+tt.yaml, tt.members), tt.want...)
		})
	}
}

func TestTheEnvelopeIsTheScenariosOwn(t *testing.T) {
	t.Parallel()
	s := serve(t, `
name: x
message: Hi
envelope: { id: own, model: house, created: 7, object: thing, system_fingerprint: fp_1, service_tier: default, extra: { provider: p } }
`)
	for members, want := range map[string]string{
		streamed:         `{"id":"own","object":"thing","created":7,"choices":[` + last("Hi", "stop") + `],"model":"house","system_fingerprint":"fp_1","service_tier":"default","provider":"p"}`,
		`"stream":false`: `{"id":"own","object":"text_completion","created":7,"model":"house","choices":[` + last("Hi", "stop") + `],"usage":{"prompt_tokens":2,"completion_tokens":1,"total_tokens":3},"system_fingerprint":"fp_1","service_tier":"default","provider":"p"}`,
	} {
		_, body := ask(t, s, members)
		if members == streamed {
			body = events(body)[0]
		}
		if got := object(t, body).String(); got != want {
			t.Errorf("%s\ngot  %s\nwant %s", members, got, want)
		}
	}
}

// A written object replaces that of the API even if it is empty, but not that of a whole answer.
func TestAnEmptyObjectIsSent(t *testing.T) {
	t.Parallel()
	s := serve(t, "name: x\nmessage: Hi\nenvelope: { object: '' }")
	for members, want := range map[string]string{streamed: `"object":"",`, `"stream":false`: `"object": "text_completion",`} {
		if _, body := ask(t, s, members); !strings.Contains(body, want) {
			t.Errorf("%s: no %s in\n%s", members, want, body)
		}
	}
}

// Damage finds chunks by the text of completions, and never finds a role.
func TestDamageByKind(t *testing.T) {
	t.Parallel()
	const stream = "name: x\nstream:\n- role: assistant\n- { content: a, logprobs: true }\n- content: b\n- finish: stop\n- usage: { prompt_tokens: 1, completion_tokens: 2 }\n"
	usage := `{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}`
	withLogprobs := `{"text":"a","index":0,"logprobs":{"tokens":["a"],"token_logprobs":[-0.50714301],"top_logprobs":null,"text_offset":[0]},"finish_reason":null}`
	tests := map[string]struct {
		damage string
		want   []string
	}{
		"content":        {"drop: content", []string{last("", "stop"), usage, done}},
		"finish":         {"drop: finish", []string{withLogprobs, piece("b"), usage, done}},
		"usage":          {"drop: usage", []string{withLogprobs, piece("b"), last("", "stop"), done}},
		"logprobs":       {"drop: logprobs", []string{piece("b"), last("", "stop"), usage, done}},
		"done":           {"drop: done", []string{withLogprobs, piece("b"), last("", "stop"), usage}},
		"role":           {"drop: role", []string{withLogprobs, piece("b"), last("", "stop"), usage, done}},
		"the first sent": {"drop: 1", []string{piece("b"), last("", "stop"), usage, done}},
		"a text renamed": {"rename: { frames: 2, from: text, to: content }", []string{withLogprobs, strings.Replace(piece("b"), "text", "content", 1), last("", "stop"), usage, done}},
		"an index":       {"retype: { frames: finish, at: 'choices[0].index', to: string }", []string{withLogprobs, piece("b"), strings.Replace(last("", "stop"), "0", `"0"`, 1), usage, done}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantSaid(t, play(t, stream+"damage: [{ "+tt.damage+" }]", streamed), tt.want...)
		})
	}
}

// An early ending removes the finish_reason, and the last text that is in the same chunk.
func TestEarlyEndings(t *testing.T) {
	t.Parallel()
	for end, want := range map[string][]string{
		"close": {piece("Hi")}, "{ close: { after: 0 } }": nil, "{ linger: { for: 1ms } }": {piece("Hi"), last(" there", "stop"), done},
	} {
		wantSaid(t, play(t, "name: x\nmessage: Hi there\nend: "+end, streamed), want...)
	}
}

func TestErrorsInTheStream(t *testing.T) {
	t.Parallel()
	const broken = "name: x\nstream:\n- { role: assistant, content: Hi }\n- error: It broke.\n"
	wantSaid(t, play(t, broken, streamed), piece("Hi"), `{"error":{"message":"It broke.","type":"server_error","param":null,"code":null}}`, done)
	status, body := ask(t, serve(t, broken), "")
	if status != http.StatusInternalServerError || object(t, body).Get("error").Get("message").Text() != "It broke." {
		t.Errorf("in one piece: %d %s", status, body)
	}
}

// The published schema describes whole answers; a stream has null where a member has no value
// yet.
func TestAnswersFitThePublishedSchema(t *testing.T) {
	t.Parallel()
	published, err := jsonschema.NewCompiler().Compile("testdata/completion.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	s := serve(t, "name: x\nmessage: Hi there, wörld."+pinned)
	for _, members := range []string{
		withUsage, streamed, `"n":2`, `"prompt":[[1,2],[3]],` + withUsage, `"logprobs":3,` + streamed, `"logprobs":3`, `"echo":true,"best_of":2`,
	} {
		_, body := ask(t, s, members)
		list := []string{body}
		if strings.Contains(members, "stream") {
			list = events(body)
			list = list[:len(list)-1]
		}
		for _, text := range list {
			text = strings.Replace(text, `,"usage":null`, "", 1)
			text = strings.ReplaceAll(text, `"finish_reason":null`, `"finish_reason":"stop"`)
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			if err := published.Validate(v); err != nil {
				t.Errorf("%s: %s: %v", members, text, err)
			}
		}
	}
}
