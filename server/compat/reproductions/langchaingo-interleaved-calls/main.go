// langchaingo-interleaved-calls: The arguments of one call go to another: a call of `delete_file` without arguments, and one of `read_file` with those of both.
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

const body = `data: {"choices":[{"delta":{"content":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"","name":"delete_file"},"id":"call_a","index":0,"type":"function"}]},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\"path\":\"/etc/b\"}","name":"read_file"},"id":"call_b","index":1,"type":"function"}]},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"tool_calls":[{"function":{"arguments":"{\"path\":\"/tmp/a\"}"},"index":0}]},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{},"finish_reason":"tool_calls","index":0,"logprobs":null}],"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: [DONE]

`

func main() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, body) }))
	llm, _ := openai.New(openai.WithBaseURL(service.URL), openai.WithToken("sk-any"))
	res, err := llm.GenerateContent(context.Background(), []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "Hello")}, llms.WithStreamingFunc(func(context.Context, []byte) error { return nil }))
	calls, _ := json.Marshal(res.Choices[0].ToolCalls)
	fmt.Println(res.Choices[0].Content, string(calls), err)
}
