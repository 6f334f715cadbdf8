package responses_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// call sends a request to an endpoint of the store; "" is no body.
func call(t *testing.T, method, at, body string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, at, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer sk-test")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	got := readAll(t, res.Body)
	if res.StatusCode != http.StatusOK {
		t.Errorf("%s %s: %d %s", method, at, res.StatusCode, got)
	}
	return got
}

// For each bundled scenario, the kept response, its events and its input items fit the
// published schema.
func TestWhatIsKeptFitsThePublishedSchema(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	schemas, list := published(t), compiled(t, "ResponseItemList")
	base := serveSet(t, bundled(t))
	answers, events := 0, 0
	for _, name := range fixtures.Names() {
		status, body := ask(t, base, `"input":[{"role":"user","content":"Say it"},{"type":"function_call","call_id":"call_1","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"call_1","output":"1"}]`,
			"X-Fakeopenai-Scenario: "+name)
		made, err := ojson.Parse([]byte(body))
		if status != http.StatusOK || err != nil || made.Get("object").Text() != "response" {
			continue // an error, or broken off as it is written
		}
		at := base + "/v1/responses/" + url.PathEscape(made.Get("id").Text()) // one has an id of its own, with a #
		again := parse(t, call(t, http.MethodGet, at, ""))
		validate(t, name, schemas[""], again)
		events += fits(t, name, schemas, call(t, http.MethodGet, at+"?stream=true", ""))
		fitsList(t, name, list, call(t, http.MethodGet, at+"/input_items?order=asc", ""), 3)
		answers++
	}
	if answers < 30 || events < 500 {
		t.Errorf("only %d answers and %d events were checked", answers, events)
	}
}

// A response in the background fits the schema while it is queued and after a cancel. So do the
// items of a conversation, as far as the schema knows them.
func TestBackgroundAndConversationsFitThePublishedSchema(t *testing.T) {
	t.Parallel()
	schemas, list := published(t), compiled(t, "ResponseItemList")
	base := serve(t, "name: held\nstream:\n  - content: Once\n  - hold: on\n  - finish: stop\n")
	_, body := ask(t, base, `"background":true`)
	queued := parse(t, body)
	validate(t, "queued", schemas[""], queued)
	cancelled := parse(t, call(t, http.MethodPost, base+"/v1/responses/"+queued.Get("id").Text()+"/cancel", ""))
	validate(t, "cancelled", schemas[""], cancelled)
	if got := queued.Get("status").Text() + " " + cancelled.Get("status").Text(); got != "queued cancelled" {
		t.Errorf("the answer was %s", got)
	}
	conversation := parse(t, call(t, http.MethodPost, base+"/v1/conversations", `{"items":[{"role":"user","content":"hi"},{"type":"function_call_output","call_id":"call_1","output":"1"}]}`))
	fitsList(t, "conversation", list, call(t, http.MethodGet, base+"/v1/conversations/"+conversation.Get("id").Text()+"/items", ""), 2)
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
