// openai-go-error-null: A sound answer ends in an error without a message.
package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

const body = `data: {"choices":[{"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"error":null,"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"content":"Hello"},"finish_reason":null,"index":0,"logprobs":null}],"error":null,"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{"content":" world"},"finish_reason":null,"index":0,"logprobs":null}],"error":null,"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"choices":[{"delta":{},"finish_reason":"stop","index":0,"logprobs":null}],"error":null,"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk"}

data: {"choices":[],"error":null,"id":"chatcmpl_1","model":"gpt-4o-2024-08-06","object":"chat.completion.chunk","usage":{"completion_tokens":2,"completion_tokens_details":{"accepted_prediction_tokens":0,"audio_tokens":0,"reasoning_tokens":0,"rejected_prediction_tokens":0},"prompt_tokens":8,"prompt_tokens_details":{"audio_tokens":0,"cached_tokens":0},"total_tokens":10}}

data: [DONE]

`

func main() {
	service := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = fmt.Fprint(w, body) }))
	client := openai.NewClient(option.WithBaseURL(service.URL), option.WithAPIKey("sk-any"), option.WithMaxRetries(0))
	asked := openai.ChatCompletionNewParams{Model: "gpt-4o", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("Hello")}}
	stream := client.Chat.Completions.NewStreaming(context.Background(), asked)
	fmt.Println(stream.Next(), stream.Current().Choices, stream.Err())
}
