package main

import (
	"cmp"
	"context"
	"errors"
	"io"

	goopenai "github.com/sashabaranov/go-openai"
)

func newGoOpenAI(q question) *goopenai.Client {
	config := goopenai.DefaultConfig(q.APIKey)
	config.BaseURL = q.BaseURL
	return goopenai.NewClientWithConfig(config)
}

// streamGoOpenAI joins the chunks, because go-openai has no accumulator.
func streamGoOpenAI(q question) (came outcome, err error) {
	req, err := request[goopenai.ChatCompletionRequest](q)
	if err != nil {
		return came, err
	}
	stream, err := newGoOpenAI(q).CreateChatCompletionStream(context.Background(), req)
	if err != nil {
		return came, err
	}
	defer stream.Close()
	err = receive(stream.Recv, came.addGoOpenAI)
	return came, err
}

// receive adds what comes until the stream ends.
func receive[T any](next func() (T, error), add func(*T)) error {
	for {
		chunk, err := next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		add(&chunk)
	}
}

func (came *outcome) addGoOpenAI(chunk *goopenai.ChatCompletionStreamResponse) {
	if chunk.Usage != nil {
		came.Usage = fromGoOpenAIUsage(chunk.Usage)
	}
	for _, c := range chunk.Choices {
		if c.Index != 0 {
			continue
		}
		came.Text += c.Delta.Content
		came.Refusal += c.Delta.Refusal
		came.Finish = cmp.Or(string(c.FinishReason), came.Finish)
		if f := c.Delta.FunctionCall; f != nil {
			came.addCall(0, "", f.Name, f.Arguments)
		}
		for _, t := range c.Delta.ToolCalls {
			at := len(came.Calls)
			if t.Index != nil {
				at = *t.Index
			}
			came.addCall(at, t.ID, t.Function.Name, t.Function.Arguments)
		}
	}
}

// addCall adds a piece of the call with an index.
func (came *outcome) addCall(at int, id, name, arguments string) {
	for len(came.Calls) <= at {
		came.Calls = append(came.Calls, call{})
	}
	known := &came.Calls[at]
	known.ID = cmp.Or(known.ID, id)
	known.Name += name
	known.Arguments += arguments
}

func fromGoOpenAIUsage(u *goopenai.Usage) *usage {
	return &usage{int64(u.PromptTokens), int64(u.CompletionTokens), int64(u.TotalTokens)}
}

func streamLegacyGoOpenAI(q question) (came outcome, err error) {
	req, err := request[goopenai.CompletionRequest](q)
	if err != nil {
		return came, err
	}
	stream, err := newGoOpenAI(q).CreateCompletionStream(context.Background(), req)
	if err != nil {
		return came, err
	}
	defer stream.Close()
	err = receive(stream.Recv, came.addLegacyGoOpenAI)
	return came, err
}

func (came *outcome) addLegacyGoOpenAI(res *goopenai.CompletionResponse) {
	if res.Usage != nil {
		came.Usage = fromGoOpenAIUsage(res.Usage)
	}
	for _, c := range res.Choices {
		if c.Index == 0 {
			came.Text += c.Text
			came.Finish = cmp.Or(c.FinishReason, came.Finish)
		}
	}
}
