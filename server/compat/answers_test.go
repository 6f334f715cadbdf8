package compat

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
)

// conform asks each client for the same request, and compares text, calls, finish and usage. The tests
// of this file are about further members of requests and answers, with openai-go.

// request is one request in JSON, over which the members of more are laid.
func request(t *testing.T, base, more string, to any) {
	t.Helper()
	fromJSON(t, []byte(base), to)
	if more != "" {
		fromJSON(t, []byte(more), to)
	}
}

const askedChat = `{"model": "gpt-4o", "user": "alice", "messages": [{"role": "user", "content": "What is the weather in Oslo?"}]}`

type answer struct{ fixture, request, want string }

var answers = []answer{
	{"two-choices", `{"n": 2}`, "Heads it is.; Tails, I am afraid.; 14+10"},
	{"logprobs", `{"logprobs": true, "top_logprobs": 2}`, `Yes, Oslo. tokens ["Yes" "," " Oslo" "."]; 12+4`},
	{"generated-logprobs", "", `Oslo is the capital of Norway. tokens ["Oslo" " is" " the" " capital" " of" " Norway" "."]; 14+7`},
	{
		"invented-arguments", `{"tools": [{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {
		"city": {"enum": ["Oslo"]}, "days": {"type": "integer", "minimum": 3, "maximum": 3}}, "required": ["city", "days"], "additionalProperties": false}}}]}`,
		`call_weather get_weather {"city":"Oslo","days":3}; 14+18`,
	},
	{
		"structured-output", `{"response_format": {"type": "json_schema", "json_schema": {"name": "city", "strict": true, "schema": {"type": "object",
		"properties": {"city": {"const": "Oslo"}}, "required": ["city"], "additionalProperties": false}}}}`,
		`{"city":"Oslo"}; 14+9`,
	},
	{
		"agent-two-turns", `{"messages": [{"role": "user", "content": "What is the weather in Oslo?"}, {"role": "assistant", "content": null, "tool_calls": [
		{"id": "call_weather", "type": "function", "function": {"name": "get_weather", "arguments": "{\"city\":\"Oslo\"}"}}]},
		{"role": "tool", "tool_call_id": "call_weather", "content": "18 °C and clear"}]}`,
		"The tool says: 18 °C and clear; 26+10",
	},
	{"custom-tool", "", `call_code run_code total = sum([1, 2, 3])
print(total); 14+22`},
	{"reasoning", "", `It is 42. reasoning "Seven times six. Six sevens are forty-two."; 14+16`},
	{"audio", "", "transcript Hello there.; 12+24"},
	{"custom-id", "", "Hello there.; 14+3 of #alice"},
	{"model-alias", "", "You asked for gpt-4o.; 14+8 by house-model"},
	{"usage", "", "Done.; 1117+46"},
}

// openai-go reads what the bundled scenarios answer to requests of their own, streamed or not.
func (c answer) suite(t *testing.T, play player) {
	lostByTheAccumulator := []string{"reasoning", "audio", "custom-tool"}
	to := play(t, read(t, "../../fixtures/"+c.fixture+".yaml"))
	var params openai.ChatCompletionNewParams
	request(t, askedChat, c.request, &params)
	client := to.openAIGo()
	res, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil || !strings.HasPrefix(c.want, shown(t, res)) {
		t.Errorf("got %s, %v\nwant %s", shown(t, res), err, c.want)
	}
	id, model, _ := strings.Cut(strings.TrimPrefix(c.want, shown(t, res)), " by ")
	if !strings.HasSuffix(res.ID, strings.TrimPrefix(id, " of ")) || model != "" && res.Model != model {
		t.Errorf("it is %s by %s, want%s by %s", res.ID, res.Model, id, model)
	}
	if slices.Contains(lostByTheAccumulator, c.fixture) {
		return
	}
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	defer stream.Close()
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		acc.AddChunk(stream.Current())
	}
	if got := shown(t, &acc.ChatCompletion); stream.Err() != nil || got != shown(t, res) {
		t.Errorf("streamed, it is %s, %v\nnot         %s", got, stream.Err(), shown(t, res))
	}
}

// shown is what the choices of an answer say, and its usage.
func shown(t *testing.T, res *openai.ChatCompletion) string {
	var parts []string
	for _, c := range res.Choices {
		said := c.Message.Content
		for _, call := range c.Message.ToolCalls {
			said += strings.Join([]string{call.ID, call.Function.Name + call.Custom.Name, call.Function.Arguments + call.Custom.Input}, " ")
		}
		var tokens []string
		for _, p := range c.Logprobs.Content {
			tokens = append(tokens, p.Token)
		}
		if tokens != nil {
			said += fmt.Sprintf(" tokens %q", tokens)
		}
		if c.Message.Audio.Transcript != "" {
			said += "transcript " + c.Message.Audio.Transcript
		}
		if raw := c.Message.JSON.ExtraFields["reasoning_content"].Raw(); raw != "" {
			said += " reasoning " + raw
		}
		parts = append(parts, said)
	}
	return fmt.Sprintf("%s; %d+%d", strings.Join(parts, "; "), res.Usage.PromptTokens, res.Usage.CompletionTokens)
}

var refusals = map[string]openai.Error{
	"rate-limited":   {StatusCode: 429, Code: "rate_limit_exceeded", Type: "tokens", Message: "Rate limit reached for gpt-4o"},
	"quota-exceeded": {StatusCode: 429, Code: "insufficient_quota", Type: "insufficient_quota", Message: "You exceeded your current quota"},
	"unauthorized":   {StatusCode: 401, Code: "invalid_api_key", Type: "invalid_request_error", Message: "Incorrect API key provided"},
	"context-length": {StatusCode: 400, Code: "context_length_exceeded", Type: "invalid_request_error", Message: "This model's maximum context length"},
	"bad-gateway":    {StatusCode: 502},
}

// openai-go reads all members of a refusal.
func refusedWith(fixture string, want openai.Error) suite {
	return func(t *testing.T, play player) {
		got := streamOpenAIGo(t.Context(), prompt{to: play(t, read(t, "../../fixtures/"+fixture+".yaml"))})
		failed, ok := errors.AsType[*openai.Error](got.err)
		if !ok || failed.StatusCode != want.StatusCode || failed.Code != want.Code || failed.Type != want.Type || !strings.Contains(failed.Message, want.Message) {
			t.Errorf("got %v, want %+v", got.err, want)
		}
	}
}

const askedCompletion = `{"model": "gpt-3.5-turbo-instruct", "prompt": "Tell me a story.", "max_tokens": 20}`

type legacy struct{ title, scenario, request, want string }

var completions = []legacy{
	{"n", "message: Once upon a time.", `{"n": 2}`, "Once upon a time. stop; Once upon a time. stop; 5+10"},
	{"a list of prompts", `message: "You said: {{ .last_user }}"`, `{"prompt": ["One", "Two"], "echo": true}`, "OneYou said: Two stop; TwoYou said: Two stop; 2+8"},
	{"a prompt of tokens", `message: "You said: {{ .last_user }}"`, `{"prompt": [15496, 995]}`, "You said: <|15496|><|995|> stop; 2+14"},
	{"echo and logprobs", "message: Once upon é.", `{"prompt": "So:", "echo": true, "logprobs": 2}`, `So:Once upon é. stop ["So" ":" "Once" " upon" " é" "."] [0 2 3 7 12 14]; 2+4`},
	{"no alternatives", "message: Once upon é.", `{"logprobs": 0}`, `Once upon é. stop ["Once" " upon" " é" "."] [0 4 9 11]; 5+4`},
	{"choices", "message: { choices: [{ content: Yes. }, { content: No., finish: length }] }", `{"n": 2}`, "Yes. stop; No. length; 5+4"},
	{"a tool call", "message: { tool_calls: [{ id: call_1, name: get_weather }] }", "", "error 400 fake_unsayable"},
	{"a chat model", "strict: true\nmessage: Never said.", `{"model": "gpt-5-chat-latest"}`, "error 404 "},
}

// openai-go reads legacy completions, streamed or not.
func (c legacy) suite(t *testing.T, play player) {
	client := play(t, "name: test\n"+c.scenario+"\n").openAIGo()
	var params openai.CompletionNewParams
	request(t, askedCompletion, c.request, &params)
	var whole, streamed completion
	res, err := client.Completions.New(t.Context(), params)
	if err == nil {
		whole.add(res)
	}
	if got := whole.shown(err); got != c.want {
		t.Errorf("got %s, want %s", got, c.want)
	}
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	stream := client.Completions.NewStreaming(t.Context(), params)
	defer stream.Close()
	for stream.Next() {
		chunk := stream.Current()
		streamed.add(&chunk)
	}
	if got := streamed.shown(stream.Err()); got != c.want {
		t.Errorf("streamed, it is %s, not %s", got, c.want)
	}
}

// completion joins chunks by index, because openai-go has no accumulator for legacy completions.
type completion struct {
	choices []completed
	usage   openai.CompletionUsage
}

type completed struct {
	text, finish string
	tokens       []string
	offsets      []int64
}

func (got *completion) add(res *openai.Completion) {
	if res.Usage.TotalTokens > 0 {
		got.usage = res.Usage
	}
	for _, c := range res.Choices {
		for len(got.choices) <= int(c.Index) {
			got.choices = append(got.choices, completed{})
		}
		known := &got.choices[c.Index]
		known.text += c.Text
		known.finish += string(c.FinishReason)
		known.tokens, known.offsets = append(known.tokens, c.Logprobs.Tokens...), append(known.offsets, c.Logprobs.TextOffset...)
	}
}

func (got *completion) shown(err error) string {
	if failed, ok := errors.AsType[*openai.Error](err); ok {
		return fmt.Sprintf("error %d %s", failed.StatusCode, failed.Code)
	}
	var parts []string
	for _, c := range got.choices {
		said := c.text + " " + c.finish
		if c.tokens != nil {
			said += fmt.Sprintf(" %q %v", c.tokens, c.offsets)
		}
		parts = append(parts, said)
	}
	return fmt.Sprintf("%s; %d+%d", strings.Join(parts, "; "), got.usage.PromptTokens, got.usage.CompletionTokens)
}
