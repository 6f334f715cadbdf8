package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// unwritten is an http.ResponseWriter that discards the response and allocates nothing.
type unwritten struct{ header http.Header }

func (w *unwritten) Header() http.Header         { return w.header }
func (w *unwritten) Write(p []byte) (int, error) { return len(p), nil }
func (w *unwritten) WriteHeader(int)             {}
func (w *unwritten) Flush()                      {}

// SetReadDeadline does nothing. The SetReadDeadline of a connection allocates nothing either.
func (w *unwritten) SetReadDeadline(time.Time) error { return nil }

// allocations returns how many allocations the handler makes for a request. Making the
// request itself does not count.
func allocations(h http.Handler, path, ask string) float64 {
	header := http.Header{"Content-Type": {"application/json"}, "Authorization": {"Bearer sk-test"}}
	r := httptest.NewRequest(http.MethodPost, path, nil)
	body := strings.NewReader(ask)
	return testing.AllocsPerRun(200, func() {
		body.Reset(ask)
		r.Header, r.Body, r.ContentLength = header, io.NopCloser(body), int64(len(ask))
		h.ServeHTTP(&unwritten{http.Header{}}, r)
	})
}

// TestAllocations compares the allocations of answers with those of a handler that writes
// the same header and the same bytes, with a flush for each event. The bounds leave room
// for a few more; what exceeds them shows in load tests. The bounds may be lowered.
func TestAllocations(t *testing.T) { // not parallel: it counts the allocations of the process
	testflag.NoRace(t)
	const name = "name: x\nwhen: { user: { matches: '(?P<first>h)ello' } }\n"
	for _, tt := range []struct {
		name, yaml, ask string
		above           float64 // above is how many allocations there may be above the handler's.
	}{
		{"20 chunks", script(20), question, 24},
		{"2,000 chunks", script(2000), question, 24},
		{"a write for each of 2,000 chunks", strings.Replace(script(2000), "stream:", "pace: { every: 1ns }\nstream:", 1), question, 24},
		{"not streamed", script(20), whole, 26},
		{"checked strictly", "strict: true\ncheck_history: true\n" + script(20), question, 29},
		{"a template", name + "message: 'Hi {{ .match.first }}" + strings.Repeat(" word", 18) + "'\n", question, 42},
		{"a template, not streamed", name + "message: 'Hi {{ .match.first }}" + strings.Repeat(" word", 18) + "'\n", strings.Replace(question, `"stream":true,`, "", 1), 44},
		{"a template on Responses", name + "message: 'Hi {{ .match.first }}" + strings.Repeat(" word", 18) + "'\n", `{"model":"gpt-4o","stream":true,"input":"hello"}`, 112},
		{"a template in 2,000 chunks", name + "message: 'Hi {{ .match.first }}" + strings.Repeat(" word", 1998) + "'\n", question, 43},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := local(t, tt.yaml, server.Config{Observe: unobserved})
			path := "/v1/chat/completions"
			if strings.Contains(tt.ask, `"input"`) {
				path = "/v1/responses"
			}
			rec, r := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, path, strings.NewReader(tt.ask))
			r.Header.Set("Authorization", "Bearer sk-test")
			s.ServeHTTP(rec, r)
			if rec.Code != http.StatusOK {
				t.Fatal(rec.Body)
			}
			events, sent := bytes.SplitAfter(rec.Body.Bytes(), []byte("\n\n")), rec.Header()
			bare := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				for name, values := range sent {
					w.Header()[name] = values
				}
				for _, e := range events {
					_, _ = w.Write(e)
					w.(http.Flusher).Flush()
				}
			})
			ours, theirs := allocations(s, path, tt.ask), allocations(bare, path, tt.ask)
			t.Logf("%.0f allocations, the handler that only writes has %.0f", ours, theirs)
			if ours > theirs+tt.above {
				t.Errorf("%.0f allocations, want at most %.0f more than the %.0f of a handler that only writes", ours, tt.above, theirs)
			}
		})
	}
}

// TestLoadAllocations bounds the allocations of reading, checking and preparing one of
// many scenarios, because a server may have thousands.
func TestLoadAllocations(t *testing.T) { // not parallel: it counts the allocations of the process
	testflag.NoRace(t)
	const scenarios, most = 500, 240 // most is the bound for each scenario
	var b bytes.Buffer
	for i := range scenarios {
		fmt.Fprintf(&b, "name: other%d\nwhen: { model: other-%d }\nmessage: Hello.\n---\n", i, i)
	}
	file := yamlfile.Source{Name: "many.yaml", Data: b.Bytes()}
	n := testing.AllocsPerRun(3, func() {
		if _, problems := server.CheckFiles(file); len(problems) > 0 {
			t.Fatal(problems)
		}
	})
	t.Logf("%.0f allocations of a scenario", n/scenarios)
	if n > most*scenarios {
		t.Errorf("%.0f allocations of a scenario, want at most %d", n/scenarios, most)
	}
}
