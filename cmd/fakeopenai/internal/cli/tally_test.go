package cli

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// What a run counts takes little memory, however large the requests are that nothing answers.
func TestATallyOfLargeRequestsIsSmall(t *testing.T) {
	const requests, size = 200, 1 << 20
	inUse := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	run, before := new(tally), inUse()
	for i := range requests {
		body := strings.Repeat("x", size)
		run.observe(journal.Entry{
			ID: int64(i), Method: "POST", Path: "/v1/chat/completions", Body: []byte(body), Unmatched: true, Problem: "nothing fits",
			Request: &scenarios.Request{Model: body[:6], RawBody: []byte(body)}, Transcript: []byte(body),
		})
	}
	if holds := inUse() - before; holds > 2*maxBodies {
		t.Errorf("the tally holds %d bytes", holds)
	}
	var out strings.Builder
	if n, _ := run.report(&out, nil); n != requests || strings.Count(out.String(), "(model xxxxxx): nothing fits") != requests {
		t.Errorf("%d requests are reported", n)
	}
}

// A request that is not answered when the command ends may still play any scenario.
func TestARequestThatIsNotAnsweredYetIsCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		file := tree(t, "x.yaml") + "/x.yaml"
		write(t, file, "x")
		asked := &tally{}
		o := execOptions{sources: sources{paths: []string{file}}, failUnused: true}
		fake, err := (&library{sources: o.sources}).NewServer(server.Config{Observe: asked.observe, Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		defer fake.Close()
		body, client := io.Pipe()
		go fake.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "/v1/chat/completions", body))
		synctest.Wait()
		var stderr strings.Builder
		if err := (&app{stderr: &stderr}).finishExec(o, fake, asked, 0, nil); err != nil {
			t.Errorf("it fails with %v", err)
		}
		if want := "fakeopenai: 1 request, 0 unmatched, 0 faults, 1 without an answer yet\n"; stderr.String() != want {
			t.Errorf("it prints %s, want %s", stderr.String(), want)
		}
		client.Close()
	})
}

// What a client sends cannot forge a line of the list, or move the cursor of a terminal.
func TestARequestStaysInItsLine(t *testing.T) {
	t.Parallel()
	var stderr strings.Builder
	list(&stderr, []journal.Entry{{ID: 1, Method: "GET", Path: "/", Problem: "no such URL: \x1b[2J\nforged", Request: &scenarios.Request{Model: "a\nb"}}}, "without a scenario")
	if want := "fakeopenai: 1 request without a scenario:\n  #1 GET / (model a\ufffdb): no such URL: \ufffd[2J\ufffdforged\n"; stderr.String() != want {
		t.Errorf("got %q, want %q", stderr.String(), want)
	}
}

func TestGitHubFormatEscapesWhatWouldEndTheCommand(t *testing.T) {
	t.Parallel()
	found := findings{
		Files: []yamlfile.Source{{Name: "a,b:c\x1b\n.yaml"}},
		Problems: diag.List{{
			Pos:     diag.Pos{File: "a,b:c\x1b\n.yaml", Line: 2, Col: 3},
			Message: "100% wrong\nreally", Hint: "do: this, or that",
		}},
	}
	var text strings.Builder
	if err := found.Print(&text, "github"); err != nil {
		t.Fatal(err)
	}
	want := "::error file=a%2Cb%3Ac\ufffd%0A.yaml,line=2,col=3,title=scenario::100%25 wrong%0Areally (do: this, or that)\n1 problem in 1 file\n"
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text.String(), want)
	}
}
