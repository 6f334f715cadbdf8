package responses_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// names returns the names of the members of an object, in order.
func names(v ojson.Value) string {
	var list []string
	for _, m := range v.Members() {
		list = append(list, m.Name)
	}
	return strings.Join(list, " ")
}

const allMembers = "id object created_at status background completed_at error frequency_penalty incomplete_details instructions max_output_tokens " +
	"max_tool_calls model moderation output parallel_tool_calls presence_penalty previous_response_id prompt_cache_key prompt_cache_retention " +
	"reasoning safety_identifier service_tier store temperature text tool_choice tool_usage tools top_logprobs top_p truncation usage user metadata"

// The members of the response object have the order of recordings, also those that are there
// only if the request has them.
func TestTheMembersOfAnAnswer(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nmessage: Hi")
	_, stream := ask(t, url, streamed)
	for i, e := range events(t, stream) {
		if r := e.Get("response"); !r.IsAbsent() && names(r) != allMembers {
			t.Errorf("event %d has the members %s", i, names(r))
		}
	}
	_, body := ask(t, url, `"prompt_cache_options":{"mode":"explicit"}`)
	if v := parse(t, body); !v.Get("prompt").IsAbsent() || v.Get("prompt_cache_options").IsAbsent() {
		t.Errorf("with prompt_cache_options alone there are %s", names(v))
	}
	_, body = ask(t, url, `"prompt":{"id":"pmpt_1"},"prompt_cache_options":{"mode":"explicit"},"service_tier":"priority","max_tool_calls":3,"top_logprobs":2,"truncation":"auto","safety_identifier":"s","prompt_cache_key":"k"`)
	v := parse(t, body)
	want := strings.Replace(allMembers, "background", "background billing", 1)
	want = strings.Replace(want, "prompt_cache_key", "prompt prompt_cache_key prompt_cache_options", 1)
	if names(v) != want {
		t.Errorf("in one piece there are %s", names(v))
	}
	for name, want := range map[string]string{
		"prompt": `{"id":"pmpt_1"}`, "prompt_cache_options": `{"mode":"explicit"}`, "service_tier": `"priority"`, "max_tool_calls": "3",
		"top_logprobs": "2", "truncation": `"auto"`, "safety_identifier": `"s"`, "prompt_cache_key": `"k"`,
	} {
		if got := v.Get(name).String(); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
}

// Events and response objects had other members, or the same in another order.
func TestLayoutsOfEarlierTimes(t *testing.T) {
	t.Parallel()
	for layout, tt := range map[string]struct {
		events map[string]string
		answer string
		lacks  []string
	}{
		"2025-03": {map[string]string{
			"created":                      "type response",
			"output_item.added":            "type output_index item",
			"content_part.added":           "type item_id output_index content_index part",
			"output_text.delta":            "type item_id output_index content_index delta",
			"output_text.done":             "type item_id output_index content_index text",
			"function_call_arguments.done": "type item_id output_index arguments",
		}, "id object created_at status error incomplete_details instructions max_output_tokens model output parallel_tool_calls " +
			"previous_response_id reasoning store temperature text tool_choice tools top_p truncation usage user metadata",
			[]string{"sequence_number", "obfuscation", "logprobs", "cache_write_tokens", "verbosity"}},
		"2025-10": {map[string]string{
			"created":                       "type sequence_number response",
			"output_item.added":             "type sequence_number output_index item",
			"content_part.added":            "type sequence_number item_id output_index content_index part",
			"output_text.delta":             "type sequence_number item_id output_index content_index delta logprobs obfuscation",
			"output_text.annotation.added":  "type sequence_number item_id output_index content_index annotation_index annotation",
			"output_text.done":              "type sequence_number item_id output_index content_index text logprobs",
			"reasoning_summary_text.delta":  "type sequence_number item_id output_index summary_index delta obfuscation",
			"web_search_call.in_progress":   "type sequence_number output_index item_id",
			"function_call_arguments.delta": "type sequence_number item_id output_index delta obfuscation",
			"function_call_arguments.done":  "type sequence_number item_id output_index arguments",
		}, "id object created_at status background error incomplete_details instructions max_output_tokens max_tool_calls model " +
			"output parallel_tool_calls previous_response_id prompt_cache_key prompt_cache_retention reasoning safety_identifier service_tier store temperature text " +
			"tool_choice tools top_logprobs top_p truncation usage user metadata", []string{"cache_write"}},
		"2026-02": {map[string]string{
			"created":           "type response sequence_number",
			"output_text.delta": "type content_index delta item_id logprobs obfuscation output_index sequence_number",
			"output_text.done":  "type content_index item_id logprobs output_index sequence_number text",
		}, allMembers, nil},
	} {
		stream := play(t, `name: x
envelope: { layout: `+layout+` }
stream:
  - reasoning: Hm
  - item: { type: web_search_call }
  - content: Hi
  - annotations: [{ type: url_citation, url: "https://a.example" }]
  - tool_call: { id: c, name: f, arguments: '{}' }
  - finish: tool_calls
`, streamed)
		for _, e := range events(t, stream) {
			of := strings.TrimPrefix(e.Get("type").Text(), "response.")
			if want, known := tt.events[of]; known && names(e) != want {
				t.Errorf("%s: %s has the members %s", layout, of, names(e))
			}
		}
		for of := range tt.events {
			wantContains(t, stream, "event: response."+of+"\n")
		}
		if got := names(last(t, stream)); got != tt.answer {
			t.Errorf("%s: the answer has the members %s", layout, got)
		}
		for _, name := range tt.lacks {
			if strings.Contains(stream, name) {
				t.Errorf("%s: there is %s in\n%s", layout, name, stream)
			}
		}
	}
}

// In March 2025 also ids, items and some members that repeat the request were different.
func TestItemsAndIDsOfMarch2025(t *testing.T) {
	t.Parallel()
	_, body := ask(t, serve(t, "name: x\nmessage: Hi\nenvelope: { layout: 2025-03 }"), "")
	answer := parse(t, body)
	if got := answer.Get("reasoning").String(); got != `{"effort":null,"generate_summary":null}` {
		t.Errorf("reasoning is %s", got)
	}
	if got := names(answer.Get("output").Items()[0]); got != "type id status role content" {
		t.Errorf("a message has the members %s", got)
	}
	if id := answer.Get("id").Text(); len(id) != len("resp_")+48 || !strings.HasPrefix(id, "resp_6ab13b80") {
		t.Errorf("the id is %s", id)
	}
	if strings.Contains(body, "logprobs") || !answer.Get("billing").IsAbsent() || answer.Get("output").Items()[0].Get("content").Items()[0].Get("text").Text() != "Hi" {
		t.Errorf("in one piece there is %s", body)
	}
}

// Azure sends the results of its content filter: on its own paths, and wherever the scenario
// asks for its layout.
func TestTheLayoutOfAzure(t *testing.T) {
	t.Parallel()
	url := serve(t, "name: x\nmessage: Hi")
	for path, azure := range map[string]bool{"/openai/v1/responses": true, "/v1/responses": false} {
		_, body := send(t, http.MethodPost, url+path, `{"model":"gpt-4o","stream":true,"input":"Say it"}`)
		if got := strings.Contains(body, `"completed_at":null,"content_filters":null,"error":null`); got != azure {
			t.Errorf("%s tells of filters: %t", path, got)
		}
	}
	_, body := ask(t, serve(t, "name: x\nmessage: Hi\nenvelope: { layout: azure }"), "")
	filters := parse(t, body).Get("content_filters").Items()
	if len(filters) != 2 {
		t.Fatalf("the filters are %v", filters)
	}
	for i, want := range []string{`prompt {"start_offset":0,"end_offset":6,"check_offset":0}`, `completion {"start_offset":0,"end_offset":2,"check_offset":0}`} {
		if got := filters[i].Get("source_type").Text() + " " + filters[i].Get("content_filter_offsets").String(); got != want {
			t.Errorf("filter %d is %s, want %s", i, got, want)
		}
	}
}

// A layout of chat completions has no effect here, and is an error in a scenario for responses
// alone.
func TestLayoutsOfOtherSurfaces(t *testing.T) {
	t.Parallel()
	body := play(t, "name: x\nmessage: Hi\nenvelope: { layout: minimal }", streamed)
	if got := names(last(t, body)); got != allMembers {
		t.Errorf("the members are %s", got)
	}
	unloadable(t, "name: x\nmessage: Hi\nenvelope: { layout: minimal }\nwhen: { surface: responses }", "the reply is for responses alone, which has no layout minimal")
	unloadable(t, "name: x\nwhen: { surface: chat }\nreplies: [{ message: Hi, envelope: { layout: 2025-03 } }]", "the reply is for chat alone, which has no layout 2025-03")
}
