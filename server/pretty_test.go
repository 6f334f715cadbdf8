package server_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// What an event repeats of the request is filled into JSON that is on data: lines already.
func TestPrettyEventsHaveNoLineWithoutAField(t *testing.T) {
	t.Parallel()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "pretty.yaml", Data: []byte("name: pretty\nwire: { json_style: pretty }\nmessage: { content: Hi, tool_calls: [{ name: f, arguments: { city: '{{ .request.model }}' } }] }\n")})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	fake, err := server.New(server.Config{Scenarios: set, Speed: scenarios.Instant})
	if err != nil {
		t.Fatal(err)
	}
	defer fake.Close()
	for _, on := range server.Surfaces() {
		rec := httptest.NewRecorder()
		fake.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, on.Path, strings.NewReader(on.Example)))
		for line := range strings.Lines(rec.Body.String()) {
			if rec.Code == http.StatusOK && line != "\n" && !strings.HasPrefix(line, "data: ") && !strings.HasPrefix(line, "event: ") {
				t.Fatalf("%s: a line is %q", on.Name, line)
			}
		}
	}
}
