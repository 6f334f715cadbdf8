package main

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The command does only the work that its first answer needs. The test counts allocated bytes
// and garbage collections, because times differ from run to run.
func TestLittleIsDoneBeforeTheFirstAnswer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	binary, file := dir+"/fakeopenai", dir+"/one.yaml"
	if err := build(binary); err != nil {
		t.Fatal(err)
	}
	if err := writeFile(file, stream(20, "")); err != nil {
		t.Fatal(err)
	}
	inits, metrics := firstAnswer(t, binary, "serve", "--addr", "127.0.0.1:0", "--no-watch", file)
	all, ours := initialised(t, inits)
	for _, count := range []struct {
		what      string
		got, most int
	}{
		{"bytes for the variables of all packages", all, 1_000_000},
		{"bytes for the variables of our own", ours, 90_000},
		{"bytes until the first answer was sent, and metrics after it", metric(t, metrics, "go_memstats_alloc_bytes_total"), 1_970_000},
		{"collections of garbage", metric(t, metrics, "go_gc_duration_seconds_count"), 0},
	} {
		t.Logf("%d %s", count.got, count.what)
		if count.got > count.most {
			t.Errorf("%d %s, want at most %d", count.got, count.what, count.most)
		}
	}
}

// firstAnswer starts a server and sends it one request. It returns the runtime's trace of
// package initialisation (GODEBUG=inittrace=1), and the metrics of the server.
func firstAnswer(t *testing.T, command ...string) (inits, metrics string) {
	t.Helper()
	c := exec.Command(command[0], command[1:]...)
	c.Env = append(os.Environ(), "GODEBUG=inittrace=1", "GOMAXPROCS=1", "GOGC=", "GOMEMLIMIT=")
	var log bytes.Buffer
	c.Stderr = &log
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	stop := sync.OnceFunc(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // after it log is complete
	})
	defer stop()
	var url string
	if _, err := fmt.Fscanf(out, "listening on %s\n", &url); err != nil {
		t.Fatalf("the server does not say where it listens: %v", err)
	}
	bodyOf(t, http.MethodPost, url+"/v1/chat/completions", usual.request(asStream))
	metrics = bodyOf(t, http.MethodGet, url+"/_fake/metrics", "")
	stop()
	return log.String(), metrics
}

// bodyOf sends a request and returns the body of the response, whose status must be 200.
func bodyOf(t *testing.T, method, url, body string) string {
	t.Helper()
	request, err := http.NewRequest(method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Timeout: time.Minute}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v, %s", url, resp.StatusCode, err, text)
	}
	return string(text)
}

var initLine = regexp.MustCompile(`(?m)^init (\S+) @.* (\d+) bytes, \d+ allocs$`)

// initialised sums the bytes that package initialisation allocated, for all packages and for
// those of this repository.
func initialised(t *testing.T, trace string) (all, ours int) {
	t.Helper()
	found := initLine.FindAllStringSubmatch(trace, -1)
	for _, m := range found {
		n, _ := strconv.Atoi(m[2])
		all += n
		if strings.HasPrefix(m[1], "github.com/fakeopenai/") {
			ours += n
		}
	}
	if len(found) < 100 || ours == 0 {
		t.Errorf("the runtime tells of %d packages, and of %d bytes for ours: %s", len(found), ours, trace)
	}
	return all, ours
}

// metric is the value of a metric without labels.
func metric(t *testing.T, metrics, name string) int {
	t.Helper()
	m := regexp.MustCompile(`(?m)^` + name + ` (\S+)$`).FindStringSubmatch(metrics)
	if m == nil {
		t.Fatalf("there is no metric %s", name)
	}
	value, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		t.Fatal(err)
	}
	return int(value)
}
