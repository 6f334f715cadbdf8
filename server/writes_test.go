package server_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// countingListener counts the writes on its connections.
type countingListener struct {
	net.Listener
	writes *atomic.Int64
}

func (l countingListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	return countingConn{c, l.writes}, err
}

type countingConn struct {
	net.Conn
	writes *atomic.Int64
}

func (c countingConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}

// Bytes that are due at once leave in one write with the header and the end of the body,
// because a write costs more than anything else.
func TestWritesAreFew(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, yaml, body string
		writes           int64
		length           int64 // length is the Content-Length, or -1 for none.
	}{
		{"a short stream", "name: x\nmessage: Hello.\n", brief, 1, -1},
		{"a stream of 5 KiB", script(20), brief, 1, -1},
		{"a stream of 20 KiB", script(100), brief, 3, -1},
		{"one piece", "name: x\nmessage: Hello.\n", whole, 1, 0},
		{"an error", "name: x\nerror: { status: 503, message: Later. }\n", brief, 1, 0},
		{"two pauses", "name: x\npace: { every: 1ns }\nstream: [{ role: assistant }, { content: a }, { finish: stop }]\n", brief, 3, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := local(t, tt.yaml, server.Config{})
			inner, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			var writes atomic.Int64
			h := &http.Server{Handler: s, ConnContext: s.ConnContext}
			go func() { _ = h.Serve(s.Watch(countingListener{inner, &writes})) }()
			t.Cleanup(func() { h.Close() })
			resp, err := http.Post(fmt.Sprintf("http://%s/v1/chat/completions", inner.Addr()), "application/json", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Fatal(err)
			}
			if got := writes.Load(); got != tt.writes {
				t.Errorf("%d writes, want %d", got, tt.writes)
			}
			if want := tt.length; want < 0 && resp.ContentLength >= 0 || want == 0 && resp.ContentLength != int64(len(body)) {
				t.Errorf("the length is said to be %d, of %d", resp.ContentLength, len(body))
			}
		})
	}
}

// An answer that is not streamed has a Content-Length, whether net/http computes it or the server sets it.
func TestAWholeAnswerHasALength(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	r := startWatched(t, "name: x\nmessage: '{{ .last_user }}'\n", server.Config{})
	shortest, longest := 1<<20, 0
	for n := range 2000 {
		if n > 40 && n%40 > 0 && (n < 1250 || n > 1350) { // the body has 800 more bytes
			continue
		}
		ask := `{"model":"gpt-4o","messages":[{"role":"user","content":"` + strings.Repeat("a", n+1) + `"}]}`
		resp := r.do(http.MethodPost, "/v1/chat/completions", ask)
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.ContentLength != int64(len(body)) {
			t.Errorf("the length of %d bytes is said to be %d (%v)", len(body), resp.ContentLength, err)
		}
		shortest, longest = min(shortest, len(body)), max(longest, len(body))
	}
	if shortest > 1<<10 || longest < 2500 {
		t.Errorf("the bodies have %d to %d bytes: not below and above net/http's buffer", shortest, longest)
	}
}

// slowReader is an http.ResponseWriter whose writes take as long as a slow client makes them.
type slowReader struct {
	*httptest.ResponseRecorder
	takes time.Duration
}

func (w slowReader) Write(p []byte) (int, error) {
	time.Sleep(w.takes)
	return w.ResponseRecorder.Write(p)
}

// A write is late by the time for which the client delayed the writes before it. After a hold,
// due times count from the release.
func TestWritesAreObservedWithTheirLateness(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		const yaml = `
name: slow
pace: { first: 300ms, every: 100ms }
stream:
  - role: assistant
  - content: before
  - content: " it"
  - hold: middle
  - { finish: stop, after: 0s }
`
		var got []journal.Write
		s := local(t, yaml, server.Config{ObserveWrite: func(w journal.Write) { got = append(got, w) }})
		s.Release("middle")
		const ms = time.Millisecond
		s.ServeHTTP(slowReader{httptest.NewRecorder(), 150 * ms}, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(ask)))
		want := []journal.Write{
			{Scenario: "slow", First: true, After: 450 * ms},
			{Scenario: "slow", After: 600 * ms, Gap: 150 * ms, Late: 50 * ms},
			{Scenario: "slow", After: 750 * ms, Gap: 150 * ms, Late: 100 * ms},
			{Scenario: "slow", After: 900 * ms, Gap: 150 * ms},
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
		if d := s.Journal()[0].Delivery; d.First != 450*ms || d.Last != got[len(got)-1].After {
			t.Errorf("the journal has the writes from %s to %s", d.First, d.Last)
		}
	})
}

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
