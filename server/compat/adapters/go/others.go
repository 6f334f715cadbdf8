package main

import (
	"context"
	"errors"
	"io"

	"github.com/Azure/azure-sdk-for-go/sdk/ai/azopenai"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/tmc/langchaingo/llms"
	langchain "github.com/tmc/langchaingo/llms/openai"
)

// simple is what is taken of a request for clients whose types cannot be read from JSON. Its messages
// are those of the user.
type simple struct {
	Model    string
	Messages []struct{ Content string }
}

var always = true

// streamAzopenai uses Azure's client, which can also use servers that are not Azure's. It joins the
// chunks, because the client has no accumulator.
func streamAzopenai(q question) (came outcome, err error) {
	asked, err := request[simple](q)
	if err != nil {
		return came, err
	}
	body := azopenai.ChatCompletionsStreamOptions{DeploymentName: &asked.Model, StreamOptions: &azopenai.ChatCompletionStreamOptions{IncludeUsage: &always}}
	for _, m := range asked.Messages {
		body.Messages = append(body.Messages, &azopenai.ChatRequestUserMessage{Content: azopenai.NewChatRequestUserMessageContent(m.Content)})
	}
	var options azopenai.ClientOptions
	options.InsecureAllowCredentialWithHTTP = true
	options.Retry = policy.RetryOptions{MaxRetries: -1} // 0 would be three
	client, err := azopenai.NewClientForOpenAI(q.BaseURL, azcore.NewKeyCredential(q.APIKey), &options)
	if err != nil {
		return came, err
	}
	res, err := client.GetChatCompletionsStream(context.Background(), body, nil)
	if err != nil {
		return came, err
	}
	defer res.ChatCompletionsStream.Close()
	for {
		chunk, err := res.ChatCompletionsStream.Read()
		if errors.Is(err, io.EOF) {
			return came, nil
		}
		if err != nil {
			return came, err
		}
		came.addAzopenai(&chunk)
	}
}

func (came *outcome) addAzopenai(chunk *azopenai.ChatCompletions) {
	if u := chunk.Usage; u != nil {
		came.Usage = &usage{int64(value(u.PromptTokens)), int64(value(u.CompletionTokens)), int64(value(u.TotalTokens))}
	}
	for _, c := range chunk.Choices {
		if c.FinishReason != nil {
			came.Finish = string(*c.FinishReason)
		}
		if c.Delta == nil || value(c.Index) != 0 {
			continue
		}
		came.Text += value(c.Delta.Content)
		came.Refusal += value(c.Delta.Refusal)
		if f := c.Delta.FunctionCall; f != nil {
			came.addCall(0, "", value(f.Name), value(f.Arguments))
		}
		for _, t := range c.Delta.ToolCalls {
			if t, ok := t.(*azopenai.ChatCompletionsFunctionToolCall); ok && t.Function != nil {
				came.addPiece(value(t.ID), value(t.Function.Name), value(t.Function.Arguments))
			}
		}
	}
}

// addPiece adds a piece of a call to the last one, or begins another where it has an id: azopenai
// and any-llm-go do not hand over the index.
func (came *outcome) addPiece(id, name, arguments string) {
	at := len(came.Calls) - 1
	if id != "" || at < 0 {
		at++
	}
	came.addCall(at, id, name, arguments)
}

// value is what p points to, or else the zero value.
func value[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// askLangchaingo asks langchaingo for an answer whose pieces go to a function, and takes what it
// returns at the end.
func askLangchaingo(q question) (came outcome, err error) {
	asked, err := request[simple](q)
	if err != nil {
		return came, err
	}
	llm, err := langchain.New(langchain.WithBaseURL(q.BaseURL), langchain.WithToken(q.APIKey), langchain.WithModel(asked.Model))
	if err != nil {
		return came, err
	}
	var messages []llms.MessageContent
	for _, m := range asked.Messages {
		messages = append(messages, llms.TextParts(llms.ChatMessageTypeHuman, m.Content))
	}
	res, err := llm.GenerateContent(context.Background(), messages, llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
	if err != nil {
		return came, err
	}
	c := res.Choices[0]
	came.Text, came.Finish = c.Content, c.StopReason
	if total, ok := c.GenerationInfo["TotalTokens"].(int); ok && total > 0 {
		prompt, _ := c.GenerationInfo["PromptTokens"].(int)
		came.Usage = &usage{int64(prompt), int64(total - prompt), int64(total)}
	}
	for _, t := range c.ToolCalls {
		came.Calls = append(came.Calls, call{t.ID, t.FunctionCall.Name, t.FunctionCall.Arguments})
	}
	if c.FuncCall != nil && len(c.ToolCalls) == 0 {
		came.Calls = append(came.Calls, call{Name: c.FuncCall.Name, Arguments: c.FuncCall.Arguments})
	}
	return came, nil
}
