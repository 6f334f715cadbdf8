package responses_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// text returns the events of a part with these pieces of text. At is the positions of its item and of the
// part; events begins the names of the events with the text.
func text(at, events string, pieces ...string) (list []string) {
	part := "content_part"
	if events == "reasoning_summary_text" {
		part = "reasoning_summary_part"
	}
	list = append(list, part+".added "+at)
	for _, piece := range pieces {
		list = append(list, fmt.Sprintf("%s.delta %s %q", events, at, piece))
	}
	return append(list, fmt.Sprintf("%s.done %s %q", events, at, strings.Join(pieces, "")), part+".done "+at)
}

// item returns the events that open and close an item, with those between them.
func item(at, kind, status string, inside ...[]string) []string {
	return slices.Concat([]string{"output_item.added " + at + " " + kind + " in_progress"}, lines(inside...), []string{"output_item.done " + at + " " + kind + " " + status})
}

// message returns the events of a completed message with one text.
func message(at string, pieces ...string) []string {
	return item(at, "message", "completed", text(at+" 0", "output_text", pieces...))
}

// reasoning returns the events of reasoning with these parts.
func reasoning(at string, parts ...[]string) []string {
	return slices.Concat([]string{"output_item.added " + at + " reasoning"}, lines(parts...), []string{"output_item.done " + at + " reasoning"})
}

// called returns the events of a call with these pieces of arguments.
func called(at, kind, events string, pieces ...string) []string {
	return item(at, kind, "completed", text(at, events, pieces...)[1:len(pieces)+2])
}

// complete returns all events of a completed answer.
func complete(lists ...[]string) []string { return append(lines(lists...), "completed completed") }

func lines(lists ...[]string) []string { return slices.Concat(lists...) }

func TestWhatAScriptSaysOpensAndClosesItems(t *testing.T) {
	t.Parallel()
	const function, arguments, summary = "function_call", "function_call_arguments", "reasoning_summary_text"
	open := []string{"output_item.added 0 message in_progress", "content_part.added 0 0", `output_text.delta 0 0 "A"`}
	tests := map[string]struct {
		yaml string
		want []string
	}{
		"a text":         {"message: Hi there.", complete(message("0", "Hi", " there", "."))},
		"no text at all": {"message: ''", complete(message("0"))},
		"a text that is cut short": {
			"message: { content: Hi, finish: length }",
			lines(item("0", "message", "incomplete", text("0 0", "output_text", "Hi")), []string{"incomplete incomplete"}),
		},
		"a refusal": {"message: { refusal: No }", complete(item("0", "message", "completed", text("0 0", "refusal", "No")))},
		"a text, then two calls": {
			"message: { content: So, tool_calls: [{ name: f, arguments: '{}' }, { name: g, arguments: '{}' }] }",
			complete(message("0", "So"), called("1", function, arguments, "{}"), called("2", function, arguments, "{}")),
		},
		"a custom tool": {
			"message: { custom_tool_calls: [{ name: run, input: go }] }",
			complete(called("0", "custom_tool_call", "custom_tool_call_input", "go")),
		},
		"reasoning, then a text": {
			"message: { reasoning: Hm, content: So }",
			complete(reasoning("0", text("0 0", summary, "Hm")), message("1", "So")),
		},
		"a summary in two parts": {
			"message: { by: all, reasoning: { summary: [One, Two] }, content: So }",
			complete(reasoning("0", text("0 0", summary, "One"), text("0 1", summary, "Two")), message("1", "So")),
		},
		"a text in two parts, and a refusal": {
			"message: { content: [One, Two], refusal: No }",
			complete(item("0", "message", "completed", text("0 0", "output_text", "One"), text("0 1", "output_text", "Two"), text("0 2", "refusal", "No"))),
		},
		"the next part of a text": {
			"stream:\n- content: A\n- content: B\n- text: C D\n  by: word\n  next: part\n- content: E\n- content: ''\n  next: part\n- finish: stop",
			complete(item("0", "message", "completed", text("0 0", "output_text", "A", "B"), text("0 1", "output_text", "C", " D", "E"), text("0 2", "output_text", ""))),
		},
		"the next part behind a call": {
			"stream:\n- content: A\n- content: B\n  next: part\n- item: { type: message }\n- content: C\n- finish: stop",
			complete(item("0", "message", "completed", text("0 0", "output_text", "A"), text("0 1", "output_text", "B")), message("1", "C")),
		},
		"reasoning itself, behind its summary": {
			"message: { reasoning: { summary: One, text: Raw } }",
			complete(reasoning("0", text("0 0", summary, "One"), text("0 0", "reasoning_text", "Raw"))),
		},
		"reasoning that tells nothing": {"message: { reasoning: { summary: [] } }", complete(reasoning("0"))},
		"the next part, and the next item": {
			"stream:\n- reasoning: A\n- reasoning: { next: part, summary: B }\n- reasoning: { summary: C }\n- reasoning: { next: item, text: D }\n- reasoning: { next: item }\n- finish: stop",
			complete(
				reasoning("0", text("0 0", summary, "A"), text("0 1", summary, "B", "C")), reasoning("1", text("1 0", "reasoning_text", "D")), reasoning("2"),
			),
		},
		"annotations among the pieces of a text, in either shape": {
			"stream:\n- content: A\n- annotations: [{ type: url_citation, url_citation: { url: u, title: t } }]\n- content: B\n" +
				"- annotations: [{ type: file_citation, file_id: f, index: 1 }, { type: url_citation, url: u }]\n- finish: stop",
			lines(open, []string{
				`output_text.annotation.added 0 0 {"type":"url_citation","title":"t","url":"u"}`, `output_text.delta 0 0 "B"`,
				`output_text.annotation.added 0 0 {"type":"file_citation","file_id":"f","index":1}`,
				`output_text.annotation.added 0 0 {"type":"url_citation","url":"u"}`,
				`output_text.done 0 0 "AB"`, "content_part.done 0 0", "output_item.done 0 message completed", "completed completed",
			}),
		},
		"a refusal after a text, in one message": {
			"stream:\n- content: A\n- refusal: B\n- finish: stop",
			complete(item("0", "message", "completed", text("0 0", "output_text", "A"), text("0 1", "refusal", "B"))),
		},
		"a text that is large and repeated": {
			"stream:\n- role: assistant\n- content: { repeat: ab, bytes: 3 }\n- content: c\n- finish: stop", complete(message("0", "aba", "c")),
		},
		"heartbeats": {
			"stream:\n- role: assistant\n- heartbeat: 2\n- content: A\n- finish: stop", complete([]string{"keepalive", "keepalive"}, message("0", "A")),
		},
		"no finish":                  {"stream:\n- role: assistant\n- content: A", open},
		"an error in the middle":     {"stream:\n- role: assistant\n- content: A\n- error: It broke.", lines(open, []string{"error", "failed failed"})},
		"a message that ends early":  {"message: A\nend: close", open},
		"the end mark of other APIs": {"message: ''\nwire: { done: 1 }", lines(complete(message("0")), []string{"[DONE]"})},
		"an end mark that is a step": {"stream:\n- role: assistant\n- finish: stop\n- done: true", lines(complete(message("0")), []string{"[DONE]"})},
		"calls that take turns": {
			"stream:\n- role: assistant\n- tool_call: { index: 0, name: f, arguments: 'a' }\n- tool_call: { index: 1, name: g, arguments: 'b' }\n" +
				"- tool_call: { index: 0, name: f, arguments: 'c' }\n- finish: tool_calls",
			[]string{
				"output_item.added 0 function_call in_progress", `function_call_arguments.delta 0 "a"`,
				"output_item.added 1 function_call in_progress", `function_call_arguments.delta 1 "b"`,
				`function_call_arguments.delta 0 "c"`,
				`function_call_arguments.done 0 "ac"`, "output_item.done 0 function_call completed",
				`function_call_arguments.done 1 "b"`, "output_item.done 1 function_call completed", "completed completed",
			},
		},
		"calls that take turns and are cut short": {
			"stream:\n- role: assistant\n- tool_call: { index: 0, name: f, arguments: 'a' }\n- tool_call: { index: 1, name: g, arguments: 'b' }\n" +
				"- tool_call: { index: 0, name: f, arguments: 'c' }\n- finish: length",
			[]string{
				"output_item.added 0 function_call in_progress", `function_call_arguments.delta 0 "a"`,
				"output_item.added 1 function_call in_progress", `function_call_arguments.delta 1 "b"`,
				`function_call_arguments.delta 0 "c"`,
				`function_call_arguments.done 0 "ac"`, "output_item.done 0 function_call incomplete",
				`function_call_arguments.done 1 "b"`, "output_item.done 1 function_call incomplete", "incomplete incomplete",
			},
		},
		"a call after another, and cut short": {
			"stream:\n- role: assistant\n- tool_call: { name: f, arguments: 'a' }\n- tool_call: { name: g, arguments: 'b' }\n- finish: length",
			[]string{
				"output_item.added 0 function_call in_progress", `function_call_arguments.delta 0 "a"`,
				`function_call_arguments.done 0 "a"`, "output_item.done 0 function_call completed",
				"output_item.added 1 function_call in_progress", `function_call_arguments.delta 1 "b"`,
				`function_call_arguments.done 1 "b"`, "output_item.done 1 function_call incomplete", "incomplete incomplete",
			},
		},
		"an empty text that is a step": {"stream:\n- { role: assistant, content: '' }\n- reasoning: A\n- content: ''\n- content: B\n- finish: stop",
			complete(reasoning("0", text("0 0", summary, "A")), message("1", "", "B"))},
		"a failure without a finish": {"when: { surface: responses }\nenvelope: { response: failed }\nstream:\n- role: assistant\n- content: A", lines(open, []string{"failed failed"})},
		"a failure behind a finish":  {"when: { surface: responses }\nenvelope: { response: failed }\nstream:\n- role: assistant\n- content: A\n- finish: stop", lines(open, []string{"failed failed"})},
		"fragments of calls": {
			"stream:\n- role: assistant\n- fragment: { index: 0, id: call_1, type: function, name: f, arguments: 'a' }\n- fragment: { index: 0, arguments: 'b' }\n" +
				"- fragment: { id: call_2, type: function, name: g, arguments: 'c' }\n- fragment: { arguments: 'd' }\n- finish: tool_calls",
			complete(called("0", function, arguments, "a", "b"), called("1", function, arguments, "c", "d")),
		},
		"an event as it is written": {
			"when: { surface: responses }\nstream:\n- role: assistant\n- chunk: { type: response.queued, sequence_number: 2 }\n- finish: stop",
			complete([]string{"queued"}, message("0")),
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			wantTold(t, play(t, "name: x\n"+tt.yaml, streamed), tt.want...)
		})
	}
}

// A message can be printed as a stream, and the stream plays the same.
func TestAMessageAsAStreamSaysTheSame(t *testing.T) {
	t.Parallel()
	for _, message := range []string{
		"quirks: [reasoning-member]\nmessage: { reasoning: Hm., content: Hi there., tool_calls: [{ id: call_1, name: f, arguments: { a: 1 } }] }",
		"message: { refusal: No, finish: length }\nend: close",
		"message: { content: '{{ .last_user }}' }",
		"message: Hi there.\nwhen: { surface: responses }\nenvelope: { id: resp_1, response: failed }",
	} {
		if !strings.Contains(message, "envelope") {
			message += "\nenvelope: { id: resp_1 }"
		}
		list, problems := yamlfile.Parse("test.yaml", []byte("name: x\n"+message))
		set, more := scenarios.Build(nil, list...)
		if err := append(problems, more...).Err(); err != nil {
			t.Fatal(err)
		}
		written, err := server.AsStream(set, "responses", http.Header{"X-Fakeopenai-Scenario": {"x"}}, []byte(`{"model":"gpt-4o","stream":true,"input":"Say it"}`), 1)
		if err != nil {
			t.Fatal(err)
		}
		again, problems := server.CheckFiles(yamlfile.Source{Name: "stream.yaml", Data: written})
		if err := problems.Err(); err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		_, want := ask(t, serveSet(t, set), streamed)
		if _, got := ask(t, serveSet(t, again), streamed); got != want {
			t.Errorf("%s\nsays\n%s\nand not\n%s", written, got, want)
		}
	}
}

// An answer in one piece is the response object of the last event.
func TestAnAnswerInOnePieceIsTheOneThatAStreamEndsWith(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nmessage: { reasoning: Hm, content: 'You said {{ .last_user }}', tool_calls: [{ id: call_1, name: f, arguments: '{}' }] }\nenvelope: { id: resp_1 }")
	_, stream := ask(t, url, streamed)
	_, body := ask(t, url, "")
	got, want := parse(t, body), last(t, stream)
	if payer := got.Get("billing").Get("payer").Text(); payer != "developer" {
		t.Errorf("who pays is %q", payer)
	}
	if want.Get("billing").IsAbsent() != true {
		t.Error("a stream says who pays")
	}
	for _, v := range []*ojson.Value{&got, &want} {
		v.Set("billing", ojson.Value{})
		for i := range v.Get("output").Items() { // ids are drawn for each request
			v.Get("output").Items()[i].Set("id", ojson.String("id"))
		}
	}
	if !ojson.Equal(got, want) {
		t.Errorf("in one piece\n%s\nin the stream\n%s", got, want)
	}
	if text := got.Find(ojson.Path{{Name: "output"}, {Index: 1, IsIndex: true}, {Name: "content"}, {IsIndex: true}, {Name: "text"}}).Text(); text != "You said Say it" {
		t.Errorf("the text is %q", text)
	}
}

func TestTheEndOfAnAnswer(t *testing.T) {
	t.Parallel()
	tests := []struct{ yaml, status, details, usage string }{
		{"message: { content: Hi, finish: length }", "incomplete", `{"reason":"max_output_tokens"}`, ""},
		{"message: { content: Hi, finish: content_filter }", "incomplete", `{"reason":"content_filter"}`, ""},
		{"message: { content: Hi, usage: { prompt_tokens: 5, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 2 }, completion_tokens_details: { reasoning_tokens: 3 } } }",
			"completed", "null", `{"input_tokens":5,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens":2},"output_tokens":7,"output_tokens_details":{"reasoning_tokens":3},"total_tokens":12}`},
		{"stream:\n- content: Hi\n- finish: stop", "completed", "null",
			`{"input_tokens":8,"input_tokens_details":{"cache_write_tokens":0,"cached_tokens":0},"output_tokens":1,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":9}`},
		{"stream:\n- content: Hi\n- finish: stop\n- usage: null", "completed", "null", "null"},
	}
	for _, tt := range tests {
		url := serve(t, "name: x\n"+tt.yaml)
		_, stream := ask(t, url, streamed)
		_, body := ask(t, url, "")
		for form, got := range map[string]ojson.Value{"a stream": last(t, stream), "one piece": parse(t, body)} {
			if status := got.Get("status").Text(); status != tt.status {
				t.Errorf("%s, %s: status %s", tt.yaml, form, status)
			}
			if details := got.Get("incomplete_details").String(); details != tt.details {
				t.Errorf("%s, %s: incomplete_details %s", tt.yaml, form, details)
			}
			if usage := got.Get("usage").String(); tt.usage != "" && usage != tt.usage {
				t.Errorf("%s, %s: usage %s", tt.yaml, form, usage)
			}
		}
	}
}

func TestAnErrorInTheStreamIsAlsoInTheFailedResponse(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nstream:\n- content: Hi\n- error: { message: Slow down., type: tokens, code: rate_limit_exceeded }\n")
	_, stream := ask(t, url, streamed)
	list := events(t, stream)
	told, failed := list[len(list)-2], list[len(list)-1].Get("response")
	if want := `{"type":"error","error":{"type":"tokens","code":"rate_limit_exceeded","message":"Slow down.","param":null},"sequence_number":5}`; told.String() != want {
		t.Errorf("the error is %s, want %s", told, want)
	}
	if got, want := failed.Get("error").String(), `{"code":"rate_limit_exceeded","message":"Slow down."}`; got != want {
		t.Errorf("the answer failed with %s, want %s", got, want)
	}
	if got := failed.Get("usage").String() + failed.Get("output").String(); got != "null[]" {
		t.Errorf("usage and output of the failed answer are %s", got)
	}
	status, body := ask(t, url, "")
	if status != http.StatusTooManyRequests || parse(t, body).Get("error").Get("message").Text() != "Slow down." {
		t.Errorf("in one piece: %d %s", status, body)
	}
}

// obfuscation fills each delta up to a multiple of 16 UTF-16 units, unless the request or the
// scenario switches it off.
func TestObfuscation(t *testing.T) {
	t.Parallel()
	const yaml = "name: x\nstream:\n- { text: 'Grüße 😀 and sixteen-letters!', by: word }\n- content: { repeat: abc, bytes: 70001 }\n- tool_call: { name: f, arguments: '{\"a\":1}' }\n- finish: tool_calls"
	deltas := 0
	for _, e := range events(t, play(t, yaml, streamed)) {
		delta, pad := e.Get("delta"), e.Get("obfuscation")
		if delta.IsAbsent() {
			if !pad.IsAbsent() {
				t.Errorf("%s has padding and no delta", e)
			}
			continue
		}
		deltas++
		if n := len(utf16.Encode([]rune(delta.Text()))) + len(pad.Text()); pad.IsAbsent() || n%16 != 0 || len(pad.Text()) > 15 {
			t.Errorf("%q is padded with %q", delta.Text(), pad.Text())
		}
	}
	if deltas < 5 {
		t.Errorf("there are %d deltas", deltas)
	}
	for members, yaml := range map[string]string{
		streamed + `,"stream_options":{"include_obfuscation":false}`: yaml,
		streamed: yaml + "\nenvelope: { obfuscation: false }",
	} {
		if body := play(t, yaml, members); strings.Contains(body, "obfuscation") {
			t.Errorf("%s: there is padding", members)
		}
	}
}

// Obfuscation and item ids that the author wrote are used in turn; then they are drawn.
func TestWhatIsDrawnCanBeWritten(t *testing.T) {
	t.Parallel()
	const yaml = `name: x
envelope: { item_ids: [rs_1, msg_1, mine, fc_1], obfuscation: [a, "", c] }
stream:
  - reasoning: Hm
  - content: Hi
  - item: { type: web_search_call, id: ws_own }
  - tool_call: { id: call_1, name: f, arguments: "{}" }
  - item: { type: web_search_call }
  - finish: tool_calls
`
	var ids, pads []string
	for _, e := range events(t, play(t, yaml, streamed)) {
		if pad := e.Get("obfuscation"); !pad.IsAbsent() {
			pads = append(pads, pad.Text())
		}
		if e.Get("type").Text() == "response.output_item.done" {
			ids = append(ids, e.Get("item").Get("id").Text())
		}
	}
	if want := []string{"rs_1", "msg_1", "ws_own", "fc_1"}; len(ids) != 5 || !slices.Equal(ids[:4], want) || !strings.HasPrefix(ids[4], "ws_") {
		t.Errorf("the ids are %q, want %q and one that is drawn", ids, want)
	}
	if want := []string{"a", "", "c"}; !slices.Equal(pads, want) {
		t.Errorf("obfuscation is %q, want %q", pads, want)
	}
	again := events(t, play(t, strings.Replace(yaml, `, c]`, `]`, 1), streamed))
	drawn := ""
	for _, e := range again {
		if strings.HasSuffix(e.Get("type").Text(), "arguments.delta") {
			drawn = e.Get("obfuscation").Text()
		}
	}
	if len(drawn) != 14 {
		t.Errorf("beyond the written ones it is %q", drawn)
	}
}

// Deltas have log-probabilities as they are; closed items have them rounded.
func TestLogprobs(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nmessage: { content: Hi, logprobs: { content: [{ token: Hi, logprob: -0.12345678, bytes: [72, 105], top_logprobs: [] }] } }")
	_, stream := ask(t, url, streamed)
	for _, e := range events(t, stream) {
		want := ""
		got := e.Get("logprobs")
		const exact = `[{"token":"Hi","bytes":[72,105],"logprob":-0.12345678,"top_logprobs":[]}]`
		switch e.Get("type").Text() {
		case "response.output_text.delta", "response.output_text.done":
			want = exact
		case "response.content_part.done":
			want, got = "[]", e.Get("part").Get("logprobs")
		case "response.output_item.done":
			want, got = strings.Replace(exact, "0.12345678", "0.123457", 1), e.Get("item").Get("content").Items()[0].Get("logprobs")
		default:
			continue
		}
		if got.String() != want {
			t.Errorf("%s has %s, want %s", e.Get("type").Text(), got, want)
		}
	}
	url = serve(t, "name: x\nmessage: Hi")
	if _, body := ask(t, url, streamed); strings.Contains(body, `"token":"Hi"`) {
		t.Error("there are log-probabilities that nobody asked for")
	}
	if _, body := ask(t, url, streamed+`,"include":["message.output_text.logprobs"],"top_logprobs":3`); strings.Count(body, `"token":"Hi"`) < 4 {
		t.Error("there are no log-probabilities, although they were asked for")
	}
}

// Steps that this surface has no words for are refused, with their number.
func TestUnsayable(t *testing.T) {
	t.Parallel()
	tests := []struct{ yaml, message string }{
		{"message: { function_call: { name: f } }", "the message holds a function_call"},
		{"message: { audio: { transcript: Hi } }", "the message holds audio"},
		{"stream:\n- content: Hi\n- chunk: { choices: [] }\n- finish: stop", "step 2 is a literal chunk of chat completions"},
		{"stream:\n- delta: { content: Hi }\n- finish: stop", "step 1 is a literal delta of chat completions"},
		{"stream:\n- { content: Hi, set: { delta.content: 5 } }\n- finish: stop", "step 1 is a set of delta.content, a place in chat completions"},
		{"stream:\n- { content: Hi, omit: [id] }\n- finish: stop", "step 1 is an omit of id, a place in chat completions"},
		{"stream:\n- { content: Hi }\n- { content: Hi, choice: 1 }\n- finish: stop", "step 2 is a choice beyond the first"},
	}
	for _, tt := range tests {
		status, body := ask(t, serve(t, "name: x\n"+tt.yaml), streamed)
		if status != http.StatusBadRequest || !strings.Contains(body, tt.message+", which responses cannot express") || !strings.Contains(body, "fake_unsayable") {
			t.Errorf("%s: %d %s, want %s", tt.yaml, status, body, tt.message)
		}
	}
}

// Steps edit the events that they become, and damage finds these by kind.
func TestEditsAndDamage(t *testing.T) {
	t.Parallel()
	body := play(t, "name: x\nwhen: { surface: responses }\nstream:\n- role: assistant\n- content: A\n"+
		"- { content: B, set: { delta: 5, output_index: 7 }, omit: [item_id], extra: { vendor: x } }\n- finish: stop\ndamage: [{ duplicate: content }, { drop: finish }]", streamed)
	var got []string
	for _, e := range events(t, body)[4:] {
		if e.Get("type").Text() == "response.output_text.delta" {
			got = append(got, e.Get("delta").String()+e.Get("output_index").String()+e.Get("vendor").Text())
			if e.Get("item_id").IsAbsent() != (e.Get("vendor").Text() == "x") {
				t.Errorf("the step that leaves out item_id is not this: %s", e)
			}
		}
	}
	if want := `"A"0 "A"0 57x 57x`; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if strings.Contains(body, "response.completed") {
		t.Error("the finish is not dropped")
	}
}
