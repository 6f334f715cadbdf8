package main

import (
	"cmp"
	"context"
	"encoding/json"

	"github.com/firebase/genkit/go/ai"
	"github.com/firebase/genkit/go/genkit"
	"github.com/firebase/genkit/go/plugins/compat_oai"
	anyllm "github.com/mozilla-ai/any-llm-go"
	anyllmopenai "github.com/mozilla-ai/any-llm-go/providers/openai"
	openaiv1 "github.com/openai/openai-go"
	"github.com/openai/openai-go/option"
)

// askGenkit uses genkit with its plugin for servers that speak as OpenAI does, and takes what it returns at the end.
func askGenkit(q question) (came outcome, err error) {
	asked, err := request[simple](q)
	if err != nil {
		return came, err
	}
	plugin := &compat_oai.OpenAICompatible{Provider: "fake", APIKey: q.APIKey, BaseURL: q.BaseURL, Opts: []option.RequestOption{option.WithMaxRetries(0)}}
	options := []ai.GenerateOption{
		ai.WithModelName("fake/" + asked.Model), ai.WithReturnToolRequests(true),
		ai.WithConfig(&openaiv1.ChatCompletionNewParams{StreamOptions: openaiv1.ChatCompletionStreamOptionsParam{IncludeUsage: openaiv1.Bool(true)}}),
		ai.WithStreaming(func(context.Context, *ai.ModelResponseChunk) error { return nil }),
	}
	for _, m := range asked.Messages {
		options = append(options, ai.WithMessages(ai.NewUserTextMessage(m.Content)))
	}
	ctx := context.Background()
	res, err := genkit.Generate(ctx, genkit.Init(ctx, genkit.WithPlugins(plugin)), options...)
	if err != nil {
		return came, err
	}
	came.Text = res.Text()
	for _, t := range res.ToolRequests() {
		arguments, err := json.Marshal(t.Input)
		if err != nil {
			return came, err
		}
		came.Calls = append(came.Calls, call{t.Ref, t.Name, string(arguments)})
	}
	if u := res.Usage; u.TotalTokens > 0 {
		came.Usage = &usage{int64(u.InputTokens), int64(u.OutputTokens), int64(u.TotalTokens)}
	}
	came.Refusal = res.FinishMessage
	came.Finish = genkitFinish(res)
	return came, nil
}

// genkitFinish is the finish in the words of chat completions: genkit has one word for calls and for an answer, and says
// of a refusal that it is blocked.
func genkitFinish(res *ai.ModelResponse) string {
	switch {
	case res.FinishReason == ai.FinishReasonStop && len(res.ToolRequests()) > 0:
		return "tool_calls"
	case res.FinishReason == ai.FinishReasonBlocked && res.FinishMessage == "":
		return "content_filter"
	case res.FinishReason == ai.FinishReasonBlocked:
		return "stop"
	case res.FinishReason == ai.FinishReasonOther:
		return "function_call"
	case res.FinishReason == ai.FinishReasonUnknown:
		return ""
	}
	return string(res.FinishReason)
}

// streamAnyLLM uses any-llm-go, and joins the chunks. It tries again by itself, which cannot be switched off.
func streamAnyLLM(q question) (came outcome, err error) {
	asked, err := request[simple](q)
	if err != nil {
		return came, err
	}
	provider, err := anyllmopenai.New(anyllm.WithAPIKey(q.APIKey), anyllm.WithBaseURL(q.BaseURL))
	if err != nil {
		return came, err
	}
	params := anyllm.CompletionParams{Model: asked.Model, StreamOptions: &anyllm.StreamOptions{IncludeUsage: true}}
	for _, m := range asked.Messages {
		params.Messages = append(params.Messages, anyllm.Message{Role: anyllm.RoleUser, Content: m.Content})
	}
	chunks, errs := provider.CompletionStream(context.Background(), params)
	for chunk := range chunks {
		came.addAnyLLM(&chunk)
	}
	return came, <-errs
}

func (came *outcome) addAnyLLM(chunk *anyllm.ChatCompletionChunk) {
	if u := chunk.Usage; u != nil {
		came.Usage = &usage{int64(u.PromptTokens), int64(u.CompletionTokens), int64(u.TotalTokens)}
	}
	for _, c := range chunk.Choices {
		if c.Index != 0 {
			continue
		}
		came.Text += c.Delta.Content
		came.Finish = cmp.Or(c.FinishReason, came.Finish)
		for _, t := range c.Delta.ToolCalls {
			came.addPiece(t.ID, t.Function.Name, t.Function.Arguments)
		}
	}
}
