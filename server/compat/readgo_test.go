package compat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

// The requests that every client sends, with the tools that it offers. node/reader.mjs has
// the same requests.
const (
	askedChat = `{"model": "gpt-4o", "messages": [{"role": "user", "content": "What is the weather in Oslo?"}],
		"stream_options": {"include_usage": true}, "tools": [
		{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object"}}},
		{"type": "function", "function": {"name": "get_time", "parameters": {"type": "object"}}},
		{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}},
		{"type": "function", "function": {"name": "g", "parameters": {"type": "object"}}},
		{"type": "custom", "custom": {"name": "run_code"}}]}`
	askedResponses = `{"model": "gpt-4o", "input": "What is the weather in Oslo?", "tools": [
		{"type": "function", "name": "get_weather", "parameters": {"type": "object"}, "strict": false},
		{"type": "function", "name": "get_time", "parameters": {"type": "object"}, "strict": false},
		{"type": "function", "name": "f", "parameters": {"type": "object"}, "strict": false},
		{"type": "function", "name": "g", "parameters": {"type": "object"}, "strict": false},
		{"type": "custom", "name": "run_code"}]}`
)

// readOpenAIGo sends an inquiry with openai-go and reads the stream. openai-go runs no
// tools.
func readOpenAIGo(t *testing.T, url string, q inquiry) reading {
	t.Helper()
	var got reading
	client := openai.NewClient(
		option.WithBaseURL(url+"/v1"), option.WithAPIKey(q.Key), option.WithHeader(scenarioHeader, q.Scenario),
		option.WithMaxRetries(q.Retries), option.WithMiddleware(func(r *http.Request, next option.MiddlewareNext) (*http.Response, error) {
			got.Requests++
			return next(r)
		}),
	)
	read := readOpenAIGoResponses
	if q.Surface == "chat" {
		read = readOpenAIGoChat
	}
	released := make(chan error, 1)
	go func() { released <- release(t.Context(), url, q) }()
	if err := read(t, &client, q, &got); err != nil {
		got.Error = explain(err)
	}
	if err := <-released; err != nil {
		t.Error(err)
	}
	return got
}

// explain describes an error in one line: its type, HTTP status and text.
func explain(err error) string {
	if refused, ok := errors.AsType[*openai.Error](err); ok {
		return fmt.Sprintf("%T %d %s", refused, refused.StatusCode, refused.Message)
	}
	return fmt.Sprintf("%T %v", err, err)
}

// release waits until the answer has reached the hold of the inquiry, and releases it. It
// does nothing if there is no hold.
func release(ctx context.Context, url string, q inquiry) error {
	if q.Hold == "" {
		return nil
	}
	for _, do := range [][2]string{{http.MethodGet, "wait"}, {http.MethodPost, "release"}} {
		req, err := http.NewRequestWithContext(ctx, do[0], fmt.Sprintf("%s/_fake/holds/%s/%s?api_key=%s", url, q.Hold, do[1], q.Key), http.NoBody)
		if err != nil {
			return err
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s of the hold %s: %s", do[1], q.Hold, res.Status)
		}
	}
	return nil
}

// laidOver reads the JSON object src, with the members of more in place of or beside its
// own, into the value that to points to.
func laidOver(t *testing.T, src string, more members, to any) {
	t.Helper()
	all := members{}
	fromJSON(t, []byte(src), &all)
	for name, value := range more {
		all[name] = value
	}
	fromJSON(t, []byte(text(all)), to)
}

func readOpenAIGoResponses(t *testing.T, client *openai.Client, q inquiry, got *reading) error {
	t.Helper()
	var params responses.ResponseNewParams
	laidOver(t, askedResponses, q.Request, &params)
	stream := client.Responses.NewStreaming(t.Context(), params)
	defer stream.Close()
	for stream.Next() {
		switch e := stream.Current(); e.Type {
		case "response.output_text.delta":
			got.Text += e.Delta
		case "response.completed", "response.incomplete", "response.failed":
			takeResponse(got, &e.Response)
			if final := e.Response.OutputText(); final != got.Text {
				got.Final = &final
			}
		}
	}
	return stream.Err()
}

// takeResponse copies all but the text from a response.
func takeResponse(got *reading, res *responses.Response) {
	got.Finish = strings.TrimSpace(fmt.Sprint(res.Status, " ", res.IncompleteDetails.Reason))
	if res.JSON.Usage.Valid() {
		got.Usage = []int64{res.Usage.InputTokens, res.Usage.OutputTokens}
	}
	for _, item := range res.Output {
		takeItem(got, &item)
	}
}

func takeItem(got *reading, item *responses.ResponseOutputItemUnion) {
	switch item.Type {
	case "function_call":
		got.Calls = append(got.Calls, strings.Join([]string{item.CallID, item.Name, item.AsFunctionCall().Arguments}, " "))
	case "custom_tool_call":
		got.Calls = append(got.Calls, strings.Join([]string{item.CallID, item.Name, item.Input}, " "))
	case "reasoning":
		for _, part := range item.Summary {
			got.Reasoning += part.Text
		}
	case "message":
		for _, part := range item.Content {
			got.Refusal += part.Refusal
			for _, p := range part.Logprobs {
				got.Tokens = append(got.Tokens, p.Token)
			}
		}
	}
}

func readOpenAIGoChat(t *testing.T, client *openai.Client, q inquiry, got *reading) error {
	t.Helper()
	var params openai.ChatCompletionNewParams
	laidOver(t, askedChat, q.Request, &params)
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	defer stream.Close()
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			return errRefusedChunk
		}
	}
	a := fromOpenAIGo(&acc.ChatCompletion)
	if a.Usage != nil {
		got.Usage = []int64{a.Usage.Prompt, a.Usage.Completion}
	}
	if len(a.Choices) > 0 {
		takeChoice(got, &a.Choices[0])
	}
	return stream.Err()
}

func takeChoice(got *reading, c *choice) {
	got.Text, got.Refusal, got.Reasoning, got.Finish, got.Tokens = c.Content, c.Refusal, c.Reasoning, c.Finish, c.Tokens
	for _, call := range c.Calls {
		got.Calls = append(got.Calls, strings.Join([]string{call.ID, call.Name, call.Arguments}, " "))
	}
}
