// langchaingo-error-in-stream: An error of the service is swallowed, and half of the answer is taken for the whole.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/tmc/langchaingo/llms"
	"github.com/tmc/langchaingo/llms/openai"
)

const body = `data: {"choices":[{"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"content":"Do not "},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"error":{"code":null,"message":"The server had an error.","param":null,"type":"server_error"}}

`

func main() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, body) }))
	llm, _ := openai.New(openai.WithBaseURL(service.URL), openai.WithToken("sk-any"))
	res, err := llm.GenerateContent(context.Background(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hello")}, llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
	calls, _ := json.Marshal(res.Choices[0].ToolCalls)
	fmt.Println(res.Choices[0].Content, string(calls), err)
}
