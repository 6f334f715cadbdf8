package server_test

import (
	"bufio"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// eventSource reads a URL as a browser's EventSource does: it accepts text/event-stream
// only, joins data lines, and connects again with the id of the last event when a stream
// ends.
type eventSource struct {
	r      *running
	path   string
	lastID string
}

// connect returns the data of the events of one connection.
func (es *eventSource) connect() (data []string) {
	es.r.t.Helper()
	header := []string{"Accept: text/event-stream", "Cache-Control: no-store"}
	if es.lastID != "" {
		header = append(header, "Last-Event-ID: "+es.lastID)
	}
	resp := es.r.do(http.MethodGet, es.path, "", header...)
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		es.r.t.Fatalf("an EventSource gives up at %s, %s", resp.Status, kind)
	}
	var event []string
	for lines := bufio.NewScanner(resp.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case lines.Text() == "" && event != nil:
			data, event = append(data, strings.Join(event, "\n")), nil
		case name == "data":
			event = append(event, value)
		case name == "id":
			es.lastID = value
		}
	}
	return data
}

func TestAnEventSourceReadsAStream(t *testing.T) {
	t.Parallel()
	r := start(t, "name: numbered\nwhen: { user: { contains: rain } }\nwire: { ids: true }\nmessage: It rains.\n", server.Config{AllowGet: true, Created: 1700000000})
	query := url.Values{"model": {"gpt-4o"}, "messages": {`[{"role":"user","content":"Will it rain?"}]`}}
	es := eventSource{r: r, path: "/v1/chat/completions?" + query.Encode()}
	var text strings.Builder
	events := es.connect()
	for _, event := range events {
		if chunk, err := ojson.Parse([]byte(event)); err == nil {
			text.WriteString(chunk.Get("choices").Items()[0].Get("delta").Get("content").Text())
		}
	}
	if text.String() != "It rains." || events[len(events)-1] != "[DONE]" {
		t.Errorf("the events are %q", events)
	}
	es.lastID = "2"
	if rest := es.connect(); !slices.Equal(rest, events[2:]) {
		t.Errorf("connected again after event 2 it gets %q, want %q", rest, events[2:])
	}
	e := r.ended()
	if e.Method != http.MethodGet || e.Request == nil || e.Request.Model != "gpt-4o" || !e.Request.Stream {
		t.Errorf("the journal has %+v", e)
	}
}

func TestAGetIsRefusedUnlessItIsAllowed(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, path string
		config     server.Config
		status     int
		want       string
	}{
		{"it is not allowed", "/v1/completions?model=gpt-4o", server.Config{}, http.StatusMethodNotAllowed, "Only POST requests are accepted."},
		{"a parameter is unknown", "/v1/chat/completions?mesages=[]", server.Config{AllowGet: true}, http.StatusBadRequest, "Unknown parameter: 'mesages' in the query of the request. It can have model, messages, "},
		{"a value cannot be read", "/v1/chat/completions?messages=hello", server.Config{AllowGet: true}, http.StatusBadRequest, "The value of 'messages' in the query of the request is not JSON"},
		{"a value is of the wrong type", "/v1/chat/completions?messages=3", server.Config{AllowGet: true}, http.StatusBadRequest, "Invalid type for 'messages'"},
		{"the path is another", "/v1/files?model=x", server.Config{AllowGet: true}, http.StatusNotFound, "files"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := start(t, "name: hello\nmessage: Hello\n", tt.config)
			resp := r.do(http.MethodGet, tt.path, "")
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != tt.status || !strings.Contains(string(body), tt.want) {
				t.Errorf("%d %s %v, want %d and %q", resp.StatusCode, body, err, tt.status, tt.want)
			}
		})
	}
}

func TestAGetGivesAWholeAnswerOnlyWhenAsked(t *testing.T) {
	t.Parallel()
	r := start(t, "name: hello\nmessage: Hello\n", server.Config{AllowGet: true})
	wantContains(t, r.get("/v1/chat/completions?stream=false", http.StatusOK), `"object": "chat.completion"`)
	wantContains(t, r.get("/v1/completions?prompt=Say+hello", http.StatusOK), `"object":"text_completion"`, "data: [DONE]")
	wantContains(t, r.get("/openai/deployments/mine/chat/completions?api-version=2024-10-21", http.StatusOK), `"model":"mine"`)
}
