package server_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server"
)

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
