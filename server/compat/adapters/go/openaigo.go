package main

import (
	"cmp"
	"context"
	"errors"
	"strings"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/responses"
)

func newOpenAIGo(q question) openai.Client {
	return openai.NewClient(option.WithBaseURL(q.BaseURL), option.WithAPIKey(q.APIKey), option.WithMaxRetries(0))
}

// streamOpenAIGo uses the accumulator of openai-go.
func streamOpenAIGo(q question) (outcome, error) {
	params, err := request[openai.ChatCompletionNewParams](q)
	if err != nil {
		return outcome{}, err
	}
	client := newOpenAIGo(q)
	stream := client.Chat.Completions.NewStreaming(context.Background(), params)
	defer stream.Close()
	var acc openai.ChatCompletionAccumulator
	for stream.Next() {
		if !acc.AddChunk(stream.Current()) {
			return outcome{}, errors.New("the accumulator refused a chunk")
		}
	}
	return fromOpenAIGo(&acc.ChatCompletion), stream.Err()
}

func askOpenAIGo(q question) (outcome, error) {
	params, err := request[openai.ChatCompletionNewParams](q)
	if err != nil {
		return outcome{}, err
	}
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
	client := newOpenAIGo(q)
	res, err := client.Chat.Completions.New(context.Background(), params)
	if err != nil {
		return outcome{}, err
	}
	return fromOpenAIGo(res), nil
}

func fromOpenAIGo(res *openai.ChatCompletion) outcome {
	var came outcome
	if u := res.Usage; u.TotalTokens > 0 {
		came.Usage = &usage{u.PromptTokens, u.CompletionTokens, u.TotalTokens}
	}
	if len(res.Choices) == 0 {
		return came
	}
	c := res.Choices[0]
	came.Text, came.Refusal, came.Finish = c.Message.Content, c.Message.Refusal, c.FinishReason
	for _, t := range c.Message.ToolCalls {
		came.Calls = append(came.Calls, call{t.ID, t.Function.Name + t.Custom.Name, t.Function.Arguments + t.Custom.Input})
	}
	if f := c.Message.FunctionCall; f.Name != "" { //nolint:staticcheck // deprecated, but servers still send it
		came.Calls = append(came.Calls, call{Name: f.Name, Arguments: f.Arguments})
	}
	return came
}

// streamResponses takes the answer from the last event, or what the deltas said if there was none.
func streamResponses(q question) (outcome, error) {
	params, err := request[responses.ResponseNewParams](q)
	if err != nil {
		return outcome{}, err
	}
	client := newOpenAIGo(q)
	stream := client.Responses.NewStreaming(context.Background(), params)
	defer stream.Close()
	var deltas strings.Builder
	var last *responses.Response
	for stream.Next() {
		switch e := stream.Current(); e.Type {
		case "response.output_text.delta":
			deltas.WriteString(e.Delta)
		case "response.completed", "response.incomplete", "response.failed":
			last = &e.Response
		}
	}
	if err := stream.Err(); err != nil {
		return outcome{}, err
	}
	if last == nil {
		return outcome{Text: deltas.String()}, nil
	}
	return fromResponse(last)
}

func askResponses(q question) (outcome, error) {
	params, err := request[responses.ResponseNewParams](q)
	if err != nil {
		return outcome{}, err
	}
	client := newOpenAIGo(q)
	res, err := client.Responses.New(context.Background(), params)
	if err != nil {
		return outcome{}, err
	}
	return fromResponse(res)
}

func fromResponse(res *responses.Response) (outcome, error) {
	if res.Status == responses.ResponseStatusFailed {
		return outcome{}, errors.New(cmp.Or(res.Error.Message, "the response has the status failed"))
	}
	came := outcome{}
	if u := res.Usage; u.TotalTokens > 0 {
		came.Usage = &usage{u.InputTokens, u.OutputTokens, u.TotalTokens}
	}
	for _, item := range res.Output {
		came.addItem(&item)
	}
	came.Finish = ended(string(res.Status), res.IncompleteDetails.Reason, came.Calls)
	return came, nil
}

func (came *outcome) addItem(item *responses.ResponseOutputItemUnion) {
	switch item.Type {
	case "function_call":
		came.Calls = append(came.Calls, call{item.CallID, item.Name, item.AsFunctionCall().Arguments})
	case "custom_tool_call":
		came.Calls = append(came.Calls, call{item.CallID, item.Name, item.Input})
	case "message":
		for _, part := range item.Content {
			came.Text += part.Text
			came.Refusal += part.Refusal
		}
	}
}

// streamLegacyOpenAIGo joins the chunks, because openai-go has no accumulator for legacy completions.
func streamLegacyOpenAIGo(q question) (outcome, error) {
	params, err := request[openai.CompletionNewParams](q)
	if err != nil {
		return outcome{}, err
	}
	client := newOpenAIGo(q)
	stream := client.Completions.NewStreaming(context.Background(), params)
	defer stream.Close()
	var came outcome
	for stream.Next() {
		chunk := stream.Current()
		came.addLegacyOpenAIGo(&chunk)
	}
	return came, stream.Err()
}

func askLegacyOpenAIGo(q question) (outcome, error) {
	params, err := request[openai.CompletionNewParams](q)
	if err != nil {
		return outcome{}, err
	}
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
	client := newOpenAIGo(q)
	res, err := client.Completions.New(context.Background(), params)
	if err != nil {
		return outcome{}, err
	}
	var came outcome
	came.addLegacyOpenAIGo(res)
	return came, nil
}

func (came *outcome) addLegacyOpenAIGo(res *openai.Completion) {
	if u := res.Usage; u.TotalTokens > 0 {
		came.Usage = &usage{u.PromptTokens, u.CompletionTokens, u.TotalTokens}
	}
	for _, c := range res.Choices {
		if c.Index == 0 {
			came.Text += c.Text
			came.Finish = cmp.Or(string(c.FinishReason), came.Finish)
		}
	}
}
