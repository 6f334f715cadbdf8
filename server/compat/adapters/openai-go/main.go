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
		outcome := map[string]any{"skip": "the adapter asks for chat completions alone"}
		if err := json.Unmarshal(lines.Bytes(), &q); err == nil && q.Surface == "chat" {
			client := openai.NewClient(option.WithBaseURL(q.BaseURL), option.WithAPIKey(q.APIKey), option.WithMaxRetries(0))
			stream, acc := client.Chat.Completions.NewStreaming(context.Background(), q.Request), openai.ChatCompletionAccumulator{}
			for stream.Next() {
				acc.AddChunk(stream.Current())
			}
			outcome = map[string]any{"usage": map[string]int64{"prompt_tokens": acc.Usage.PromptTokens, "completion_tokens": acc.Usage.CompletionTokens}}
			for _, c := range acc.Choices[:min(1, len(acc.Choices))] {
				calls := []map[string]string{}
				for _, t := range c.Message.ToolCalls {
					calls = append(calls, map[string]string{"id": t.ID, "name": t.Function.Name, "arguments": t.Function.Arguments})
				}
				outcome["text"], outcome["refusal"], outcome["calls"], outcome["finish"] = c.Message.Content, c.Message.Refusal, calls, c.FinishReason
			}
			if err := stream.Err(); err != nil {
				outcome = map[string]any{"error": err.Error()}
			}
		}
		_ = json.NewEncoder(os.Stdout).Encode(outcome)
	}
}
