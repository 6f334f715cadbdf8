package responses_test

import (
	"net/http"
	"regexp"
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

// An answer in one piece equals the last response object of the stream, plus billing.
func TestFixturesInOnePieceAreTheEndsOfTheirStreams(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	compared, streams, pieces := 0, serveSet(t, bundled(t)), serveSet(t, bundled(t))
	for _, name := range fixtures.Names() {
		header := "X-Fakeopenai-Scenario: " + name
		_, stream := ask(t, streams, streamed, header)
		status, body := ask(t, pieces, "", header)
		ends := terminal(stream)
		whole, err := ojson.Parse([]byte(body))
		if status != http.StatusOK || err != nil || ends.IsAbsent() || whole.Get("object").Text() != "response" {
			continue // an error, or broken off as it is written
		}
		if whole.Get("billing").Get("payer").Text() != "developer" {
			t.Errorf("%s: nobody pays for %s", name, body)
		}
		whole.Set("billing", ojson.Value{})
		if got, want := withoutIDs(whole), withoutIDs(ends); got != want {
			t.Errorf("%s: in one piece\n%s\nin the stream\n%s", name, got, want)
		}
		compared++
	}
	if compared < 30 {
		t.Errorf("only %d answers were compared", compared)
	}
}

// terminal returns the response object in the last event; Absent if it has none.
func terminal(stream string) (answer ojson.Value) {
	for line := range strings.Lines(strings.ReplaceAll(stream, "\r", "")) {
		data, _ := strings.CutPrefix(line, "data: ")
		v, err := ojson.Parse([]byte(data))
		switch v.Get("type").Text() {
		case "response.completed", "response.incomplete":
			if err == nil {
				answer = v.Get("response")
			}
		}
	}
	return answer
}

var shownID = regexp.MustCompile(`"[a-z]+_[0-9a-f]{50}"|"call_[0-9A-Za-z]{24}"|"[0-9a-f]{32}#`)

// withoutIDs returns the JSON of an answer without the ids that each request draws.
func withoutIDs(v ojson.Value) string { return shownID.ReplaceAllString(v.String(), `"ID"`) }
