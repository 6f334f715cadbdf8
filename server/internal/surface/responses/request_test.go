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

// Conditions see the same messages as on chat completions: one of the assistant for each
// answer, one of a tool for each output.
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

// A lenient server ignores members that no condition looks at; a strict one refuses what the
// real service refuses.
func TestRequestsThatAreRefused(t *testing.T) {
	t.Parallel()
	tests := []struct{ members, message, param, code string }{
		{`"model":null`, "Invalid type for 'model': expected a string, but got an object instead.", "model", "invalid_type"},
		{`"model":""`, "The requested model '' does not exist.", "model", "model_not_found"},
		{`"temperature":-1`, "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -1 instead.", "temperature", "decimal_below_min_value"},
		{`"max_output_tokens":5`, "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 5 instead.", "max_output_tokens", "integer_below_min_value"},
		{`"model":"o3","temperature":0.5`, "Unsupported parameter: 'temperature' is not supported with this model.", "temperature", ""},
		{`"messages":[]`, "Unsupported parameter: 'messages'. In the Responses API, this parameter has moved to 'input'. Try again", "", "unsupported_parameter"},
		{`"stop":"x","truncation":"no"`, "Unknown parameter: 'stop'. Did you mean 'store'?", "stop", "unknown_parameter"},
		{`"input":""`, `One of "input" or "previous_response_id" or 'prompt' or 'conversation' must be provided.`, "", "missing_required_parameter"},
		{`"input":null`, "Invalid type for 'input': expected a string, but got an object instead.", "input", "invalid_type"},
		{`"input":[],"truncation":"no"`, "Invalid value: 'no'. Supported values are: 'auto' and 'disabled'.", "truncation", "invalid_value"},
		{`"model":"gpt-5.6","input":[],"temperature":1`, `One of "input" or`, "", "missing_required_parameter"},
		{`"model":"gpt-5.6","top_logprobs":1,"frequency_penalty":0.1`, "Unsupported parameter: 'frequency_penalty' is not supported with this model.", "frequency_penalty", ""},
		{`"model":"gpt-5.6","top_logprobs":1,"include":["message.output_text.logprobs"]`, "logprobs are not supported with reasoning models.", "include", "unsupported_parameter"},
		{`"model":"gpt-5.6","reasoning":{"effort":"minimal"}`, "Unsupported value: 'minimal' is not supported with the 'gpt-5.6' model. Supported values are: 'none', 'low', 'medium', 'high', 'xhigh', and 'max'.", "reasoning.effort", "unsupported_value"},
		{`"model":"gpt-5.6","reasoning":{"effort":[]}`, "Invalid type for 'reasoning.effort': expected one of one of 'none', 'minimal', 'low', 'medium', 'high', 'xhigh', or 'max' or integer, but got an array instead.", "reasoning.effort", "invalid_type"},
		{`"model":"gpt-5.6","prompt_cache_retention":"in_memory"`, "This model is compatible only with 24h extended prompt caching", "prompt_cache_retention", "invalid_parameter"},
		{`"reasoning":{"effort":"low"}`, "Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning.effort", "unsupported_parameter"},
		{`"reasoning":{"generate_summary":"auto"}`, "Unknown parameter: 'reasoning.generate_summary'.", "reasoning.generate_summary", "unknown_parameter"},
		{`"input":[{}]`, "Invalid value: ''. Supported values are: 'assistant', 'system', 'developer', and 'user'.", "input[0]", "invalid_value"},
		{`"input":[{"role":"user","content":"Hi","phase":"commentary"}]`, "Unknown parameter: 'input[0].phase'.", "input[0].phase", "unknown_parameter"},
		{`"input":[{"role":"user","content":[{"type":"output_text","text":"Hi"}]}]`, "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', 'input_file', 'scoped_content', and 'input_audio'.", "input[0].content[0]", "invalid_value"},
		{`"tools":[{"type":"function","name":"f"}],"tool_choice":{"type":"function"}`, "Missing required parameter: 'tool_choice.name'.", "tool_choice.name", "missing_required_parameter"},
		{`"metadata":5`, "Invalid type for 'metadata': expected a metadata object, but got an integer instead.", "metadata", "invalid_type"},
		{`"previous_response_id":"a b"`, "Invalid 'previous_response_id': 'a b'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.", "previous_response_id", ""},
		{`"input":[{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"}]`, "No tool output found for function call call_1.", "input", ""},
		{`"input":[{"type":"reasoning","id":"rs_1","summary":[]}]`, "Item 'rs_1' of type 'reasoning' was provided without its required following item.", "input", ""},
		{`"input":[{"type":"reasoning","id":"rs_1","summary":[]},{"role":"user","content":"Hi"}]`, "Item 'rs_1' of type 'reasoning' was provided without its required following item.", "input", ""},
		{`"tools":[{"type":"function","function":{"name":"f"}}]`, "Missing required parameter: 'tools[0].name'.", "tools[0].name", "missing_required_parameter"},
		{`"text":{"format":{"type":"json_schema","schema":{}}}`, "Missing required parameter: 'text.format.name'.", "text.format.name", "missing_required_parameter"},
		{`"conversation":"conv_1","previous_response_id":"resp_1"`, "Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.", "", "mutually_exclusive_parameters"},
		{`"tool_choice":{"type":"function","name":"f"}`, "Tool choice 'function' not found in 'tools' parameter.", "tool_choice", ""},
		{`"text":{"format":{"type":"json_object"}}`, "Response input messages must contain the word 'json' in some form to use 'text.format' of type 'json_object'.", "input", ""},
		{`"tools":[{"type":"code_interpreter"}]`, "Missing required parameter: 'tools[0].container'.", "tools[0].container", "missing_required_parameter"},
		{`"tools":[{"type":"teleport"}]`, "Invalid value: 'teleport'. Supported values are: 'apply_patch', 'code_interpreter',", "tools[0]", "invalid_value"},
		{`"input":[{"role":"tool","content":"18"}]`, "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.", "input[0]", "invalid_value"},
		{`"input":[{"type":"tool_call"}]`, "Invalid value: 'tool_call'. Supported values are: 'additional_tools', 'agent_message', 'apply_patch_call',", "input[0]", "invalid_value"},
		{`"input":[{"role":"assistant","content":[{"type":"input_text","text":"Hi"}]}]`, "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.", "input[0].content[0]", "invalid_value"},
		{`"input":[{"role":"user","content":[{"type":"text","text":"Hi"}]}]`, "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', 'input_audio', 'output_text', 'refusal', 'input_file', 'computer_screenshot', 'summary_text', and 'encrypted_content'.", "input[0].content[0].type", "invalid_value"},
		{`"input":[{"role":"user","content":"Hi","tool_calls":[]}]`, "Unknown parameter: 'input[0].tool_calls'.", "input[0].tool_calls", "unknown_parameter"},
		{`"input":[{"role":"user"}]`, "Missing required parameter: 'input[0].content'.", "input[0].content", "missing_required_parameter"},
		{`"input":[{"type":"function_call","id":"call_1","call_id":"call_1","name":"f","arguments":"{}"}]`, "Invalid 'input[0].id': 'call_1'. Expected an ID that begins with 'fc'.", "input[0].id", "invalid_value"},
		{`"input":[{"type":"function_call_output","output":"18"}]`, "Missing required parameter: 'input[0].call_id'.", "input[0].call_id", "missing_required_parameter"},
		{`"input":[{"type":"function_call_output","call_id":"","output":"18"}]`, "Invalid 'input[0].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.", "input[0].call_id", "empty_string"},
		{`"input":[{"type":"function_call_output","call_id":"call_1","output":"18"}]`, "No tool call found for function call output with call_id call_1.", "input", ""},
		{`"input":[{"type":"custom_tool_call_output","call_id":"call_1","output":"18"}]`, "No tool call found for custom tool call output with call_id call_1.", "input", ""},
		{`"input":[{"role":"assistant","id":"msg_1","content":"A"},{"role":"assistant","id":"msg_1","content":"B"}]`, "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.", "input", ""},
		{`"input":[{"type":"reasoning","id":"rs_1","summary":[],"status":null},{"role":"assistant","content":"Hi"}]`, "Unknown parameter: 'input[0].status'.", "input[0].status", "unknown_parameter"},
		{`"input":[{"type":"mcp_approval_response","approval_request_id":"mcpr_1"}]`, "Missing required parameter: 'input[0].approve'.", "input[0].approve", "missing_required_parameter"},
		{`"input":[{"type":"shell_call_output","call_id":"c","output":[{"stdout":"","stderr":"","outcome":{"type":"died"}}]}]`, "Invalid value: 'died'. Supported values are: 'timeout' and 'exit'.", "input[0].output[0].outcome.type", "invalid_value"},
		{`"model":"gpt-17"`, "The requested model 'gpt-17' does not exist.", "model", "model_not_found"},
		{`"include":["everything"]`, "Invalid value: 'everything'.", "include[0]", "invalid_value"},
	}
	lenient, strict := serve(t, "name: x\nmessage: Hi"), serve(t, "name: x\nstrict: true\nmessage: Hi")
	for _, tt := range tests {
		// What a request goes on from is looked for by every server.
		always := tt.param == "previous_response_id" || tt.code == "mutually_exclusive_parameters"
		if status, body := ask(t, lenient, tt.members); (status != http.StatusOK) != always {
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
		`"input":` + strings.Replace(everyItem, references, "", 1), // no server knows the items that these name
		`"tools":[{"type":"mcp","server_label":"s","server_url":"https://x"},{"type":"file_search","vector_store_ids":["vs_1"]}],"tool_choice":{"type":"mcp","server_label":"s"}`,
		`"model":"gpt-5","temperature":1,"top_p":1,"presence_penalty":0,"reasoning":{"effort":"low","summary":"auto"},"text":{"verbosity":"low"},"service_tier":"flex","store":false,"parallel_tool_calls":false`,
	} {
		if status, body := ask(t, strict, members); status != http.StatusOK {
			t.Errorf("a strict server refuses %s: %s", members, body)
		}
	}
}

const references = `{"id":"msg_2"},{"type":"item_reference","id":"rs_9"},`

// everyItem is an input with items of all types, as clients send them.
const everyItem = `[
	{"role":"user","content":[{"type":"input_text","text":"A"},{"type":"input_image","image_url":"data:,","detail":"low"},{"type":"input_file","file_id":"file_1"}]},
	{"type":"message","role":"assistant","id":"msg_1","status":"completed","phase":"commentary","content":[{"type":"output_text","text":"B","annotations":[],"logprobs":[]},{"type":"refusal","refusal":"C"}]},
	` + references + `
	{"type":"reasoning","id":"rs_1","summary":[{"type":"summary_text","text":"D"}],"content":[{"type":"reasoning_text","text":"E"}],"encrypted_content":null},
	{"type":"function_call","id":"fc_1","call_id":"c1","name":"f","arguments":"{}","status":"completed"},
	{"type":"custom_tool_call","id":"ctc_1","call_id":"c2","name":"g","input":"x"},
	{"type":"file_search_call","id":"fs_1","status":"completed","queries":["q"],"results":null},
	{"type":"web_search_call","id":"ws_1","status":"completed","action":{"type":"search","query":"q"}},
	{"type":"code_interpreter_call","id":"ci_1","status":"completed","container_id":"cntr_1","code":"1+1","outputs":null},
	{"type":"image_generation_call","id":"ig_1","status":"completed","result":"aGk="},
	{"type":"mcp_list_tools","id":"mcpl_1","server_label":"s","tools":[{"name":"t","input_schema":{}}]},
	{"type":"mcp_call","id":"mcp_1","server_label":"s","name":"t","arguments":"{}","output":"F"},
	{"type":"mcp_approval_request","id":"mcpr_1","server_label":"s","name":"t","arguments":"{\"a\":1}"},
	{"type":"computer_call","id":"cu_1","call_id":"c3","status":"completed","action":{"type":"wait"},"pending_safety_checks":[]},
	{"type":"local_shell_call","id":"lsh_1","call_id":"c4","status":"completed","action":{"type":"exec","command":["ls"],"env":{}}},
	{"type":"shell_call","id":"sh_1","call_id":"c5","action":{"commands":["ls"]}},
	{"type":"apply_patch_call","id":"apc_1","call_id":"c6","status":"completed","operation":{"type":"delete_file","path":"p"}},
	{"type":"tool_search_call","id":"tsc_1","call_id":"c7","execution":"client","arguments":{"q":"w"}},
	{"type":"program","id":"cm_1","call_id":"c8","code":"run()","fingerprint":"fp"},
	{"type":"function_call_output","call_id":"c1","output":"18","id":"fco_1","status":"completed"},
	{"type":"custom_tool_call_output","call_id":"c2","output":[{"type":"input_text","text":"19"},{"type":"input_image","file_id":"file_2"}]},
	{"type":"computer_call_output","call_id":"c3","output":{"type":"computer_screenshot","image_url":"data:,"}},
	{"type":"local_shell_call_output","id":"c4","output":"20"},
	{"type":"shell_call_output","call_id":"c5","output":[{"stdout":"21","stderr":"22","outcome":{"type":"exit","exit_code":1}},{"stdout":"23","stderr":"","outcome":{"type":"timeout"}}]},
	{"type":"apply_patch_call_output","call_id":"c6","status":"failed","output":null},
	{"type":"tool_search_output","call_id":"c7","execution":"client","tools":[]},
	{"type":"program_output","id":"cmo_1","call_id":"c8","result":"24","status":"completed"},
	{"type":"mcp_approval_response","approval_request_id":"mcpr_1","approve":true},
	{"type":"compaction","id":"cmp_1","encrypted_content":"x"},{"type":"compaction_trigger"},{"type":"configuration_update"},
	{"type":"additional_tools","role":"developer","tools":[{"type":"function","name":"late"},{"type":"namespace","name":"crm","description":"d","tools":[{"type":"function","name":"find"}]}]}]`

// Items of all types become messages, calls and tools. What the service ran itself is part of
// an answer.
func TestItemsOfEveryTypeAreRead(t *testing.T) {
	t.Parallel()
	req := read(t, `{"model":"gpt-4o","input":`+everyItem+`}`)
	var got []string
	for _, m := range req.Messages {
		line := m.Role + " " + m.ToolCallID + ":" + m.Text
		for _, c := range m.ToolCalls {
			line += fmt.Sprintf(" %s=%s/%s(%s)", c.ID, c.Type, c.Name, c.Arguments)
		}
		got = append(got, strings.ReplaceAll(line, "\n", "|"))
	}
	want := []string{
		"user :A",
		`assistant :B c1=function/f({}) c2=custom/g(x) mcpr_1=mcp_approval_request/t({"a":1}) c3=computer/computer({"type":"wait"}) ` +
			`c4=local_shell/local_shell({"type":"exec","command":["ls"],"env":{}}) c5=shell/shell({"commands":["ls"]}) ` +
			`c6=apply_patch/apply_patch({"type":"delete_file","path":"p"}) c7=tool_search/tool_search({"q":"w"}) c8=program/program(run())`,
		"tool c1:18", "tool c2:19", `tool c3:{"type":"computer_screenshot","image_url":"data:,"}`, "tool c4:20", "tool c5:21|22|23",
		"tool c6:failed", "tool c7:[]", "tool c8:24", "tool mcpr_1:true",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || req.Turn != 2 {
		t.Errorf("got in turn %d\n%s\nwant in turn 2\n%s", req.Turn, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if want := `[{function late } {namespace crm } {function find }]`; fmt.Sprint(req.Tools) != want {
		t.Errorf("the tools are %v, want %s", req.Tools, want)
	}
}

// These members are always read, so that a wrong type is always an error.
func TestTypesThatAreWrongAreRefused(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nmessage: Hi")
	for members, message := range map[string]string{
		`"input":5`:                             "Invalid type for 'input': expected one of a string or array of input items, but got an integer instead.",
		`"input":["Hi"]`:                        "Invalid type for 'input[0]': expected an object, but got a string instead.",
		`"stream":"yes"`:                        "Invalid type for 'stream': expected a boolean, but got a string instead.",
		`"tools":{}`:                            "Invalid type for 'tools': expected an array of tools, but got an object instead.",
		`"top_logprobs":21`:                     "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 20, but got 21 instead.",
		`"input":[{"role":"user","content":5}]`: "Invalid type for 'input[0].content': expected one of a string or array of objects, but got an integer instead.",
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
		`"input":[` + call + `,` + output + `]`:                                                                                                     "",
		`"input":[` + strings.Replace(call, `{}`, `1e999`, 1) + `,` + output + `]`:                                                                  "",
		`"input":[` + output + `]`:                                                                                                                  "Invalid 'input[0].call_id': there is no call 'c' before its output.",
		`"previous_response_id":"resp_1","input":[` + output + `]`:                                                                                  "",
		`"input":[{"type":"item_reference","id":"fc_1"},` + output + `]`:                                                                            "",
		`"input":[` + call + `,` + output + `,` + call + `,` + output + `]`:                                                                         "",
		`"input":[` + strings.Replace(call, `{}`, ``, 1) + `,` + output + `]`:                                                                       "",
		`"input":[` + call + `,` + call + `,` + output + `]`:                                                                                        "Invalid 'input[1].call_id': the id 'c' is that of another call, at 'input[0]'.",
		`"input":[` + strings.Replace(call, `{}`, `{`, 1) + `,` + output + `]`:                                                                      "Invalid 'input[0].arguments': the arguments are not JSON: unexpected end of JSON input.",
		`"input":[` + call + `]`:                                                                                                                    "No tool output found for function call c.",
		`"input":[{"role":"user","content":[{"type":"output_text","text":"a"}]}]`:                                                                   "Invalid 'input[0].content[0].type': a message with the role 'user' has no text of the type 'output_text'.",
		`"input":[{"role":"user","content":"a"},{"role":"assistant","content":[{"type":"input_text","text":"b"}]}]`:                                 "Invalid 'input[1].content[0].type': a message with the role 'assistant' has no text of the type 'input_text'.",
		`"input":[{"role":"user","content":[{"type":"input_text","text":"a"}]},{"role":"assistant","content":[{"type":"output_text","text":"b"}]}]`: "",
	} {
		got := ""
		if err := (responses.Surface{}).Info().CheckHistory(read(t, `{"model":"gpt-4o",`+input+"}")); err != nil {
			got = err.Message
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", input, got, want)
		}
	}
}

// The response object repeats the members of the request, or has the defaults of the real
// service.
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
	_, other := ask(t, url, `"model":"gpt-5.4","text":{"format":{"type":"json_schema","schema":{"type":"object"},"name":"s"}}`)
	v = parse(t, other)
	if got, want := v.Get("text").Get("format").String(), `{"type":"json_schema","description":null,"name":"s","schema":{"type":"object"},"strict":false}`; got != want {
		t.Errorf("the format is %s, want %s", got, want)
	}
	if got := v.Get("model").Text() + v.Get("reasoning").String(); got != `gpt-5.4-2026-03-05{"effort":"none","summary":null}` {
		t.Errorf("gpt-5.4 answers as %s", got)
	}
	if want := "\n  \"text\": {\n    \"format\": {\n      \"type\": \"text\"\n    },\n    \"verbosity\": \"low\"\n  },\n"; !strings.Contains(body, want) {
		t.Errorf("the body is not laid out like other answers in one piece:\n%s", body)
	}
	_, stream := ask(t, url, streamed)
	if started := events(t, stream)[0].Get("response"); started.Get("id").Text() != "resp_mine" || !started.Get("completed_at").IsNull() {
		t.Errorf("the stream begins with %s", started)
	}
}
