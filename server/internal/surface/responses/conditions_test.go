package responses_test

import (
	"fmt"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// conversations are requests with the same meaning on both surfaces.
var conversations = []struct{ name, chat, responses string }{
	{
		"a question",
		`"messages":[{"role":"user","content":"Weather in Oslo?"}]`,
		`"input":"Weather in Oslo?"`,
	}, {
		"instructions, tools and parts",
		`"stream":true,"user":"alice","messages":[{"role":"system","content":"Be brief."},{"role":"developer","content":"No jokes."},{"role":"user","content":[{"type":"text","text":"Weather in"},{"type":"image_url","image_url":{"url":"x"}},{"type":"text","text":"Oslo?"}]}],
		 "tools":[{"type":"function","function":{"name":"weather"}},{"type":"custom","custom":{"name":"sql"}}]`,
		`"stream":true,"user":"alice","instructions":"Be brief.","input":[{"role":"developer","content":"No jokes."},{"type":"message","role":"user","content":[{"type":"input_text","text":"Weather in"},{"type":"input_image","image_url":"x"},{"type":"input_text","text":"Oslo?"}]}],
		 "tools":[{"type":"function","name":"weather"},{"type":"custom","name":"sql"}]`,
	}, {
		"two calls and their results",
		`"messages":[{"role":"user","content":"Weather in Oslo?"},{"role":"assistant","content":"Let me look.","tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}},{"id":"c2","type":"custom","custom":{"name":"sql","input":"x"}}]},
		 {"role":"tool","tool_call_id":"c1","content":"18 degrees"},{"role":"tool","tool_call_id":"c2","content":[{"type":"text","text":"no rows"}]}]`,
		`"input":[{"role":"user","content":"Weather in Oslo?"},{"type":"reasoning","id":"rs_1","summary":[]},{"role":"assistant","content":[{"type":"output_text","text":"Let me look."}]},
		 {"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"},{"type":"custom_tool_call","call_id":"c2","name":"sql","input":"x"},
		 {"type":"function_call_output","call_id":"c1","output":"18 degrees"},{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"no rows"}]}]`,
	}, {
		"a third turn",
		`"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Weather?"},{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"18 degrees"}]`,
		`"input":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hello"},{"role":"user","content":"Weather?"},{"type":"function_call","call_id":"c1","name":"weather","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"18 degrees"}]`,
	},
}

// Conditions look at these members alone, so that they mean the same on both surfaces.
func TestARequestMeansTheSameOnBothSurfaces(t *testing.T) {
	t.Parallel()
	meaning := func(s surface.Surface, body string) string {
		req, err := s.Read(nil, []byte(`{"model":"gpt-4o",`+body+`}`))
		if err != nil {
			t.Fatal(err)
		}
		var tools []string
		for _, tool := range req.Tools {
			tools = append(tools, tool.Type+" "+tool.Name)
		}
		return fmt.Sprintf("%s %t %q %d %q\n%q\n%q", req.Model, req.Stream, req.User, req.Turn, req.LastUser, tools, req.Messages)
	}
	for _, c := range conversations {
		if a, b := meaning(chat.Surface{}, c.chat), meaning(responses.Surface{}, c.responses); a != b {
			t.Errorf("%s is on chat\n%s\nand on responses\n%s", c.name, a, b)
		}
	}
}
