package compat

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"testing"

	goopenai "github.com/sashabaranov/go-openai"
)

// goOpenAI sends the request of a case with go-openai.
func goOpenAI(t *testing.T, to target, c testCase) (answer, error) {
	client, req := newGoOpenAI(t, to, c, "")
	res, err := client.CreateChatCompletion(t.Context(), req)
	if err != nil {
		return answer{}, err
	}
	a := answer{ID: res.ID, Model: res.Model, Usage: usageFromGoOpenAI(&res.Usage)}
	for _, c := range res.Choices {
		m := c.Message
		out := choice{
			Content: m.Content, Refusal: m.Refusal, Reasoning: m.ReasoningContent,
			Calls: callsFromGoOpenAI(m.ToolCalls), Finish: string(c.FinishReason),
		}
		if m.FunctionCall != nil {
			out.FunctionCall = &call{Name: m.FunctionCall.Name, Arguments: m.FunctionCall.Arguments}
		}
		if c.LogProbs != nil {
			for _, p := range c.LogProbs.Content {
				out.Tokens = append(out.Tokens, p.Token)
			}
		}
		a.Choices = append(a.Choices, out)
	}
	return a, nil
}

// goOpenAIStream does the same and streams. It joins the chunks by index, because go-openai
// has no accumulator.
func goOpenAIStream(t *testing.T, to target, c testCase) (answer, error) {
	client, req := newGoOpenAI(t, to, c, `{"stream_options":{"include_usage":true}}`)
	stream, err := client.CreateChatCompletionStream(t.Context(), req)
	if err != nil {
		return answer{}, err
	}
	defer stream.Close()
	var a answer
	for {
		chunk, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return a, nil
		}
		if err != nil {
			return a, err
		}
		a.addGoOpenAI(chunk)
	}
}

func newGoOpenAI(t *testing.T, to target, c testCase, more string) (*goopenai.Client, goopenai.ChatCompletionRequest) {
	t.Helper()
	config := goopenai.DefaultConfig(to.key)
	config.BaseURL = to.baseURL
	config.HTTPClient = &http.Client{Transport: named{to.client.Transport, c.Fixture}}
	var req goopenai.ChatCompletionRequest
	if err := json.Unmarshal(c.body(t, more), &req); err != nil {
		t.Fatal(err)
	}
	return goopenai.NewClientWithConfig(config), req
}

// named is an http.RoundTripper that asks for a scenario by name, with a header field.
type named struct {
	base     http.RoundTripper
	scenario string
}

func (n named) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(scenarioHeader, n.scenario)
	if n.base == nil {
		return http.DefaultTransport.RoundTrip(r)
	}
	return n.base.RoundTrip(r)
}

func (a *answer) addGoOpenAI(chunk goopenai.ChatCompletionStreamResponse) {
	if chunk.ID != "" {
		a.ID, a.Model = chunk.ID, chunk.Model
	}
	if chunk.Usage != nil {
		a.Usage = usageFromGoOpenAI(chunk.Usage)
	}
	for _, c := range chunk.Choices {
		for len(a.Choices) <= c.Index {
			a.Choices = append(a.Choices, choice{})
		}
		a.Choices[c.Index].addGoOpenAI(c)
	}
}

func (out *choice) addGoOpenAI(c goopenai.ChatCompletionStreamChoice) {
	out.Content += c.Delta.Content
	out.Refusal += c.Delta.Refusal
	out.Reasoning += c.Delta.ReasoningContent
	if c.FinishReason != "" {
		out.Finish = string(c.FinishReason)
	}
	if f := c.Delta.FunctionCall; f != nil {
		if out.FunctionCall == nil {
			out.FunctionCall = &call{}
		}
		out.FunctionCall.Name += f.Name
		out.FunctionCall.Arguments += f.Arguments
	}
	for _, t := range c.Delta.ToolCalls {
		out.addCall(t)
	}
	if c.Logprobs != nil {
		for _, p := range c.Logprobs.Content {
			out.Tokens = append(out.Tokens, p.Token)
		}
	}
}

func (out *choice) addCall(t goopenai.ToolCall) {
	i := len(out.Calls)
	if t.Index != nil {
		i = *t.Index
	}
	for len(out.Calls) <= i {
		out.Calls = append(out.Calls, call{})
	}
	known := &out.Calls[i]
	known.ID += t.ID
	known.Type += string(t.Type)
	known.Name += t.Function.Name
	known.Arguments += t.Function.Arguments
}

func callsFromGoOpenAI(list []goopenai.ToolCall) []call {
	var calls []call
	for _, t := range list {
		calls = append(calls, call{t.ID, string(t.Type), t.Function.Name, t.Function.Arguments})
	}
	return calls
}

func usageFromGoOpenAI(u *goopenai.Usage) *usage {
	return &usage{int64(u.PromptTokens), int64(u.CompletionTokens), int64(u.TotalTokens)}
}

// faultFromGoOpenAI makes a fault of an error of go-openai.
func faultFromGoOpenAI(err error) fault {
	var api *goopenai.APIError
	if errors.As(err, &api) {
		f := fault{Status: api.HTTPStatusCode, Type: api.Type, Message: api.Message}
		if api.Code != nil {
			f.Code = fmt.Sprint(api.Code)
		}
		return f
	}
	var request *goopenai.RequestError
	if errors.As(err, &request) {
		return fault{Status: request.HTTPStatusCode, Message: err.Error()}
	}
	return fault{Message: err.Error()}
}
