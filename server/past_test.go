package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

// loop is a scenario of an agent's loop: three turns with tools.
const loop = `
name: loop
when: { system: { contains: brief } }
replies:
  - when: { turn: 1, user: { contains: weather } }
    message: { tool_calls: [{ id: call_1, name: look, arguments: { at: Rome } }] }
  - when: { turn: 2, tool_result: call_1 }
    message: { tool_calls: [{ id: call_2, name: look, arguments: { at: Oslo } }] }
  - when: { turn: 3, tool_result: call_2, user: { contains: weather } }
    message: { tool_calls: [{ id: call_3, name: look, arguments: { at: Bonn } }] }
  - when: { turn: 4, tool_result: call_3 }
    message: "turn {{ .turn }} is about {{ .last_user }}"
`

// Conditions see the items before previous_response_id as if the request itself had them.
func TestPreviousResponsesCountLikeItemsOfTheRequest(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		r := start(t, loop, server.Config{CheckHistory: true, Strict: strict})
		ask := func(body string) string {
			return r.ask("POST", "/v1/responses", body, http.StatusOK, "Authorization: Bearer k")
		}
		const question = `{"role":"user","content":"What is the weather?"}`
		items := question
		byItems, byID := "", ""
		for turn := range 4 {
			output := fmt.Sprintf(`{"type":"function_call_output","call_id":"call_%d","output":"18"}`, turn)
			if turn > 0 {
				items += "," + output
			}
			byItems = ask(`{"model":"gpt-4o","instructions":"Be brief.","input":[` + items + `]}`)
			call := member(t, byItems, "output", 0)
			if turn < 3 {
				items += fmt.Sprintf(`,{"type":"function_call","call_id":"call_%d","name":"look","arguments":%q}`, turn+1, call.(map[string]any)["arguments"])
			}
			input, previous := "["+question+"]", ""
			if turn > 0 {
				input, previous = "["+output+"]", fmt.Sprintf(`,"previous_response_id":%q`, id(t, byID))
			}
			before := byID
			byID = ask(`{"model":"gpt-4o","instructions":"Be brief.","input":` + input + previous + `}`)
			if turn > 0 && member(t, byID, "previous_response_id") != id(t, before) {
				t.Errorf("the answer goes on from %v", member(t, byID, "previous_response_id"))
			}
			if turn < 3 && member(t, byID, "output", 0, "arguments") != member(t, byItems, "output", 0, "arguments") {
				t.Errorf("turn %d by id is %s\nby items %s", turn, byID, byItems)
			}
		}
		for _, got := range []string{byID, byItems} {
			if text := member(t, got, "output", 0, "content", 0, "text"); text != "turn 4 is about What is the weather?" {
				t.Errorf("the loop ends with %q", text)
			}
		}
	}
}

// The instructions of a previous response do not apply to the next request.
func TestInstructionsAreNotInherited(t *testing.T) {
	t.Parallel()
	r := start(t, loop+"---\nname: other\nmessage: no instructions\n", server.Config{})
	first := r.create(`{"model":"gpt-4o","instructions":"Be brief.","input":"weather?"}`)
	wantContains(t, r.create(`{"model":"gpt-4o","input":[{"type":"function_call_output","call_id":"call_1","output":""}],"previous_response_id":"`+id(t, first)+`"}`),
		"no instructions")
}

func TestACheckedHistoryRefusesACallWithoutOutput(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		config server.Config
		status int
	}{{server.Config{CheckHistory: true}, 400}, {server.Config{Strict: true}, 400}, {server.Config{}, 200}} {
		r := start(t, loop+"---\nname: other\nmessage: other\n", c.config)
		const key = "Authorization: Bearer k"
		first := r.ask("POST", "/v1/responses", `{"model":"gpt-4o","instructions":"Be brief.","input":"weather?"}`, 200, key)
		got := r.ask("POST", "/v1/responses", `{"model":"gpt-4o","input":"well?","previous_response_id":"`+id(t, first)+`"}`, c.status, key)
		if c.status == 400 {
			wantContains(t, got, "No tool output found for function call call_1.", `"param": "input"`)
		}
	}
}

func TestAConversation(t *testing.T) {
	t.Parallel()
	r := start(t, "name: x\nreplies:\n  - when: { turn: 1 }\n    message: One.\n  - when: { turn: 2, messages: { contains: remember } }\n    message: Two.\n", server.Config{})
	made := r.ask("POST", "/v1/conversations", `{"metadata":{"topic":"demo"},"items":[{"role":"user","content":"remember me"}]}`, 200)
	wantContains(t, made, `"object": "conversation"`, `"topic": "demo"`)
	conv := id(t, made)
	path := "/v1/conversations/" + conv
	first := text(t, r.respond(`{"model":"gpt-4o","stream":true,"input":"hi","conversation":{"id":"`+conv+`"}}`))
	wantContains(t, first, `"conversation":{"id":"`+conv+`"}`, "One")
	wantContains(t, r.create(`{"model":"gpt-4o","input":"and now?","conversation":"`+conv+`"}`), "Two.")
	list := r.get(path+"/items?order=asc&limit=4", 200)
	var texts []string
	for i := range 4 {
		texts = append(texts, fmt.Sprint(member(t, list, "data", i, "content", 0, "text")))
	}
	if got := strings.Join(texts, "|"); got != "remember me|hi|One.|and now?" || member(t, list, "has_more") != true {
		t.Errorf("the items are %s in %s", got, list)
	}
	newest := r.get(path+"/items?limit=1", 200)
	if member(t, newest, "data", 0, "content", 0, "text") != "Two." {
		t.Errorf("the newest is %s", newest)
	}
	after := r.get(path+"/items?order=asc&after="+member(t, list, "last_id").(string), 200)
	if member(t, after, "data", 0, "content", 0, "text") != "Two." || member(t, after, "has_more") != false {
		t.Errorf("after the fourth comes %s", after)
	}
	item := path + "/items/" + member(t, newest, "first_id").(string)
	wantContains(t, r.get(item, 200), "Two.")
	wantContains(t, r.ask("DELETE", item, "", 200), `"object": "conversation"`)
	wantContains(t, r.get(item, 404), "Item with id")
	wantContains(t, r.ask("POST", path, `{"metadata":{"topic":"other"}}`, 200), `"topic": "other"`)
	wantContains(t, r.ask("POST", path+"/items", `{}`, 400), "Missing required parameter: 'items'.")
	wantContains(t, r.get(path+"/items?limit=0", 400), "integer below minimum value")
	wantContains(t, r.get(path+"/items?order=up", 400), "'asc' and 'desc'")
	wantContains(t, r.ask("DELETE", path, "", 200), `"object": "conversation.deleted"`, conv)
	wantContains(t, r.ask("POST", "/v1/responses", `{"input":"hi","conversation":"`+conv+`"}`, 404), "Conversation with id '"+conv+"' not found.")
	wantContains(t, r.ask("POST", "/v1/responses", `{"input":"hi","conversation":"c","previous_response_id":"r"}`, 400), "Mutually exclusive parameters")
}

// At the real service all ids of a chain of responses have 16 digits in common: the first ones,
// or the last ones in the layout 2025-03.
func TestTheIDsOfAChainShareTheirDigits(t *testing.T) {
	t.Parallel()
	const now = "name: now\nwhen: { model: now }\nmessage: Hi"
	r := start(t, now+"\n---\nname: then\nwhen: { model: then }\nmessage: Hi\nenvelope: { layout: 2025-03 }", server.Config{})
	digits := func(body string, path ...any) string {
		text := member(t, body, path...).(string)
		text = text[strings.Index(text, "_")+1:]
		if len(text) == 48 {
			return text[32:]
		}
		return text[:16]
	}
	known := map[string]bool{}
	for _, question := range []string{"Who?", "When?"} {
		body := r.create(fmt.Sprintf(`{"model":"now","input":%q}`, question))
		chain := digits(body, "id")
		if known[chain] {
			t.Errorf("two chains share the digits %s", chain)
		}
		known[chain] = true
		for _, model := range []string{"now", "then", "then", "now"} {
			before := id(t, body)
			body = r.create(fmt.Sprintf(`{"model":%q,"input":"Hi","previous_response_id":%q}`, model, before))
			if digits(body, "id") != chain || digits(body, "output", 0, "id") != chain || id(t, body) == before {
				t.Errorf("the response that goes on from %s is\n%s", before, body)
			}
		}
	}
}

// A page has 20 items unless another limit is asked for, of 100 at most. Of two mistakes in a
// query the first one is told.
func TestPagesOfAConversation(t *testing.T) {
	t.Parallel()
	r := start(t, hello, server.Config{})
	items := strings.TrimSuffix(strings.Repeat(`{"role":"user","content":"hi"},`, 15), ",")
	path := "/v1/conversations/" + id(t, r.ask("POST", "/v1/conversations", `{"items":[`+items+`]}`, 200)) + "/items"
	r.ask("POST", path, `{"items":[`+items+`]}`, 200)
	for query, want := range map[string]int{"": 20, "?limit=100": 30, "?limit=1": 1} {
		if got := value(t, r.get(path+query, 200), "data").Items(); len(got) != want {
			t.Errorf("%q: %d items, want %d", query, len(got), want)
		}
	}
	wantContains(t, r.get(path+"?limit=101", 400), "integer above maximum value", `"param": "limit"`)
	wantContains(t, r.get(path+"?order=up&limit=x", 400), `"param": "order"`)
}

// An item_reference stands for the kept item with its id, no matter how the item was stored.
func TestAReferenceIsTheItemThatItNames(t *testing.T) {
	t.Parallel()
	for _, strict := range []bool{false, true} {
		r := start(t, loop, server.Config{CheckHistory: true, Strict: strict})
		do := func(method, path, body string) string {
			return r.ask(method, "/v1/responses"+path, body, http.StatusOK, "Authorization: Bearer k")
		}
		ask := func(input string) string {
			return do(http.MethodPost, "", `{"model":"gpt-4o","instructions":"Be brief.","input":[`+input+`]}`)
		}
		first := ask(`{"role":"user","content":"What is the weather?"}`)
		call := member(t, first, "output", 0, "id")
		question := member(t, do(http.MethodGet, "/"+id(t, first)+"/input_items", ""), "data", 0, "id")
		const output = `{"type":"function_call_output","call_id":"call_1","output":"18"}`
		for _, kind := range []string{`"type":"item_reference",`, ""} {
			second := ask(fmt.Sprintf(`{%s"id":%q},{%s"id":%q},`+output, kind, question, kind, call))
			if got := member(t, second, "output", 0, "call_id"); got != "call_2" {
				t.Errorf("the answer to references is %s", second)
			}
			kept := do(http.MethodGet, "/"+id(t, second)+"/input_items", "")
			if !strings.Contains(kept, "What is the weather?") || strings.Contains(kept, "item_reference") {
				t.Errorf("the items of the input are %s", kept)
			}
		}
	}
}

func TestAReferenceToAnUnknownItemIsA404UnlessAnyIDIsAllowed(t *testing.T) {
	t.Parallel()
	const body = `{"model":"gpt-4o","input":[{"type":"item_reference","id":"msg_9"},{"role":"user","content":"Go"}]}`
	wrong := start(t, "name: a\nmessage: Hello.", server.Config{}).ask(http.MethodPost, "/v1/responses", body, http.StatusNotFound)
	if text, _ := member(t, wrong, "error", "message").(string); member(t, wrong, "error", "param") != "input" || !strings.HasPrefix(text, "Item with id 'msg_9' not found.") {
		t.Errorf("the error is %s", wrong)
	}
	start(t, "name: a\nmessage: Hello.", server.Config{AnyID: true}).create(body)
}

// orphan is a request with a tool result that no call asked for. It also has a member that
// the real service does not know.
const orphan = `{"model":"gpt-4o","foo":1,"messages":[{"role":"tool","tool_call_id":"a","content":"ok"}]}`

func TestAHistoryIsCheckedIfTheServerOrScenarioAsksForIt(t *testing.T) {
	t.Parallel()
	const on, off = "check_history: true\n", "check_history: false\n"
	for _, tt := range []struct {
		name     string
		scenario string
		config   server.Config
		refused  bool
	}{
		{"nobody asks", hello, server.Config{}, false},
		{"the server asks", hello, server.Config{CheckHistory: true}, true},
		{"the scenario asks", hello + on, server.Config{}, true},
		{"the scenario does not want to", hello + off, server.Config{CheckHistory: true}, false},
		{"a base asks", "name: a\nextends: hello\n---" + hello + on, server.Config{}, true},
		{"before all else is checked", hello, server.Config{CheckHistory: true, Strict: true}, true},
		{"where nothing matches", strings.Replace(hello, "name:", "when: { model: o3 }\nname:", 1), server.Config{CheckHistory: true}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, tt.scenario, tt.config)
			resp := r.chat(orphan)
			if refused := resp.StatusCode == http.StatusBadRequest; refused != tt.refused {
				t.Errorf("the status is %d", resp.StatusCode)
			}
			body := text(t, resp)
			if tt.refused {
				wantContains(t, body, "messages with role 'tool' must be a response to a preceeding message", `"messages.[0].role"`)
			}
			if rec := r.ended(); rec.BadHistory != tt.refused || rec.BadHistory != strings.Contains(rec.Problem, "preceeding") {
				t.Errorf("the record has bad history %t, problem %q", rec.BadHistory, rec.Problem)
			}
		})
	}
}
