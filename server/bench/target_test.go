package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// Some servers close the connection after an answer, and some mark the end of the body by that.
func TestTheClientConnectsAgain(t *testing.T) {
	t.Parallel()
	body := strings.Repeat("data: {}\n\n", 20)
	for name, head := range map[string]string{
		"closed": fmt.Sprintf("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: %d\r\n\r\n", len(body)),
		"until":  "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n",
		"old":    "HTTP/1.0 200 OK\r\n\r\n",
	} {
		var conns atomic.Int32
		c, err := dial(answers(t, head+body, &conns), usualKey, usual.request(asStream), smallBuffer)
		if err != nil {
			t.Fatal(err)
		}
		defer c.close()
		for want := int32(1); want <= 3; want++ {
			a, err := c.once(pacing{}, nil)
			if err != nil || a.status != http.StatusOK || a.bytes != len(body) || !a.closes {
				t.Errorf("%s: %+v, %v; want %d bytes and a closed connection", name, a, err, len(body))
			}
			if got := conns.Load(); got != want {
				t.Errorf("%s: %d connections for %d answers", name, got, want)
			}
		}
	}
}

// answers is the URL of a server that writes these bytes to each connection, closes it, and
// counts the connections in conns.
func answers(t *testing.T, bytes string, conns *atomic.Int32) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			conns.Add(1)
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.WriteString(conn, bytes)
			}
			_ = conn.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

func TestEventsEndWithABlankLine(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]int{"data: 1\n\ndata: 2\n\n": 2, "data: 1\r\n\r\ndata: 2\r\n\r\n": 2, "data: 1\n": 0} {
		if got := eventsIn([]byte(body)); got != want {
			t.Errorf("%q has %d events, want %d", body, got, want)
		}
	}
}

// Answers that fail are counted by reason, and the report names the reasons.
func TestFailedAnswersAreCountedByReason(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("data: {}\n\n", 20)
	for want, h := range map[string]http.HandlerFunc{
		"status 429":                    func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTooManyRequests) },
		"shorter than the first answer": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "data: {}\n\n") },
		"EOF":                           func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		var asked atomic.Bool
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
			if asked.Swap(true) {
				h(w, req)
				return
			}
			_, _ = io.WriteString(w, good)
		}))
		defer s.Close()
		on := target{name: "other", process: &process{url: s.URL}}
		w := works(usual, nil, 0)[0]
		if _, err := on.probe(&w); err != nil {
			t.Fatal(err)
		}
		w.conns = 1
		f, err := on.measure(&w, time.Millisecond)
		if err != nil {
			t.Fatal(err)
		}
		if f.Errors == 0 || f.Why[want] != f.Errors || f.Parts != 20 || f.Size != len(good) {
			t.Errorf("%s: %d errors, %v; %d events, %d bytes", want, f.Errors, f.Why, f.Parts, f.Size)
		}
		var table table
		table.add("short", "", "other", f)
		if line := fmt.Sprintf("- other, %d errors: %s.", f.Errors, want); !strings.Contains(table.markdown(), line) {
			t.Errorf("the report lacks the line %q: %s", line, table.markdown())
		}
	}
}

// A target whose answers cannot be compared with those of others is refused.
func TestTargetsThatCannotBeComparedAreRefused(t *testing.T) {
	t.Parallel()
	list := works(usual, []int{2}, time.Second)
	short, paced := list[0], list[len(list)-1]
	for _, c := range []struct {
		work *work
		body string
		want string
	}{
		{&short, "data: {\"error\":\"no such model\"}\n\n", "no stream of events"},
		{&short, `{"choices":[]}`, "no stream of events"},
		{&paced, strings.Repeat("data: {}\n\n", 21), "pause for 50ms"},
		{&short, strings.Repeat("data: {}\n\n", 21), ""},
	} {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, c.body) }))
		defer s.Close()
		on := target{name: "other", process: &process{url: s.URL}}
		_, err := on.probe(c.work)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s, %.30q: %v, want %q", c.work.name, c.body, err, c.want)
		}
	}
}

// join finds the process of a server that others have started, and refuses one that is not
// pinned to serverCore.
func TestTheProcessOfATargetIsFound(t *testing.T) {
	t.Parallel()
	src, err := json.Marshal(recorded(0))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "answer.json")
	if err := writeFile(file, string(src)); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for core, want := range map[string]string{serverCore: "", clientCore: "taskset -a -p -c 0 "} {
		p, err := start(core, self, "reference", bare, file)
		if err != nil {
			t.Fatal(err)
		}
		defer p.stop()
		on := target{name: "other", process: &process{url: p.url}}
		err = on.join()
		if !slices.Equal(on.pids, p.pids) || on.resident() == 0 {
			t.Errorf("processes %v with %d bytes, want %v", on.pids, on.resident(), p.pids)
		}
		if want == "" && err != nil || want != "" && (err == nil || !strings.HasSuffix(err.Error(), want+fmt.Sprint(p.pids[0]))) {
			t.Errorf("on core %s: %v, want %q", core, err, want)
		}
	}
}

// A target that does not run is named before anything is measured.
func TestATargetThatDoesNotRunIsNamed(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.NotFoundHandler())
	s.Close()
	on := target{name: "other", process: &process{url: s.URL + "/v1"}}
	if err := on.join(); err == nil || !strings.Contains(err.Error(), "-target other: ") {
		t.Errorf("%v, want an error that names the target", err)
	}
}

func TestOnlySocketsThatListenAreTaken(t *testing.T) {
	t.Parallel()
	const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:2328 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 101 1 0000000000000000 100 0 0 10 0
   1: 0100007F:2328 0100007F:D431 01 00000000:00000000 00:00000000 00000000     0        0 102 1 0000000000000000 100 0 0 10 0
   2: 0100007F:2329 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 103 1 0000000000000000 100 0 0 10 0
`
	if got := listening([]byte(table), 9000); !slices.Equal(got, []string{"socket:[101]"}) {
		t.Errorf("the sockets are %v, want the one that listens on port 9000", got)
	}
}

// Every request has the model and the message of the flags.
func TestRequestsHaveTheModelAndTheMessage(t *testing.T) {
	t.Parallel()
	s, err := commandLine("-model", "their-own", "-message", `hello "you"`)
	if err != nil {
		t.Fatal(err)
	}
	if want := `go -C server/bench run . -model their-own -message 'hello "you"'`; s.command != want {
		t.Errorf("the report names the command %s, want %s", s.command, want)
	}
	for _, w := range works(s.asked, nil, 0) {
		var r struct {
			Model    string
			Stream   bool
			Messages []struct{ Role, Content string }
		}
		if err := json.Unmarshal([]byte(w.request), &r); err != nil {
			t.Fatalf("%s: %v", w.name, err)
		}
		if r.Model != "their-own" || r.Messages[1].Content != `hello "you"` || r.Stream != (w.name != "whole") || r.Stream != w.streamed() {
			t.Errorf("%s asks %s", w.name, w.request)
		}
	}
}

// The commands in README.md have only flags and names of works that exist.
func TestTheCommandsOfThePageAreUnderstood(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := 0
	for line := range strings.Lines(strings.ReplaceAll(string(page), "\\\n", "")) {
		_, args, ok := strings.Cut(line, "go -C server/bench run .")
		if !ok || strings.Contains(line, "`") {
			continue
		}
		commands++
		args, _, _ = strings.Cut(args, "#")
		if _, err := commandLine(words(args)...); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
	if commands < 5 {
		t.Errorf("the page has only %d commands", commands)
	}
}

// Flags with which nothing is measured, or the run fails only after minutes, are refused at once.
func TestCommandsThatMeasureNothingAreRefused(t *testing.T) {
	t.Parallel()
	for command, want := range map[string]string{
		"-only nope":                         `no work begins with "nope"; there are start, helper, short,`,
		"-only short,":                       `begins with ""`,
		"-rounds 0":                          "at least 1",
		"-length 0s":                         "give 600ms",
		"-paced 100ms":                       "at least 150ms",
		"-streams 0":                         "no number of streams",
		"-target x":                          "NAME=URL",
		"-target x=ftp://localhost/v1":       "no base URL such as http://127.0.0.1:9000/v1",
		"-target bare=http://localhost:1/v1": "give another one",
		"-target a=http://localhost:1/v1 -target a=http://localhost:2/v1": "give another one",
		"-target x=http://localhost/v1":                                   "no base URL such as http://127.0.0.1:9000/v1",
		"-only start -target x=http://localhost:1/v1":                     "measure no further server",
		"-balancer varnish":                                               "give haproxy or nginx",
		"-balancer nginx -target x=http://localhost:1/v1":                 "no -target",
		"-binary ./nowhere":                                               "-binary: ",
		"-out nowhere":                                                    "mkdir -p nowhere",
		"short":                                                           "is no flag",
	} {
		_, err := commandLine(words(command)...)
		if got := fmt.Sprint(err); !strings.Contains(got, want) {
			t.Errorf("%s: got %s, want %q in it", command, got, want)
		}
	}
}

func commandLine(args ...string) (*settings, error) {
	set := flag.NewFlagSet("bench", flag.ContinueOnError)
	set.SetOutput(io.Discard)
	return parse(set, args)
}

// words splits a command as a shell does; it knows single quotes only.
func words(command string) (list []string) {
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			list = append(list, part)
		} else {
			list = append(list, strings.Fields(part)...)
		}
	}
	return list
}
