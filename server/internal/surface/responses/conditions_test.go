package responses_test

import (
	"fmt"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
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

// TestConditionsMeanTheSameOnBothSurfaces tries each condition with each conversation. Holds
// has one letter for each conversation: y if it fulfils the condition.
func TestConditionsMeanTheSameOnBothSurfaces(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ condition, holds string }{
		{`user: "Weather in Oslo?"`, "y.y."},
		{`user: "Weather in\nOslo?"`, ".y.."},
		{`user: { contains: Weather }`, "yyyy"},
		{`system: { contains: brief }`, ".y.."},
		{`system: { contains: jokes }`, ".y.."},
		{`messages: { contains: Let me look }`, "..y."},
		{`messages: { matches: "^Hello$" }`, "...y"},
		{`turn: 1`, "yy.."},
		{`turn: 2`, "..y."},
		{`turn: 3`, "...y"},
		{`tools: [weather]`, ".y.."},
		{`tools: [weather, sql]`, ".y.."},
		{`tools: [rows]`, "...."},
		{`tool_result: { id: c1 }`, "..yy"},
		{`tool_result: { id: c2, content: no rows }`, "..y."},
		{`tool_result: [{ id: c1, content: { contains: "18" } }, { id: c2 }]`, "..y."},
		{`stream: true`, ".y.."},
		{`body: { user: alice }`, ".y.."},
		{`model: gpt-*`, "yyyy"},
		{`model: o3`, "...."},
	} {
		set := conditionSet(t, tt.condition)
		for i, c := range conversations {
			onChat, err := chat.Surface{}.Read(nil, []byte(`{"model":"gpt-4o",`+c.chat+`}`))
			if err != nil {
				t.Fatal(err)
			}
			onResponses, err := responses.Surface{}.Read(nil, []byte(`{"model":"gpt-4o",`+c.responses+`}`))
			if err != nil {
				t.Fatal(err)
			}
			want := tt.holds[i] == 'y'
			if got := holds(t, set, onChat); got != want {
				t.Errorf("%s: %s on chat: %t", c.name, tt.condition, got)
			}
			if got := holds(t, set, onResponses); got != want {
				t.Errorf("%s: %s on responses: %t", c.name, tt.condition, got)
			}
			if a, b := calls(onChat), calls(onResponses); a != b {
				t.Errorf("%s: the calls are %s on chat and %s on responses", c.name, a, b)
			}
		}
	}
}

// conditionSet returns a scenario with one reply for requests that fulfil the condition, and
// one for all others.
func conditionSet(t *testing.T, condition string) *scenarios.Set {
	t.Helper()
	list, problems := yamlfile.Parse("test.yaml", []byte("name: x\nreplies:\n  - when: { "+condition+" }\n    message: Yes\n  - message: No\n"))
	set, more := scenarios.Build(list...)
	if err := append(problems, more...).Err(); err != nil {
		t.Fatalf("%s: %v", condition, err)
	}
	return set
}

func holds(t *testing.T, set *scenarios.Set, req *scenarios.Request) bool {
	t.Helper()
	sel, none := set.Match(req, nil, "", 1)
	if none != nil {
		t.Fatal(none.Reason)
	}
	return sel.Index == 0
}

// calls returns the calls of all messages as text.
func calls(req *scenarios.Request) string {
	text := ""
	for _, m := range req.Messages {
		text += fmt.Sprint(m.ToolCalls)
	}
	return text
}
