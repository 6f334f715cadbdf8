package responses_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

func read(t *testing.T, body string) *scenarios.Request {
	t.Helper()
	req, err := responses.Surface{}.Read(nil, []byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return req
}

// What conditions look at is what they look at on chat completions: one message of
// the assistant for each answer, and one of a tool for each output.
func TestItemsAreReadAsMessages(t *testing.T) {
	t.Parallel()
	tests := []struct {
		input, want string
		turn        int
	}{
		{`"input":"Hi"`, "user:Hi", 1},
		{`"instructions":"Be kind.","input":"Hi"`, "system:Be kind. user:Hi", 1},
		{`"input":[{"role":"developer","content":"D"},{"type":"message","role":"user","content":[{"type":"input_text","text":"A"},{"type":"input_image","image_url":"x"},{"type":"input_text","text":"B"}]}]`, "developer:D user:A\nB", 1},
		{`"input":[{"role":"user","content":"Q"},{"type":"reasoning","id":"rs_1","summary":[]},{"role":"assistant","content":[{"type":"output_text","text":"Let me look."}]},` +
			`{"type":"function_call","call_id":"c1","name":"f","arguments":"{}"},{"type":"custom_tool_call","call_id":"c2","name":"g","input":"x"},` +
			`{"type":"function_call_output","call_id":"c1","output":"18"},{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"19"}]}]`,
			"user:Q assistant:Let me look. tool(c1):18 tool(c2):19", 2},
		{`"input":[{"type":"item_reference","id":"msg_1"},{"type":"function_call_output","call_id":"c1","output":"18"},{"type":"function_call","call_id":"c3","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c3","output":"7"}]`,
			"assistant: tool(c1):18 assistant: tool(c3):7", 3},
		{`"previous_response_id":"resp_1","input":[{"type":"function_call_output","call_id":"c1","output":"18"}]`, "tool(c1):18", 2},
	}
	for _, tt := range tests {
		req := read(t, `{"model":"gpt-4o",`+tt.input+"}")
		var got []string
		for _, m := range req.Messages {
			role := m.Role
			if m.ToolCallID != "" {
				role += "(" + m.ToolCallID + ")"
			}
			got = append(got, role+":"+m.Text)
		}
		if strings.Join(got, " ") != tt.want || req.Turn != tt.turn {
			t.Errorf("%s: got %q in turn %d, want %q in turn %d", tt.input, got, req.Turn, tt.want, tt.turn)
		}
	}
}

func TestTheRestOfARequestIsRead(t *testing.T) {
	t.Parallel()
	req := read(t, `{"model":"gpt-4o","stream":true,"user":"alice","input":"Hi","include":["message.output_text.logprobs"],"top_logprobs":3,
		"stream_options":{"include_obfuscation":false},"text":{"format":{"type":"json_schema","name":"n","schema":{"type":"object"}}},
		"tools":[{"type":"function","name":"f","parameters":{"type":"object"}},{"type":"custom","name":"g"},{"type":"web_search"}]}`)
	got := fmt.Sprintln(req.Surface, req.Stream, req.User, req.LastUser, req.Logprobs, req.TopLogprobs, req.IncludeObfuscation, req.Schema)
	if want := "responses true alice Hi true 3 false {\"type\":\"object\"}\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if want := `[{function f {"type":"object"}} {custom g } {web_search web_search }]`; fmt.Sprint(req.Tools) != want {
		t.Errorf("the tools are %v, want %s", req.Tools, want)
	}
}

// A lenient server takes what scenarios do not look at as it is; a strict one
// answers what the real service answers.
func TestRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ members, message, param, code string }{
		{`"model":null`, "Missing required parameter: 'model'.", "model", "missing_required_parameter"},
		{`"temperature":-1`, "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.", "temperature", "decimal_below_min_value"},
		{`"max_output_tokens":5`, "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead.", "max_output_tokens", "integer_below_min_value"},
		{`"model":"o3","temperature":0.5`, "Unsupported parameter: 'temperature' is not supported with this model.", "temperature", ""},
		{`"messages":[]`, "Unknown parameter: 'messages'.", "messages", "unknown_parameter"},
		{`"previous_response_id":"a b"`, "Invalid 'previous_response_id': 'a b'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.", "previous_response_id", ""},
		{`"input":[{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"}]`, "No tool output found for function call call_1.", "input", ""},
		{`"input":[{"type":"reasoning","id":"rs_1","summary":[]}]`, "Item 'rs_1' of type 'reasoning' was provided without its required following item.", "input", ""},
		{`"input":[{"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":"Hi"}]`, "Item 'rs_1' of type 'reasoning' was provided without its required following item.", "input", ""},
		{`"tools":[{"type":"function","function":{"name":"f"}}]`, "Missing required parameter: 'tools[0].name'.", "tools[0].name", "missing_required_parameter"},
		{`"text":{"format":{"type":"json_schema","schema":{}}}`, "Missing required parameter: 'text.format.name'.", "text.format.name", "missing_required_parameter"},
		{`"include":["everything"]`, "Invalid value: 'everything'.", "include[0]", "invalid_value"},
	}
	lenient, strict := serve(t, "name: x\nmessage: Hi"), serve(t, "name: x\nstrict: true\nmessage: Hi")
	for _, tt := range tests {
		if status, body := ask(t, lenient, tt.members); status != http.StatusOK {
			t.Errorf("a lenient server refuses %s: %s", tt.members, body)
		}
		status, body := ask(t, strict, tt.members)
		if status != http.StatusBadRequest {
			t.Errorf("%s: %d %s", tt.members, status, body)
			continue
		}
		e := parse(t, body).Get("error")
		if !strings.HasPrefix(e.Get("message").Text(), tt.message) || e.Get("param").Text() != tt.param || e.Get("code").Text() != tt.code {
			t.Errorf("%s: got %s, want %q at %s, code %q", tt.members, e, tt.message, tt.param, tt.code)
		}
	}
	for _, members := range []string{
		streamed, `"input":[{"type":"reasoning","id":"rs_1","summary":[]},{"role":"assistant","content":"Hi"}],"instructions":null,"metadata":{"a":"b"}`,
		`"tools":[{"type":"web_search","search_context_size":"low"},{"type":"function","name":"f","parameters":{},"strict":false}],"tool_choice":{"type":"function","name":"f"}`,
		`"reasoning":{"effort":"low","summary":"auto"},"text":{"verbosity":"low"},"service_tier":"flex","store":false,"parallel_tool_calls":false`,
	} {
		if status, body := ask(t, strict, members); status != http.StatusOK {
			t.Errorf("a strict server refuses %s: %s", members, body)
		}
	}
}

// These are read in any case, so that their types must be right.
func TestTypesThatAreWrongAreRefused(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nmessage: Hi")
	for members, message := range map[string]string{
		`"input":5`:                             "Invalid type for 'input': expected one of a string or array of objects, but got an integer instead.",
		`"input":["Hi"]`:                        "Invalid type for 'input[0]': expected an object, but got a string instead.",
		`"stream":"yes"`:                        "Invalid type for 'stream': expected a boolean, but got a string instead.",
		`"tools":{}`:                            "Invalid type for 'tools': expected an array of objects, but got an object instead.",
		`"top_logprobs":21`:                     "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 20, but got 21 instead.",
		`"input":[{"role":"user","content":5}]`: "Invalid type for 'input[0].content': expected a string, but got an integer instead.",
	} {
		if status, body := ask(t, url, members); status != http.StatusBadRequest || !strings.Contains(body, message) {
			t.Errorf("%s: %d %s, want %s", members, status, body, message)
		}
	}
}

func TestHistoriesThatCannotBe(t *testing.T) {
	t.Parallel()
	const call = `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`
	const output = `{"type":"function_call_output","call_id":"c","output":"1"}`
	for input, want := range map[string]string{
		`"input":[` + call + `,` + output + `]`:                                "",
		`"input":[` + output + `]`:                                             "Invalid 'input[0].call_id': there is no call 'c' before its output.",
		`"previous_response_id":"resp_1","input":[` + output + `]`:             "",
		`"input":[{"type":"item_reference","id":"fc_1"},` + output + `]`:       "",
		`"input":[` + call + `,` + output + `,` + call + `,` + output + `]`:    "Invalid 'input[2].call_id': the id 'c' is that of another call, at 'input[0]'.",
		`"input":[` + strings.Replace(call, `{}`, `{`, 1) + `,` + output + `]`: "Invalid 'input[0].arguments': the arguments are not JSON: unexpected end of JSON input.",
		`"input":[` + call + `]`:                                               "No tool output found for function call c.",
	} {
		got := ""
		if err := (responses.Surface{}).CheckHistory(read(t, `{"model":"gpt-4o",`+input+"}")); err != nil {
			got = err.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", input, got, want)
		}
	}
}

// What a request says of itself is told again in the answer, and what it does not
// say as the real service takes it.
func TestTheRequestIsRepeatedInTheAnswer(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nmessage: Hi\nenvelope: { id: resp_mine, service_tier: flex, extra: { vendor: x } }")
	_, body := ask(t, url, `"instructions":"Be kind.","temperature":0.5,"metadata":{"run":"7"},"reasoning":{"summary":"auto"},"text":{"verbosity":"low"},`+
		`"tools":[{"type":"function","name":"f","strict":false}],"store":false,"user":"alice","service_tier":"auto"`)
	v := parse(t, body)
	for name, want := range map[string]string{
		"id": `"resp_mine"`, "model": `"gpt-4o-2024-08-06"`, "instructions": `"Be kind."`, "temperature": "0.5", "metadata": `{"run":"7"}`,
		"reasoning": `{"effort":null,"summary":"auto"}`, "text": `{"format":{"type":"text"},"verbosity":"low"}`, "store": "false", "user": `"alice"`,
		"tools": `[{"type":"function","description":null,"name":"f","parameters":null,"strict":false}]`, "top_p": "1.0", "truncation": `"disabled"`,
		"service_tier": `"flex"`, "vendor": `"x"`, "created_at": "1790000000", "completed_at": "1790000000",
	} {
		if got := v.Get(name).String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if want := "\n  \"text\": {\n    \"format\": {\n      \"type\": \"text\"\n    },\n    \"verbosity\": \"low\"\n  },\n"; !strings.Contains(body, want) {
		t.Errorf("the body is not laid out like other answers in one piece:\n%s", body)
	}
	_, stream := ask(t, url, streamed)
	if started := events(t, stream)[0].Get("response"); started.Get("id").Text() != "resp_mine" || !started.Get("completed_at").IsNull() {
		t.Errorf("the stream begins with %s", started)
	}
}

// An agent that sends its items again gets through three turns, and ids are new in
// each.
func TestAToolLoopOfThreeTurns(t *testing.T) {
	t.Parallel()
	url := serve(t, `
name: agent
replies:
  - when: { turn: 3, tool_result: { content: { contains: tomorrow } } }
    message: Go tomorrow.
  - when: { turn: 2, tool_result: { id: call_1, content: "18" } }
    message: { tool_calls: [{ id: call_2, name: forecast, arguments: { day: tomorrow } }] }
  - when: { turn: 1, user: { contains: Oslo } }
    message: { reasoning: Hm., tool_calls: [{ id: call_1, name: weather, arguments: { city: Oslo } }] }
`)
	input := []string{`{"role":"user","content":"When do I go to Oslo?"}`}
	ids := map[string]bool{}
	for _, output := range []string{`"18"`, `"sun tomorrow"`, ""} {
		_, stream := ask(t, url, streamed+`,"input":[`+strings.Join(input, ",")+"]")
		answer := last(t, stream)
		for _, item := range answer.Get("output").Items() {
			id := item.Get("id").Text()
			if ids[id] {
				t.Errorf("the id %s is there again", id)
			}
			ids[id] = true
			input = append(input, item.String())
			if call := item.Get("call_id"); !call.IsAbsent() {
				input = append(input, `{"type":"function_call_output","call_id":`+call.String()+`,"output":`+output+`}`)
			}
		}
	}
	if end := input[len(input)-1]; !strings.Contains(end, "Go tomorrow.") || len(ids) != 4 {
		t.Errorf("the loop ends with %s, and %d items", end, len(ids))
	}
}
