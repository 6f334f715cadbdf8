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

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
)

// script is a scenario of n chunks.
func script(n int) []byte {
	var b bytes.Buffer
	b.WriteString("name: bench\nstream:\n  - role: assistant\n")
	for i := range n - 2 {
		fmt.Fprintf(&b, "  - content: %q\n", fmt.Sprintf(" word%d", i%100))
	}
	b.WriteString("  - finish: stop\n")
	return b.Bytes()
}

func load(b *testing.B, src []byte) *scenarios.Set {
	b.Helper()
	list, diags := scenarios.Parse("bench.yaml", src)
	if err := diags.Err(); err != nil {
		b.Fatal(err)
	}
	set, err := scenarios.NewSet(list...)
	if err != nil {
		b.Fatal(err)
	}
	return set
}

const question = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hello"}]}`

var sizes = []int{20, 2000}

func BenchmarkParse(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%d-chunks", n), func(b *testing.B) {
			src := script(n)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				scenarios.Parse("bench.yaml", src)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%d-chunks", n), func(b *testing.B) {
			list, _ := scenarios.Parse("bench.yaml", script(n))
			for b.Loop() {
				if _, err := scenarios.NewSet(list...); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	var src strings.Builder
	for i := range 100 {
		fmt.Fprintf(&src, "name: s%d\nwhen: {model: m%d, user: {contains: nothing}}\nmessage: hi\n---\n", i, i)
	}
	src.WriteString("name: last\nwhen: {model: gpt-4o*, user: {matches: 'h(?P<rest>.*)'}}\nmessage: hi\n")
	set := load(b, []byte(src.String()))
	req, err := scenarios.ParseRequest("chat", nil, []byte(question))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if sel, _ := set.Match(req, unlimited{}, "", 1); sel == nil || sel.Scenario.Name != "last" {
			b.Fatal("the last scenario should match")
		}
	}
}

type unlimited struct{}

func (unlimited) Take(string, string, int, int) bool { return true }

// BenchmarkCompile asks in ever other ways, so that no program is in the cache.
func BenchmarkCompile(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%d-chunks", n), func(b *testing.B) {
			src := bytes.Replace(script(n), []byte("finish: stop"), []byte(`finish: '{{ "stop" }}'`), 1)
			s, err := server.New(server.Config{Scenarios: load(b, src)})
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				rec := httptest.NewRecorder()
				s.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, "/v1/chat/completions", strings.NewReader(question)))
				if rec.Code != http.StatusOK {
					b.Fatal(rec.Body)
				}
			}
		})
	}
}

// BenchmarkPlay plays a stream over loopback next to a bare handler that writes
// ready bytes with a flush for each chunk, by turns, and reports the time of the
// one as a part of the other.
func BenchmarkPlay(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%d-chunks", n), func(b *testing.B) {
			s, err := server.New(server.Config{Scenarios: load(b, script(n)), JournalSize: -1})
			if err != nil {
				b.Fatal(err)
			}
			fake := httptest.NewServer(s)
			defer fake.Close()
			bare := httptest.NewServer(bareHandler(transcript(b, fake)))
			defer bare.Close()
			var ours, theirs time.Duration
			for b.Loop() {
				theirs += stream(b, bare)
				ours += stream(b, fake)
			}
			b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "ns/stream")
			b.ReportMetric(float64(theirs.Nanoseconds())/float64(b.N), "bare-ns/stream")
			b.ReportMetric(float64(ours)/float64(theirs), "of-bare")
			b.ReportMetric(0, "ns/op") // of both together: it says nothing
		})
	}
}

func transcript(b *testing.B, fake *httptest.Server) [][]byte {
	b.Helper()
	resp, err := fake.Client().Post(fake.URL+"/v1/chat/completions", "application/json", strings.NewReader(question))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != http.StatusOK {
		b.Fatalf("%d %s %v", resp.StatusCode, body, err)
	}
	return bytes.SplitAfter(body, []byte("\n\n"))
}

func bareHandler(chunks [][]byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		flusher := w.(http.Flusher)
		for _, c := range chunks {
			w.Write(c)
			flusher.Flush()
		}
	})
}

// stream is the time from the request to the last byte.
func stream(b *testing.B, s *httptest.Server) time.Duration {
	start := time.Now()
	resp, err := s.Client().Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(question))
	if err != nil {
		b.Fatal(err)
	}
	defer resp.Body.Close()
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}
