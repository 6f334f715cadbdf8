package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// callMessage returns an assistant message with one call.
func callMessage(id, arguments string) string {
	return fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"f","arguments":%s}}]}`, id, arguments)
}

// resultMessage returns the tool message with the result of a call.
func resultMessage(id string) string {
	return fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":"ok"}`, id)
}

func TestCheckHistoryFindsWhatCannotBe(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, messages, message, param, code string }{
		{name: "no calls at all", messages: `{"role":"user","content":"u"},{"role":"assistant","content":"a"},{"role":"user","content":"u"}`},
		{name: "calls with results, one by one", messages: callMessage("a", `"{}"`) + "," + resultMessage("a") + "," + callMessage("b", `"[1e999]"`) + "," + resultMessage("b")},
		{name: "parallel calls, results reordered", messages: strings.Replace(callMessage("a", `"{}"`), "}}]", `}},{"id":"b","type":"custom","custom":{"name":"c","input":"not JSON"}}]`, 1) + "," + resultMessage("b") + "," + resultMessage("a")},
		{name: "an id that comes again in a later turn", messages: callMessage("a", `"{}"`) + "," + resultMessage("a") + "," + callMessage("a", `"{}"`) + "," + resultMessage("a")},
		{name: "empty arguments, as models send them", messages: callMessage("a", `""`) + "," + resultMessage("a") + `,{"role":"assistant","content":null,"function_call":{"name":"f","arguments":""}}`},
		{name: "a legacy call", messages: `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}},{"role":"function","name":"f","content":"ok"}`},
		{"a result without a call", resultMessage("a"),
			"Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.", "messages.[0].role", ""},
		{"a result of another call", callMessage("a", `"{}"`) + "," + resultMessage("b"),
			"Invalid parameter: 'tool_call_id' of 'b' not found in 'tool_calls' of previous message.", "messages.[1].tool_call_id", ""},
		{"a second result of a call", callMessage("a", `"{}"`) + "," + resultMessage("a") + "," + resultMessage("a"),
			"Invalid parameter: 'tool_call_id' of 'a' not found in 'tool_calls' of previous message.", "messages.[2].tool_call_id", ""},
		{"a call without a result", callMessage("a", `"{}"`) + `,{"role":"user","content":"u"}`,
			"An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. " +
				"The following tool_call_ids did not have response messages: a", "messages.[1].role", ""},
		{"arguments that are cut off", callMessage("a", `"{\"x\":"`) + "," + resultMessage("a"),
			"Invalid 'messages[0].tool_calls[0].function.arguments': the arguments are not JSON: unexpected end of JSON input.",
			"messages[0].tool_calls[0].function.arguments", "fake_history"},
		{"arguments that are no text", callMessage("a", `{}`) + "," + resultMessage("a"),
			"Invalid type for 'messages[0].tool_calls[0].function.arguments': expected a string, but got an object instead.",
			"messages[0].tool_calls[0].function.arguments", "invalid_type"},
		{"arguments of a legacy call", `{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"x"}}`,
			"Invalid 'messages[0].function_call.arguments': the arguments are not JSON: invalid character 'x' looking for beginning of value.",
			"messages[0].function_call.arguments", "fake_history"},
		{"an id that comes twice in a message", strings.Replace(callMessage("a", `"{}"`), "}}]", `}},{"id":"a","type":"custom","custom":{"name":"c","input":""}}]`, 1) + "," + resultMessage("a") + "," + resultMessage("a"),
			"Invalid 'messages[0].tool_calls[1].id': the id 'a' is that of another call, at 'messages[0].tool_calls[0].id'.",
			"messages[0].tool_calls[1].id", "fake_history"},
		{"calls of the user", strings.Replace(callMessage("a", `"{}"`), "assistant", "user", 1) + "," + resultMessage("a"),
			"Invalid 'messages[0].tool_calls': only a message with the role 'assistant' can have it, and this one has the role 'user'.",
			"messages[0].tool_calls", "fake_history"},
		{"a result of the assistant", `{"role":"user","content":"u"},` + strings.Replace(resultMessage("a"), `"tool"`, `"assistant"`, 1),
			"Invalid 'messages[1].tool_call_id': only a message with the role 'tool' can have it, and this one has the role 'assistant'.",
			"messages[1].tool_call_id", "fake_history"},
		{"a call without an id", callMessage("", `"{}"`) + "," + resultMessage(""),
			"Invalid 'messages[0].tool_calls[0].id': the call has no id, so that no result can belong to it.",
			"messages[0].tool_calls[0].id", "fake_history"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			want := request.Error{Status: 400, Message: c.message, Type: "invalid_request_error", Param: c.param, Code: c.code}
			switch err := (chat.Surface{}).Info().CheckHistory(parsed(t, conversation(c.messages))); {
			case err == nil && c.message != "":
				t.Error("taken")
			case err != nil && *err != want:
				t.Errorf("refused with\n%+v, want\n%+v", *err, want)
			}
		})
	}
}
