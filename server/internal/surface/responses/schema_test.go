package responses_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fakeopenai/fakeopenai/fixtures"
	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
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

// All events and whole answers of the bundled scenarios fit the published schema, except where
// recordings do not.
func TestFixturesFitThePublishedSchema(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	schemas := published(t)
	url := serveSet(t, bundled(t))
	checked := 0
	for _, name := range fixtures.Names() {
		header := "X-Fakeopenai-Scenario: " + name
		if status, body := ask(t, url, streamed+`,"include":["message.output_text.logprobs"],"top_logprobs":2`, header); status == http.StatusOK {
			checked += fits(t, name, schemas, body)
		}
		if status, body := ask(t, url, "", header); status == http.StatusOK && strings.HasPrefix(body, "{") && strings.HasSuffix(body, "}\n") {
			validate(t, name, schemas[""], parse(t, body))
			checked++
		}
	}
	if checked < 700 {
		t.Errorf("only %d events and answers were checked", checked)
	}
}

// fits checks the events of a stream that arrived whole, and counts them.
func fits(t *testing.T, name string, schemas map[string]*jsonschema.Schema, body string) int {
	t.Helper()
	checked := 0
	for line := range strings.Lines(strings.ReplaceAll(body, "\r", "")) {
		data, ok := strings.CutPrefix(line, "data: ")
		if !ok {
			continue
		}
		v, err := ojson.Parse([]byte(data))
		eventType := v.Get("type").Text()
		adapt, known := recordedOtherwise[eventType]
		if err != nil || known && adapt == nil || eventType == "" {
			continue // broken off or damaged, as it is written
		}
		if known {
			adapt(&v)
		}
		if schemas[eventType] == nil {
			t.Errorf("%s: there is no schema of %s", name, eventType)
			continue
		}
		validate(t, name, schemas[eventType], v)
		checked++
	}
	return checked
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
	// In the scenario logprobs, a token without text has no bytes; the schema requires a list.
	text := strings.ReplaceAll(v.String(), `"bytes":null`, `"bytes":[]`)
	instance, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
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
