// The adapter of openai-go for fakeopenai conform.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
)

func main() {
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var q struct {
			Surface string
			BaseURL string `json:"base_url"`
			APIKey  string `json:"api_key"`
			Request openai.ChatCompletionNewParams
		}
		outcome := map[string]any{"skip": "it asks for chat completions alone"}
		if err := json.Unmarshal(lines.Bytes(), &q); err == nil && q.Surface == "chat" {
			client := openai.NewClient(option.WithBaseURL(q.BaseURL), option.WithAPIKey(q.APIKey), option.WithMaxRetries(0))
			stream, acc := client.Chat.Completions.NewStreaming(context.Background(), q.Request), openai.ChatCompletionAccumulator{}
			for stream.Next() {
				acc.AddChunk(stream.Current())
			}
			c, calls := append(acc.Choices, openai.ChatCompletionChoice{})[0], []map[string]string{}
			for _, t := range c.Message.ToolCalls {
				calls = append(calls, map[string]string{"id": t.ID, "name": t.Function.Name, "arguments": t.Function.Arguments})
			}
			outcome = map[string]any{"text": c.Message.Content, "refusal": c.Message.Refusal, "finish": c.FinishReason, "calls": calls, "usage": acc.Usage}
			if err := stream.Err(); err != nil {
				outcome = map[string]any{"error": err.Error()}
			}
		}
		_ = json.NewEncoder(os.Stdout).Encode(outcome)
	}
}
