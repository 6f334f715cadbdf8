package server_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// When the journal is full, further requests take no further memory, neither for entries
// nor for anything else. Not parallel: the memory of other tests would count.
func TestAFullJournalLetsTheMemoryOfRequestsGo(t *testing.T) {
	testflag.NoRace(t)
	s, err := server.New(server.Config{Scenarios: parse(t, "name: x\nmessage: Hello.\n"), JournalSize: 50})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	const question = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"` // 20 KB follow
	body := question + strings.Repeat("a", 20_000) + `"}]}`
	ask := func(times int) (held int) {
		for range times {
			w := httptest.NewRecorder()
			if s.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(body))); w.Code != http.StatusOK {
				t.Fatal(w.Body)
			}
		}
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	const more = 500
	full := ask(100)
	if grown := ask(more) - full; grown > more*len(body)/10 {
		t.Errorf("%d further requests of %d bytes hold %d", more, len(body), grown)
	}
}
