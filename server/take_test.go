package server

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
)

// ask sends a request of chat completions and returns the answer.
func ask(t *testing.T, s *Server, body string) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	r := httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/v1/chat/completions", strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer k")
	s.ServeHTTP(w, r)
	return w
}

// serverOf returns a server that plays the scenarios of a file.
func serverOf(t *testing.T, yaml string) *Server {
	t.Helper()
	set, problems := CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte(yaml)})
	if problems != nil {
		t.Fatal(problems)
	}
	s, err := New(Config{Scenarios: set})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// The clock of the limiter is read after a reply is selected and before it is taken: here another
// request takes the reply at that moment.
func TestAReplyThatAnotherRequestTakesIsSelectedAgain(t *testing.T) {
	t.Parallel()
	s := serverOf(t, `
name: x
limits: { rpm: 100, concurrent: 1 }
replies:
  - { times: 1, message: the first }
  - { message: the rest }
`)
	asked := false
	s.limiter = limits.New(func() time.Time {
		if asked {
			s.counters.Take(limits.SumOf("k"), "x", 0, 1)
		}
		return time.Now()
	}, nil)
	asked = true
	for n := 1; n <= 2; n++ {
		if w := ask(t, s, `{"messages":[]}`); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "the rest") {
			t.Fatalf("answered %d: %s", w.Code, w.Body)
		}
		// A first admission that stays would count the request twice, and as open for ever.
		usage := s.limiter.Usage("")
		if w := usage.Keys[0].Windows[0]; w.Requests.Used != n || w.Open != 0 {
			t.Errorf("after %d requests %d are counted, and %d answers are open", n, w.Requests.Used, w.Open)
		}
	}
}

// While one reads what was put, others can put more.
func TestNoLockIsHeldWhileFilesAreRead(t *testing.T) {
	t.Parallel()
	s, err := New(Config{})
	if err != nil {
		t.Fatal(err)
	}
	wrong := yamlfile.Source{Name: "wrong.yaml", Data: []byte("wrong")}
	s.changing.Lock()
	defer s.changing.Unlock()
	read := make(chan error)
	go func() { read <- s.PutFaults("k", wrong) }()
	go func() { read <- s.AddScenarios("k", wrong) }()
	for range 2 {
		if testflag.Receive(t, read) == nil {
			t.Error("wrong files are put")
		}
	}
}
