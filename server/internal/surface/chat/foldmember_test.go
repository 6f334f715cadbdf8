package chat_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

func TestFoldKeepsMembersOfOtherProviders(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		deltas []string
		want   string // the message, without the members that all messages have
	}{
		{"text", []string{`{"thought":"a"}`, `{"thought":"b"}`}, `{"thought":"ab"}`},
		{"an object", []string{`{"image_url":{"url":"data:"}}`}, `{"image_url":{"url":"data:"}}`},
		{"an object in parts", []string{`{"x":{"text":"a","n":1}}`, `{"x":{"text":"b","n":2,"id":"i"}}`}, `{"x":{"text":"ab","n":2,"id":"i"}}`},
		{"a number", []string{`{"score":1}`, `{"score":2}`}, `{"score":2}`},
		{"a boolean", []string{`{"flag":true}`, `{"flag":null}`}, `{"flag":true}`},
		{"a list", []string{`{"images":[1]}`, `{"images":[{"url":"u"}]}`}, `{"images":[1,{"url":"u"}]}`},
		{"a list by index", []string{`{"details":[{"index":0,"type":"t","text":"a"}]}`, `{"details":[{"index":1,"text":"c"},{"index":0,"type":"t","text":"b"}]}`},
			`{"details":[{"index":0,"type":"t","text":"ab"},{"index":1,"text":"c"}]}`},
		{"text, then something else", []string{`{"x":"a"}`, `{"x":5}`}, `{"x":5}`},
		{"only null", []string{`{"x":null}`}, `{"x":null}`},
		{"beside a call", []string{
			`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"},"extra_content":{"google":{"thought_signature":"c2ln"}}}]}`,
			`{"tool_calls":[{"index":0,"function":{"arguments":"}","strict":true}}]}`,
		}, `{"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}","strict":true},"extra_content":{"google":{"thought_signature":"c2ln"}}}]}`},
		{"in a legacy call", []string{`{"function_call":{"name":"f","arguments":"{}","strict":true}}`}, `{"function_call":{"name":"f","arguments":"{}","strict":true}}`},
		{"content that is no text", []string{`{"content":[{"type":"text","text":"a"}]}`}, `{"content":[{"type":"text","text":"a"}]}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var groups []script.Group
			for _, d := range tt.deltas {
				groups = append(groups, says(script.Literal{Surface: "chat", Member: "delta", Value: object(t, d)}))
			}
			message := fold(t, scenarios.LayoutGPT4o, groups...).Get("choices").Items()[0].Get("message")
			got := ojson.Object()
			for _, m := range message.Members() {
				switch m.Name {
				case "role", "refusal", "annotations":
					continue
				case "content":
					if m.Value.IsNull() {
						continue
					}
				}
				got.Set(m.Name, m.Value)
			}
			if got.String() != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}
