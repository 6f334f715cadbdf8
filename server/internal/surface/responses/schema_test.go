package responses_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// In these events, recordings break the published schema.
var recordedOtherwise = map[string]func(*ojson.Value){
	// The error is an object; the schema has its members beside the type.
	"error": func(v *ojson.Value) {
		for _, m := range v.Get("error").Members() {
			if m.Name != "type" {
				v.Set(m.Name, m.Value)
			}
		}
	},
	"response.compaction.compacting": nil, // newer than the schema
	// There is no name; the schema requires one.
	"response.function_call_arguments.done": func(v *ojson.Value) { v.Set("name", ojson.String("f")) },
	// A web search has no action yet, and an image no result; the schema requires both.
	"response.output_item.added": func(v *ojson.Value) {
		item := v.Get("item").Clone()
		switch item.Get("type").Text() {
		case "web_search_call":
			item.Set("action", ojson.Object(ojson.M("type", ojson.String("search")), ojson.M("query", ojson.String(""))))
		case "image_generation_call":
			item.Set("result", ojson.Null())
		}
		v.Set("item", item)
	},
	// The schema lacks these events.
	"keepalive": nil,
	"response.apply_patch_call_operation_diff.delta": nil,
	"response.apply_patch_call_operation_diff.done":  nil,
}

// recordedAsNull are members that are null in recordings, although the schema does not allow
// that.
var recordedAsNull = []string{"usage", "user"}

// published returns the published schemas of events, by their types; that of the response
// object has the key "".
func published(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	c := jsonschema.NewCompiler()
	list := map[string]*jsonschema.Schema{}
	stream, err := c.Compile("testdata/schema.json#/$defs/ResponseStreamEvent")
	if err != nil {
		t.Fatal(err)
	}
	for _, event := range stream.AnyOf {
		event = event.Ref
		for _, name := range event.Properties["type"].Enum.Values {
			list[name.(string)] = event
		}
	}
	if list[""], err = c.Compile("testdata/schema.json#/$defs/Response"); err != nil {
		t.Fatal(err)
	}
	return list
}

// All events and whole answers fit the published schema, with items of every type, except where recordings
// do not.
func TestAnswersFitThePublishedSchema(t *testing.T) {
	t.Parallel()
	yaml := "name: a\nstream:\n"
	for _, item := range []string{
		`type: web_search_call, action: { query: a, sources: [{ type: url, url: "https://a.example" }] }`,
		`type: web_search_call, action: { type: open_page, url: "https://a.example" }`,
		`type: file_search_call, queries: [a], results: [{ attributes: {}, file_id: file-1, filename: a.txt, score: 0.5, text: A }]`,
		`type: code_interpreter_call, code: print(1), outputs: [{ type: logs, logs: "1" }]`,
		`type: image_generation_call, partial_images: [aGk=], result: aGkh`,
		`type: mcp_list_tools, server_label: a, tools: [{ name: f, input_schema: {}, description: F, annotations: null }]`,
		`type: mcp_call, server_label: a, name: f, output: "[]"`,
		`type: mcp_call, server_label: a, name: f, error: { type: http_error, code: 424, message: gone }`,
		`type: mcp_approval_request, server_label: a, name: f`,
		`type: apply_patch_call, operation: { type: update_file, path: a.txt, diff: +a }`,
		`type: apply_patch_call, operation: { type: delete_file, path: a.txt }`,
		`type: shell_call, action: { commands: [ls -l] }`,
		`type: shell_call_output, output: [{ stdout: a, stderr: b, outcome: { type: exit, exit_code: 0 } }]`,
		`type: local_shell_call, action: { command: [ls] }`,
		`type: computer_call, action: { type: screenshot }`,
		`type: tool_search_call`, `type: tool_search_output`, `type: program`, `type: program_output`,
		`type: compaction, encrypted_content: gAAA`,
		`type: reasoning, encrypted_content: gAAA`, `type: message, phase: commentary`,
	} {
		yaml += "  - item: { " + item + " }\n"
	}
	yaml += `
  - content: Hi
    logprobs: [{ token: Hi, logprob: -0.5, bytes: [72, 105], top_logprobs: [{ token: Hi, logprob: -0.5, bytes: [72, 105] }] }]
  - annotations: [{ type: url_citation, end_index: 2, start_index: 0, title: T, url: "https://a.example" }]
  - refusal: No
  - reasoning: { summary: A }
  - reasoning: { next: item, text: B }
  - tool_call: { id: call_1, name: f, arguments: "{}" }
  - custom_tool: { id: call_2, name: g, input: x }
  - heartbeat: 1
`
	var include []string
	for name := range strings.SplitSeq(responses.Surface{}.Info().Includes, ",") {
		include = append(include, `"`+name+`"`)
	}
	asked := `"include":[` + strings.Join(include, ",") + `]`
	schemas, checked := published(t), 0
	for _, end := range []string{"finish: tool_calls", "finish: length", "error: It broke."} {
		url := serve(t, yaml+"  - "+end+"\n")
		_, stream := ask(t, url, streamed+","+asked)
		for _, v := range events(t, stream) {
			eventType := v.Get("type").Text()
			adapt, known := recordedOtherwise[eventType]
			switch {
			case known && adapt == nil:
				continue
			case known:
				adapt(&v)
			case schemas[eventType] == nil:
				t.Errorf("there is no schema of %s", eventType)
				continue
			}
			validate(t, end, schemas[eventType], v)
			checked++
		}
		if status, body := ask(t, url, asked); status == http.StatusOK {
			validate(t, end, schemas[""], parse(t, body))
			checked++
		}
	}
	if checked < 330 {
		t.Errorf("only %d events and answers were checked", checked)
	}
}

func validate(t *testing.T, name string, schema *jsonschema.Schema, v ojson.Value) {
	t.Helper()
	response := v.Clone()
	if r := v.Get("response"); r.Kind() == ojson.ObjectKind {
		response = r.Clone()
	}
	for _, member := range recordedAsNull {
		if response.Get(member).IsNull() {
			response.Set(member, ojson.Value{})
		}
	}
	if !v.Get("response").IsAbsent() {
		v.Set("response", response)
	} else {
		v = response
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(v.String()))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("%s: %.300s: %v", name, v, err)
	}
}

// A response in the background fits the schema while it is queued and after a cancel. So do its input
// items, and those of a conversation.
func TestWhatIsKeptFitsThePublishedSchema(t *testing.T) {
	t.Parallel()
	const items = `[{"role":"user","content":"hi"},{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":"1"}]`
	schemas, list := published(t), compiled(t, "ResponseItemList")
	base := serve(t, "name: held\nstream:\n  - content: Once\n  - hold: on\n  - finish: stop\n")
	_, body := ask(t, base, `"background":true,"input":`+items)
	queued := parse(t, body)
	validate(t, "queued", schemas[""], queued)
	at := base + "/v1/responses/" + queued.Get("id").Text()
	cancelled := parse(t, call(t, http.MethodPost, at+"/cancel", ""))
	validate(t, "cancelled", schemas[""], cancelled)
	if got := queued.Get("status").Text() + " " + cancelled.Get("status").Text(); got != "queued cancelled" {
		t.Errorf("the answer was %s", got)
	}
	fitsList(t, "input", list, call(t, http.MethodGet, at+"/input_items", ""), 3)
	conversation := parse(t, call(t, http.MethodPost, base+"/v1/conversations", `{"items":`+items+`}`))
	fitsList(t, "conversation", list, call(t, http.MethodGet, base+"/v1/conversations/"+conversation.Get("id").Text()+"/items", ""), 3)
}

func compiled(t *testing.T, name string) *jsonschema.Schema {
	t.Helper()
	schema, err := jsonschema.NewCompiler().Compile("testdata/schema.json#/$defs/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return schema
}

// fitsList checks a list with this number of items.
func fitsList(t *testing.T, name string, schema *jsonschema.Schema, body string, items int) {
	t.Helper()
	if n := len(parse(t, body).Get("data").Items()); n != items {
		t.Errorf("%s: there are %d items, want %d: %s", name, n, items, body)
	}
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(instance); err != nil {
		t.Errorf("%s: %.600s: %v", name, body, err)
	}
}

// call sends a request to an endpoint of the store, which must succeed; "" is no body.
func call(t *testing.T, method, at, body string) string {
	t.Helper()
	status, got := send(t, method, at, body)
	if status != http.StatusOK {
		t.Errorf("%s %s: %d %s", method, at, status, got)
	}
	return got
}
