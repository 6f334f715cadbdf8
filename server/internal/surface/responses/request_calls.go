package responses

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// call adds a call to the message of its answer. It leaves out calls that the service answers
// itself, as no client sends an output for them. It reports no mistakes; checks of the history
// do.
func (h *history) call(kind string, item ojson.Value) {
	id, name := item.Get("call_id").Text(), item.Get("name").Text()
	call := scenarios.RequestCall{ID: id, Type: strings.TrimSuffix(kind, "_call"), Name: name}
	switch kind {
	case Function:
		call.Arguments = item.Get("arguments").Text()
	case Custom:
		call.Type, call.Arguments = "custom", item.Get("input").Text()
	case approvalAsked:
		call.ID, call.Arguments = item.Get("id").Text(), item.Get("arguments").Text()
	default:
		does := firstOf(item, "action", "actions", "operation", "arguments", "code")
		if id == "" || does.IsAbsent() {
			return
		}
		call.Name, call.Arguments = call.Type, textOrJSON(does)
	}
	last := &h.req.Messages[len(h.req.Messages)-1]
	last.ToolCalls = append(last.ToolCalls, call)
}

// resultOf returns the output of a call as a message of a tool.
func resultOf(kind string, item ojson.Value) scenarios.RequestMessage {
	m := scenarios.RequestMessage{Role: "tool", ToolCallID: item.Get("call_id").Text()}
	switch kind {
	case approvalGiven:
		m.ToolCallID, m.Text = item.Get("approval_request_id").Text(), item.Get("approve").String()
	case "shell_call_output":
		m.Text = shellText(item.Get("output"))
	case "tool_search_output":
		m.Text = item.Get("tools").String()
	case "program_output":
		m.Text = contentOf(item.Get("result"))
	case "apply_patch_call_output":
		if m.Text = item.Get("output").Text(); m.Text == "" {
			m.Text = item.Get("status").Text()
		}
	default:
		m.Text = contentOf(item.Get("output"))
	}
	if m.ToolCallID == "" && kind == "local_shell_call_output" { // such an output may have the id of its call here
		m.ToolCallID = item.Get("id").Text()
	}
	return m
}

// shellText returns what shell commands wrote, in order.
func shellText(output ojson.Value) string {
	if output.Kind() != ojson.ArrayKind {
		return contentOf(output)
	}
	var texts []string
	for _, ran := range output.Items() {
		for _, name := range []string{"stdout", "stderr"} {
			if text := ran.Get(name).Text(); text != "" {
				texts = append(texts, text)
			}
		}
	}
	return strings.Join(texts, "\n")
}

// firstOf returns the first of these members that the object has.
func firstOf(v ojson.Value, names ...string) ojson.Value {
	for _, name := range names {
		if m := v.Get(name); !m.IsNullOrAbsent() {
			return m
		}
	}
	return ojson.Value{}
}

func textOrJSON(v ojson.Value) string {
	if v.Kind() == ojson.StringKind {
		return v.Text()
	}
	return v.String()
}
