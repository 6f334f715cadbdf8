package responses_test

import (
	"net/http"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// drawnID matches a drawn id.
var drawnID = regexp.MustCompile(`_[0-9a-f]{50}"`)

// comparable returns the data of events without what is drawn or counted. Consecutive deltas
// are joined.
func comparableEvents(list []ojson.Value) string {
	var lines []string
	var before ojson.Value
	for _, e := range list {
		e = e.Clone()
		e.Set("obfuscation", ojson.Value{})
		e.Set("sequence_number", ojson.Value{})
		delta := e.Get("delta")
		if !delta.IsAbsent() && e.Get("type").Text() == before.Get("type").Text() {
			lines = lines[:len(lines)-1]
			e.Set("delta", ojson.String(before.Get("delta").Text()+delta.Text()))
		}
		before = e
		lines = append(lines, drawnID.ReplaceAllString(e.String(), `_"`))
	}
	return strings.Join(lines, "\n")
}

// Items have the events of recorded streams, with the same members.
func TestItemsHaveTheRecordedEvents(t *testing.T) {
	t.Parallel()
	for name, yaml := range map[string]string{
		"web-search": `
  - item: { type: web_search_call, action: { query: oban tide table } }
  - content: "High tide is 06:40. "
  - content: "([tides.example](https://tides.example/oban))"
  - annotations: [{ type: url_citation, end_index: 42, start_index: 20, title: Tide tables, url: "https://tides.example/oban" }]`,
		"file-search": `
  - item: { type: file_search_call, queries: [mooring fees], results: [{ file_id: file-demo1 }] }
  - content: Fees are £12 a day
  - annotations: [{ type: file_citation, file_id: file-demo1, filename: fees.pdf, index: 18 }]
  - content: .`,
		"code-interpreter": `
  - item: { type: code_interpreter_call, code: print(6*7), container_id: cntr_demo0001, outputs: [{ type: logs, logs: "42\n" }] }
  - content: "42"`,
		"image-generation": `
  - item: { type: image_generation_call, partial_images: [iVBORw0KGgo=], result: iVBORw0KGgo=, quality: low, revised_prompt: A lighthouse at dusk }`,
		"mcp": `
  - item:
      type: mcp_list_tools
      server_label: harbour
      tools: [{ annotations: { read_only: true }, description: List berths, input_schema: { type: object, properties: {} }, name: list_berths }]
  - item: { type: mcp_call, server_label: harbour, name: list_berths, output: '["A1","A2"]' }
  - text: Two berths.`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			include := ""
			if name == "code-interpreter" {
				include = `,"include":["code_interpreter_call.outputs"]`
			}
			got := events(t, play(t, "name: a\nstream:"+yaml+"\n  - finish: stop\n", streamed+include))
			recorded, err := os.ReadFile("testdata/items/" + name + ".jsonl")
			if err != nil {
				t.Fatal(err)
			}
			var want []ojson.Value
			for line := range strings.Lines(string(recorded)) {
				want = append(want, parse(t, line))
			}
			if got, want := comparableEvents(got[2:len(got)-1]), comparableEvents(want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// course returns the types, without "response.", of the events between the opening ones and the
// last.
func course(t *testing.T, body string) string {
	t.Helper()
	list := events(t, body)
	var types []string
	for _, e := range list[2 : len(list)-1] {
		types = append(types, strings.TrimPrefix(e.Get("type").Text(), "response."))
	}
	return strings.Join(slices.Compact(types), " ")
}

// Each type has events of its own, which depend on its status.
func TestItemsHaveTheEventsOfTheirTypeAndStatus(t *testing.T) {
	t.Parallel()
	for item, want := range map[string]string{
		`type: web_search_call`:                                                       "web_search_call.in_progress web_search_call.searching web_search_call.completed",
		`type: web_search_call, status: failed`:                                       "web_search_call.in_progress web_search_call.searching",
		`type: file_search_call, status: incomplete`:                                  "file_search_call.in_progress file_search_call.searching",
		`type: code_interpreter_call`:                                                 "code_interpreter_call.in_progress code_interpreter_call_code.done code_interpreter_call.interpreting code_interpreter_call.completed",
		`type: code_interpreter_call, code: null`:                                     "code_interpreter_call.in_progress code_interpreter_call.interpreting code_interpreter_call.completed",
		`type: image_generation_call, status: generating`:                             "image_generation_call.in_progress image_generation_call.generating image_generation_call.completed",
		`type: mcp_list_tools, server_label: a, error: no answer`:                     "mcp_list_tools.in_progress mcp_list_tools.failed",
		`type: mcp_call, server_label: a, name: f, error: { code: 424 }`:              "mcp_call.in_progress mcp_call_arguments.delta mcp_call_arguments.done mcp_call.failed",
		`type: mcp_call, server_label: a, name: f, status: failed`:                    "mcp_call.in_progress mcp_call_arguments.delta mcp_call_arguments.done mcp_call.failed",
		`type: mcp_call, server_label: a, name: f, status: incomplete`:                "mcp_call.in_progress mcp_call_arguments.delta mcp_call_arguments.done",
		`type: mcp_approval_request, server_label: a, name: f`:                        "",
		`type: apply_patch_call, operation: { type: delete_file, path: a }`:           "",
		`type: apply_patch_call, operation: { type: create_file, path: a, diff: +a }`: "apply_patch_call_operation_diff.delta apply_patch_call_operation_diff.done",
		`type: shell_call, action: { commands: [ls, pwd] }`: "shell_call_command.added shell_call_command.delta shell_call_command.done " +
			"shell_call_command.added shell_call_command.delta shell_call_command.done",
		`type: shell_call_output, output: [{ stdout: a, stderr: b }, { stdout: "" }]`: "shell_call_output_content.delta shell_call_output_content.done",
		`type: something_new, a: 1`: "",
	} {
		t.Run(item, func(t *testing.T) {
			t.Parallel()
			got := course(t, play(t, "name: a\nstream:\n  - item: { "+item+" }\n  - finish: stop\n", streamed))
			want := strings.Join(strings.Fields("output_item.added "+want+" output_item.done"), " ")
			if got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

// Members that the author leaves out get the service's defaults, and ids the prefixes of the
// service.
func TestMissingMembersOfItemsGetDefaults(t *testing.T) {
	t.Parallel()
	for item, want := range map[string]string{
		`type: web_search_call`:  `"id":"ws_","type":"web_search_call","status":"completed","action":{"type":"search","queries":[],"query":""}`,
		`type: file_search_call`: `"id":"fs_","type":"file_search_call","status":"completed","queries":[],"results":null`,
		`type: code_interpreter_call, id: ci_1, extra: { more: 1 }`: `"id":"ci_1","type":"code_interpreter_call","status":"completed","code":"","container_id":"cntr_","more":1,"outputs":null`,
		`type: image_generation_call`: `"id":"ig_","type":"image_generation_call","status":"completed","background":"opaque","output_format":"png",` +
			`"quality":"medium","result":null,"size":"1024x1024"`,
		`type: mcp_call, server_label: a, name: f, error: broken`: `"id":"mcp_","type":"mcp_call","status":"failed","approval_request_id":null,"arguments":"{}",` +
			`"error":"broken","name":"f","output":null,"server_label":"a"`,
		`type: mcp_approval_request, server_label: a, name: f, arguments: { a: 1 }`: `"id":"mcpr_","type":"mcp_approval_request","arguments":"{\"a\":1}","name":"f","server_label":"a"`,
		`type: shell_call, action: { commands: [] }`: `"id":"sh_","type":"shell_call","status":"completed",` +
			`"action":{"commands":[],"max_output_length":null,"timeout_ms":null},"call_id":"call_","environment":null`,
		`type: local_shell_call, action: { command: [ls], timeout_ms: 5 }`: `"id":"lsh_","type":"local_shell_call","status":"completed",` +
			`"action":{"type":"exec","command":["ls"],"env":{},"timeout_ms":5},"call_id":"call_"`,
		`type: computer_call, action: { type: screenshot }`: `"id":"cu_","type":"computer_call","status":"completed","action":{"type":"screenshot"},"call_id":"call_","pending_safety_checks":[]`,
		`type: compaction, encrypted_content: gAAA`:         `"id":"cmp_","type":"compaction","encrypted_content":"gAAA"`,
		`type: something_new, a: 1`:                         `"id":"item_","type":"something_new","a":1`,
	} {
		got := last(t, play(t, "name: a\nstream:\n  - item: { "+item+" }\n  - finish: stop\n", streamed)).Get("output").String()
		got = regexp.MustCompile(`"call_[0-9A-Za-z]{24}"`).ReplaceAllString(drawnID.ReplaceAllString(got, `_"`), `"call_"`)
		if want := "[{" + want + "}]"; got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", item, got, want)
		}
	}
}

// The answer counts its web searches.
func TestWebSearchesAreCounted(t *testing.T) {
	t.Parallel()
	body := play(t, "name: x\nstream: [{ item: { type: web_search_call } }, { item: { type: web_search_call } }, { content: Hi }, { finish: stop }]", streamed)
	for at, want := range map[string]string{"created": `{"num_requests":0}`, "completed": `{"num_requests":2}`} {
		for _, e := range events(t, body) {
			if got := e.Get("response").Get("tool_usage").Get("web_search").String(); e.Get("type").Text() == "response."+at && got != want {
				t.Errorf("response.%s has %s, want %s", at, got, want)
			}
		}
	}
}

// Events of shell commands have no item_id, and the output of a shell gets no obfuscation. It has the call_id
// of the call before it.
func TestShells(t *testing.T) {
	t.Parallel()
	seen, list := 0, events(t, play(t, `
name: a
stream:
  - item: { type: shell_call, action: { commands: [ls] } }
  - item: { type: shell_call_output, output: [{ stdout: a }] }
  - finish: stop
`, streamed))
	for _, e := range list {
		kind := strings.TrimPrefix(e.Get("type").Text(), "response.")
		isCommand, isOutput := strings.HasPrefix(kind, "shell_call_command"), strings.HasPrefix(kind, "shell_call_output")
		if !isCommand && !isOutput {
			continue
		}
		seen++
		if e.Get("item_id").IsAbsent() != isCommand || e.Get("output_index").IsAbsent() || e.Get("command_index").String() != "0" {
			t.Errorf("%s does not say as it should what it belongs to", e)
		}
		if e.Get("obfuscation").IsAbsent() != (kind != "shell_call_command.delta") {
			t.Errorf("the obfuscation of %s is wrong", e)
		}
	}
	if seen != 5 {
		t.Errorf("there are %d events of shells, want 5", seen)
	}
	output := list[len(list)-1].Get("response").Get("output").Items()
	if call, answer := output[0].Get("call_id").Text(), output[1].Get("call_id").Text(); call != answer || len(call) != len("call_")+24 {
		t.Errorf("the call is %q, and its output answers %q", call, answer)
	}
}

const includable = `
name: a
stream:
  - item: { type: web_search_call, action: { query: a, sources: [{ url: b }] }, results: [{}] }
  - item: { type: file_search_call, results: [{ file_id: c }] }
  - item: { type: code_interpreter_call, outputs: [{ logs: d }] }
  - item: { type: reasoning, encrypted_content: gAAA }
  - finish: stop
`

// Members that depend on include are sent to requests that have its value.
func TestIncludeDecidesWhatItemsHold(t *testing.T) {
	t.Parallel()
	url := serve(t, includable)
	held := []string{
		`"sources":[{"url":"b"}]`, `"results":[{}]`, `"results":[{"file_id":"c"}]`, `"outputs":[{"logs":"d"}]`, `"encrypted_content":"gAAA"`,
	}
	for i, name := range []string{
		"web_search_call.action.sources", "web_search_call.results", "file_search_call.results", "code_interpreter_call.outputs", "reasoning.encrypted_content",
	} {
		status, body := ask(t, url, streamed+`,"include":["`+name+`"]`)
		if status != http.StatusOK {
			t.Fatalf("status %d: %s", status, body)
		}
		output := last(t, body).Get("output").String()
		for n, text := range held {
			if strings.Contains(output, text) != (n == i) {
				t.Errorf("with %s, %s is there: %v", name, text, n != i)
			}
		}
	}
	_, body := ask(t, url, streamed)
	if output := last(t, body).Get("output").String(); !strings.Contains(output, `"results":null`) || !strings.Contains(output, `"outputs":null`) {
		t.Errorf("nothing is included, and the output is %s", output)
	}
}

// An answer in one piece has the items with which a stream ends. Both have rendered templates.
func TestItemsAreTheSameInOnePiece(t *testing.T) {
	t.Parallel()
	url := serve(t, `
name: a
stream:
  - item: { type: code_interpreter_call, id: ci_1, container_id: cntr_1, code: 'print("{{ .last_user }}")' }
  - item: { type: mcp_call, id: mcp_1, server_label: a, name: f, arguments: { say: "{{ .last_user }}" } }
  - item: { type: message, id: msg_1, phase: commentary }
  - text: One.
  - item: { type: message, id: msg_2, status: incomplete }
  - text: Two.
  - item: { type: message, id: msg_3 }
  - finish: stop
`)
	const input = `"input":"a \"b\""`
	_, body := ask(t, url, input+","+streamed)
	_, whole := ask(t, url, input)
	got, want := parse(t, whole).Get("output"), last(t, body).Get("output")
	if !ojson.Equal(got, want) {
		t.Errorf("in one piece\n%s\nstreamed\n%s", got, want)
	}
	for _, text := range []string{
		`"code":"print(\"a \"b\"\")"`, `"arguments":"{\"say\":\"a \\\"b\\\"\"}"`,
		`"status":"completed","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"One."}],"phase":"commentary","role":"assistant"`,
		`"status":"incomplete","content":[{"type":"output_text","annotations":[],"logprobs":[],"text":"Two."}]`,
		`"content":[{"type":"output_text","annotations":[],"logprobs":[],"text":""}]`,
	} {
		if !strings.Contains(got.String(), text) {
			t.Errorf("%s is not in %s", text, got)
		}
	}
}

// What a step sets and omits changes in all events of its item that have the place, and in no
// other event.
func TestEditsReachAllEventsOfAnItem(t *testing.T) {
	t.Parallel()
	list := events(t, play(t, `
name: a
stream:
  - item: { type: code_interpreter_call, code: "1" }
    set: { item.status: 7, delta: null, code: [], output_index: "0" }
    omit: [item.outputs, item_id]
    extra: { more: 1 }
  - finish: stop
`, streamed))
	for _, e := range list[2 : len(list)-1] {
		if !e.Get("item_id").IsAbsent() || e.Get("output_index").Text() != "0" || e.Get("more").IsAbsent() {
			t.Errorf("the edits are not in %s", e)
		}
		kind := strings.TrimPrefix(e.Get("type").Text(), "response.")
		item := e.Get("item")
		if has := !item.IsAbsent(); has != strings.HasPrefix(kind, "output_item.") || has && (item.Get("status").String() != "7" || !item.Get("outputs").IsAbsent()) {
			t.Errorf("the item in %s is %s", kind, item)
		}
		if !e.Get("delta").IsAbsent() != (kind == "code_interpreter_call_code.delta") || !e.Get("code").IsAbsent() != (kind == "code_interpreter_call_code.done") {
			t.Errorf("a place that is set is in the wrong event: %s", e)
		}
	}
}

// Streamed texts are cut as the step says.
func TestItemsAreCutAsTheirStepSays(t *testing.T) {
	t.Parallel()
	for by, want := range map[string]string{"{ size: 4 }": "prin t(1) ", "all": "print(1) ", "rune": "p r i n t ( 1 ) "} {
		got := ""
		for _, e := range events(t, play(t, "name: a\nstream:\n  - item: { type: code_interpreter_call, code: print(1) }\n    by: "+by+"\n  - finish: stop\n", streamed)) {
			if delta := e.Get("delta"); !delta.IsAbsent() {
				got += delta.Text() + " "
				if pad := e.Get("obfuscation").Text(); (len(pad)+len(delta.Text()))%16 != 0 {
					t.Errorf("the padding of %s is %q", delta, pad)
				}
			}
		}
		if got != want {
			t.Errorf("by %s: got %q, want %q", by, got, want)
		}
	}
}

// For damage, the deltas of an item are those of a call; the wire of a step applies to all
// events of its item.
func TestWireAndDamageOfItems(t *testing.T) {
	t.Parallel()
	body := play(t, `
name: a
damage: [{ drop: tool }]
stream:
  - role: assistant
  - item: { type: code_interpreter_call, code: "a b" }
    wire: { id: "7" }
  - finish: stop
`, streamed)
	if strings.Contains(body, "code.delta") || !strings.Contains(body, "code.done") {
		t.Errorf("the pieces are still there:\n%s", body)
	}
	if got := strings.Count(body, "id: 7\n"); got != 6 {
		t.Errorf("%d events have the id of the step, want 6:\n%s", got, body)
	}
}

// The rule that an item stands alone in its step also holds for steps made in Go.
func TestItemsStandAloneInGo(t *testing.T) {
	t.Parallel()
	for name, with := range map[string]scenarios.Step{"content": step.Content("Hi"), "finish": step.Finish("stop"), "text": step.Text("Hi", scenarios.Cut{})} {
		stream := []scenarios.Step{step.Item(`{"type":"web_search_call"}`, step.With(with)), step.Finish("stop")}
		set, problems := scenarios.Build(nil, &scenarios.Scenario{Name: "a", Replies: []scenarios.Reply{{Stream: &stream}}})
		if err := problems.Err(); err != nil {
			t.Fatal(err)
		}
		if err := answer.Check(set).Err(); err == nil || !strings.Contains(err.Error(), "an item stands alone in its step") {
			t.Errorf("beside %s: %v", name, err)
		}
	}
}

// Other surfaces refuse items.
func TestItemsAreUnsayableElsewhere(t *testing.T) {
	t.Parallel()
	for _, item := range []string{"type: web_search_call", "type: message"} {
		_, diags := yamlfile.Check(answer.Check, yamlfile.Source{Name: "a.yaml", Data: []byte(
			"name: a\nwhen: { surface: completions }\nstream:\n  - item: { " + item + " }\n  - finish: stop\n")})
		if len(diags) != 1 || !strings.Contains(diags[0].Message, "step 1 is an item") || diags[0].Pos.Line != 4 {
			t.Errorf("%s: %v", item, diags)
		}
	}
}

// Editors offer the types of items, and members that a type does not have can be sent.
func TestTypesOfItemsAreOfferedInEditors(t *testing.T) {
	t.Parallel()
	var schema ojson.Value
	if err := schema.UnmarshalJSON(yamlfile.Schema()); err != nil {
		t.Fatal(err)
	}
	item := schema.Get("definitions").Get("step").Get("properties").Get("item")
	if forms := item.Get("anyOf").Items(); len(forms) > 0 {
		item = forms[0]
	}
	types := item.Get("properties").Get("type").Get("examples").Items()
	for _, name := range types {
		if !responses.ItemNamed(name.Text()).IsKnown() {
			t.Errorf("editors offer the type %s, which is not known", name)
		}
	}
	if len(types) < 19 {
		t.Errorf("editors offer %d types: %v in %v", len(types), types, item)
	}
}

func TestForeignMembersOfItemsAreSent(t *testing.T) {
	t.Parallel()
	set, problems := yamlfile.Check(answer.Check, yamlfile.Source{Name: "a.yaml", Data: []byte(
		"name: a\nwhen: { surface: responses }\nstream: [{ item: { type: web_search_call, extra: { cost: 3 } } }, { text: Hi }, { finish: stop }]\n")})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	text, err := yamlfile.FormatLine(set.Scenarios()[0])
	if want := "item: {type: \"web_search_call\", extra: {cost: 3}}"; err != nil || !strings.Contains(string(text), want) {
		t.Errorf("%v, %s, want %s in it", err, text, want)
	}
}

// A call has further members in both of its items and in the response.
func TestCallsHaveFurtherMembers(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: a\nmessage:\n  tool_calls: [{ name: f, arguments: {}, extra: { namespace: crm, async: true } }]\n  custom_tool_calls: [{ name: g, input: x, extra: { caller: { type: direct } } }]\n")
	_, stream := ask(t, url, `"stream":true`)
	for text, times := range map[string]int{`"namespace":"crm"`: 3, `"async":true`: 3, `"caller":{"type":"direct"}`: 3} {
		if n := strings.Count(stream, text); n != times {
			t.Errorf("%s comes %d times, not %d:\n%s", text, n, times, stream)
		}
	}
}
