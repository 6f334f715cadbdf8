package compat

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

// openaiGo sends the request of a case with openai-go.
func openaiGo(t *testing.T, to target, c testCase) (answer, error) {
	client, params := newOpenAIGo(t, to, c, "")
	res, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		return answer{}, err
	}
	return fromOpenAIGo(res), nil
}

// openaiGoStream does the same and streams, with the client's accumulator.
func openaiGoStream(t *testing.T, to target, c testCase) (answer, error) {
	client, params := newOpenAIGo(t, to, c, `{"stream_options":{"include_usage":true}}`)
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	defer stream.Close()
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			return fromOpenAIGo(&acc.ChatCompletion), errRefusedChunk
		}
	}
	return fromOpenAIGo(&acc.ChatCompletion), stream.Err()
}

func newOpenAIGo(t *testing.T, to target, c testCase, more string) (openai.Client, openai.ChatCompletionNewParams) {
	t.Helper()
	client := openai.NewClient(
		option.WithBaseURL(to.baseURL),
		option.WithAPIKey(to.key),
		option.WithHTTPClient(to.client),
		option.WithHeader(scenarioHeader, c.Fixture),
		option.WithMaxRetries(c.Retries),
	)
	var params openai.ChatCompletionNewParams
	if err := json.Unmarshal(c.body(t, more), &params); err != nil {
		t.Fatal(err)
	}
	return client, params
}

func fromOpenAIGo(res *openai.ChatCompletion) answer {
	a := answer{ID: res.ID, Model: res.Model}
	for _, c := range res.Choices {
		a.Choices = append(a.Choices, choiceFromOpenAIGo(c))
	}
	if u := res.Usage; u.TotalTokens > 0 {
		a.Usage = &usage{u.PromptTokens, u.CompletionTokens, u.TotalTokens}
	}
	return a
}

func choiceFromOpenAIGo(c openai.ChatCompletionChoice) choice {
	out := choice{Content: c.Message.Content, Refusal: c.Message.Refusal, Transcript: c.Message.Audio.Transcript, Finish: c.FinishReason}
	for _, t := range c.Message.ToolCalls {
		out.Calls = append(out.Calls, call{
			ID: t.ID, Type: t.Type,
			Name:      t.Function.Name + t.Custom.Name,
			Arguments: t.Function.Arguments + t.Custom.Input,
		})
	}
	if f := c.Message.FunctionCall; f.Name != "" { //nolint:staticcheck // deprecated, but the server still sends it
		out.FunctionCall = &call{Name: f.Name, Arguments: f.Arguments}
	}
	for _, p := range c.Logprobs.Content {
		out.Tokens = append(out.Tokens, p.Token)
	}
	if raw := c.Message.JSON.ExtraFields["reasoning_content"].Raw(); raw != "" {
		if err := json.Unmarshal([]byte(raw), &out.Reasoning); err != nil {
			out.Reasoning = raw
		}
	}
	return out
}

// faultFromOpenAIGo makes a fault of an error of openai-go.
func faultFromOpenAIGo(err error) fault {
	var refused *openai.Error
	if errors.As(err, &refused) {
		return fault{Status: refused.StatusCode, Code: refused.Code, Type: refused.Type, Message: refused.Message}
	}
	return fault{Message: err.Error()}
}
