package server_test

import (
	"bufio"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// described is the document at /_fake/openapi.json. It is closed: a member that the schema of
// its object does not have is an error.
type described struct {
	t       *testing.T
	doc     map[string]any
	schemas *jsonschema.Compiler
	seen    map[string]bool // seen are the operations with at least one checked answer.
}

func describedBy(t *testing.T, text string) *described {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	d := &described{t: t, doc: doc.(map[string]any), schemas: jsonschema.NewCompiler(), seen: map[string]bool{}}
	for _, schema := range d.doc["components"].(map[string]any)["schemas"].(map[string]any) {
		if s := schema.(map[string]any); len(s["properties"].(map[string]any)) > 0 {
			s["additionalProperties"] = false
		}
	}
	if err := d.schemas.AddResource("openapi.json", d.doc); err != nil {
		t.Fatal(err)
	}
	return d
}

// operations returns all operations, each in the form "GET /_fake/holds".
func (d *described) operations() []string {
	var list []string
	for path, item := range d.doc["paths"].(map[string]any) {
		for method := range item.(map[string]any) {
			list = append(list, strings.ToUpper(method)+" "+path)
		}
	}
	slices.Sort(list)
	return list
}

// operation is the description of an operation; nil if there is none.
func (d *described) operation(name string) map[string]any {
	method, path, _ := strings.Cut(name, " ")
	item, _ := d.doc["paths"].(map[string]any)[path].(map[string]any)
	op, _ := item[strings.ToLower(method)].(map[string]any)
	return op
}

// check validates an answer against the description of its operation.
func (d *described) check(operation string, resp *http.Response) {
	d.t.Helper()
	body := text(d.t, resp)
	d.seen[operation] = true
	op := d.operation(operation)
	if op == nil {
		d.t.Errorf("%s is not described", operation)
		return
	}
	status := strconv.Itoa(resp.StatusCode)
	answers := op["responses"].(map[string]any)
	if answers[status] == nil && resp.StatusCode >= http.StatusBadRequest {
		status = "default"
	}
	answer, ok := answers[status].(map[string]any)
	if !ok {
		d.t.Errorf("%s answers %s, which is not described: %s", operation, status, body)
		return
	}
	content, _ := answer["content"].(map[string]any)
	if content == nil {
		if body != "" {
			d.t.Errorf("%s answers with a body that is not described: %s", operation, body)
		}
		return
	}
	media := resp.Header.Get("Content-Type")
	if content[media] == nil {
		d.t.Errorf("%s answers %s with %s, which is not described", operation, status, media)
		return
	}
	if media == "application/json" {
		d.checkText(operation, status, media, body)
	}
}

// checkText validates JSON against the schema of an answer.
func (d *described) checkText(operation, status, media, body string) {
	d.t.Helper()
	d.seen[operation] = true
	method, path, _ := strings.Cut(operation, " ")
	escaped := strings.NewReplacer("~", "~0", "/", "~1")
	schema, err := d.schemas.Compile("openapi.json#/paths/" + escaped.Replace(path) + "/" + strings.ToLower(method) + "/responses/" + status + "/content/" + escaped.Replace(media) + "/schema")
	if err != nil {
		d.t.Fatal(err)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
	if err == nil {
		err = schema.Validate(value)
	}
	if err != nil {
		d.t.Errorf("%s answers %s\n%s\n%v", operation, status, body, err)
	}
}

// It calls each operation and checks the answer.
func TestTheOwnEndpointsAnswerAsTheyAreDescribed(t *testing.T) {
	t.Parallel()
	r := startWatched(t, held+"description: Waits.\ntags: [slow]\nwhen: { user: wait }\n---"+flaky, server.Config{
		KeepTranscripts: true,
		AsScenario:      func(journal.Entry) ([]byte, error) { return []byte("name: a\n"), nil },
		Reload:          func() (*scenarios.Set, error) { return parse(t, hello), nil },
		Metrics: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			_, _ = w.Write([]byte("requests 1\n"))
		}),
	})
	for range 2 {
		text(t, r.chat(ask, mine)) // a 429 and its retry
	}
	r.chat("no JSON")
	r.chat("\xff")
	r.do(http.MethodGet, "/v1/responses", "")
	waits := r.chat(strings.Replace(ask, `"hi"`, `"wait"`, 1), "Idempotency-Key: i")
	await(t, r, "middle")

	d := describedBy(t, r.get("/_fake/openapi.json", http.StatusOK))
	ask := func(operation, path, body string, status int) {
		t.Helper()
		method, _, _ := strings.Cut(operation, " ")
		resp := r.do(method, path, body)
		if resp.StatusCode != status {
			t.Errorf("%s %s answers %d, want %d", method, path, resp.StatusCode, status)
		}
		d.check(operation, resp)
	}
	same := func(operation string, status int) {
		t.Helper()
		_, path, _ := strings.Cut(operation, " ")
		ask(operation, path, "", status)
	}
	for _, operation := range []string{
		"GET /_fake/", "GET /_fake/openapi.json", "GET /_fake/healthz", "GET /_fake/readyz", "HEAD /_fake/healthz", "HEAD /_fake/readyz",
		"GET /_fake/scenarios", "GET /_fake/requests", "GET /_fake/requests/wait", "GET /_fake/calls", "GET /_fake/calls/wait", "GET /_fake/holds",
	} {
		same(operation, http.StatusOK)
	}
	ask("GET /_fake/requests/{id}", "/_fake/requests/1", "", http.StatusOK)
	ask("GET /_fake/requests/{id}", "/_fake/requests/99", "", http.StatusNotFound)
	ask("GET /_fake/requests/{id}/wait", "/_fake/requests/2/wait", "", http.StatusOK)
	ask("GET /_fake/requests/{id}/wait", "/_fake/requests/99/wait?timeout=1ms", "", http.StatusRequestTimeout)
	ask("GET /_fake/requests/{id}/transcript", "/_fake/requests/2/transcript", "", http.StatusOK)
	ask("GET /_fake/requests/{id}/timeline", "/_fake/requests/2/timeline", "", http.StatusOK)
	ask("GET /_fake/requests/{id}/timeline", "/_fake/requests/99/timeline", "", http.StatusNotFound)
	ask("GET /_fake/requests/{id}/why", "/_fake/requests/2/why", "", http.StatusOK)
	ask("GET /_fake/requests/{id}/why", "/_fake/requests/3/why", "", http.StatusOK)
	ask("GET /_fake/requests/{id}/body", "/_fake/requests/2/body", "", http.StatusOK)
	ask("GET /_fake/requests/{id}/differences", "/_fake/requests/2/differences?with=1", "", http.StatusOK)
	ask("GET /_fake/requests/{id}/differences", "/_fake/requests/2/differences?with=99", "", http.StatusNotFound)
	ask("GET /_fake/requests/find", "/_fake/requests/find?text=hi", "", http.StatusOK)
	ask("GET /_fake/requests/find", "/_fake/requests/find", "", http.StatusBadRequest)
	ask("GET /_fake/requests/{id}/scenario", "/_fake/requests/2/scenario", "", http.StatusOK)
	ask("GET /_fake/scenarios/sends", "/_fake/scenarios/sends", "", http.StatusOK)
	ask("POST /_fake/scenarios/try", "/_fake/scenarios/try", held+"---"+flaky, http.StatusOK)
	ask("POST /_fake/scenarios/try", "/_fake/scenarios/try?request=1", "name: a\nmessage: hi\n", http.StatusOK)
	ask("POST /_fake/scenarios/try", "/_fake/scenarios/try?request=99", "name: a\nmessage: hi\n", http.StatusNotFound)
	ask("POST /_fake/scenarios/try", "/_fake/scenarios/try", "name: a\nmesage: hi\n", http.StatusOK)
	ask("GET /_fake/holds/{name}/wait", "/_fake/holds/middle/wait", "", http.StatusOK)
	ask("POST /_fake/holds/{name}/release", "/_fake/holds/middle/release", "", http.StatusOK)
	text(t, waits)
	same("GET /_fake/requests", http.StatusOK)
	same("GET /_fake/calls", http.StatusOK)
	same("GET /_fake/usage", http.StatusOK)
	events := r.do(http.MethodGet, "/_fake/requests/events", "")
	event, _ := bufio.NewReader(events.Body).ReadString('\n')
	d.checkText("GET /_fake/requests/events", "200", "text/event-stream", strings.TrimPrefix(event, "data: "))
	same("GET /_fake/metrics", http.StatusOK)
	ask("GET /_fake/requests", "/_fake/requests?status=many", "", http.StatusBadRequest)
	ask("PUT /_fake/scenarios", "/_fake/scenarios", "name: a\nmessage: hi\n", http.StatusOK)
	ask("PUT /_fake/scenarios", "/_fake/scenarios", "name: a\nmesage: hi\n", http.StatusUnprocessableEntity)
	ask("POST /_fake/scenarios", "/_fake/scenarios", "name: b\nmessage: hi\n", http.StatusOK)
	same("DELETE /_fake/scenarios", http.StatusNoContent)
	ask("PUT /_fake/faults", "/_fake/faults", "[{ error: 500, times: 1, when: { model: x } }, 429 5%]", http.StatusOK)
	ask("PUT /_fake/faults", "/_fake/faults", "429 500%", http.StatusUnprocessableEntity)
	same("GET /_fake/faults", http.StatusOK)
	same("DELETE /_fake/faults", http.StatusNoContent)
	same("POST /_fake/reload", http.StatusOK)
	same("POST /_fake/reset", http.StatusNoContent)
	same("DELETE /_fake/requests", http.StatusNoContent)
	ask("POST /_fake/down", "/_fake/down?for=1ms", "", http.StatusOK)

	for _, operation := range d.operations() {
		if !d.seen[operation] {
			t.Errorf("no answer of %s was checked", operation)
		}
		op := d.operation(operation)
		if answers := op["responses"].(map[string]any); op["requestBody"] != nil && (answers["408"] == nil || answers["413"] == nil || answers["422"] == nil && operation != "POST /_fake/scenarios/try") {
			t.Errorf("%s: the errors of a body are not described", operation)
		}
	}
}
