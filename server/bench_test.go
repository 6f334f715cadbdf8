package server_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// script returns a scenario whose stream has n chunks.
func script(n int) []byte {
	var b bytes.Buffer
	b.WriteString("name: bench\nstream:\n  - role: assistant\n")
	for i := range n - 2 {
		fmt.Fprintf(&b, "  - content: %q\n", fmt.Sprintf(" word%d", i%100))
	}
	b.WriteString("  - finish: stop\n")
	return b.Bytes()
}

func load(b testing.TB, src []byte) *scenarios.Set {
	b.Helper()
	list, diags := yamlfile.Parse("bench.yaml", src)
	if err := diags.Err(); err != nil {
		b.Fatal(err)
	}
	set, err := scenarios.NewSet(list...)
	if err != nil {
		b.Fatal(err)
	}
	return set
}

const prompt = `{"model":"gpt-3.5-turbo-instruct","stream":true,"prompt":"hello"}`

const question = `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hello"}]}`

var sizes = []int{20, 2000}

func BenchmarkParse(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%d-chunks", n), func(b *testing.B) {
			src := script(n)
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				yamlfile.Parse("bench.yaml", src)
			}
		})
	}
}

func BenchmarkLoad(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%d-chunks", n), func(b *testing.B) {
			list, _ := yamlfile.Parse("bench.yaml", script(n))
			for b.Loop() {
				set, err := scenarios.NewSet(list...)
				if err == nil {
					err = server.Check(set).Err()
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkMatch(b *testing.B) {
	match := matching(b)
	for b.Loop() {
		match()
	}
}

// matching returns a function that matches a request to the last of many scenarios.
func matching(b testing.TB) func() {
	b.Helper()
	var src strings.Builder
	for i := range 100 {
		fmt.Fprintf(&src, "name: s%d\nwhen: {model: m%d, user: {contains: nothing}}\nmessage: hi\n---\n", i, i)
	}
	src.WriteString("name: last\nwhen: {model: gpt-4o*, user: {matches: 'h(?P<rest>.*)'}}\nmessage: hi\n")
	set := load(b, []byte(src.String()))
	req, err := chat.Surface{}.Read(nil, []byte(question))
	if err != nil {
		b.Fatal(err)
	}
	return func() {
		if sel, _ := set.Match(req, unlimited{}, "", 1); sel == nil || sel.Scenario.Name != "last" {
			b.Fatal("the last scenario should match")
		}
	}
}

type unlimited struct{}

func (unlimited) Available(string, string, int, int) bool { return true }

// BenchmarkCompile requests a reply with a template that cannot become a hole, so that a
// program is compiled for each request.
func BenchmarkCompile(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("%d-chunks", n), func(b *testing.B) {
			src := bytes.Replace(script(n), []byte("finish: stop"), []byte("comment: '{{ .turn }}'\n  - finish: stop"), 1)
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

// BenchmarkTemplate alternates an answer with a template in its text and the same answer
// without the template, and reports the ratio of their times.
func BenchmarkTemplate(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprintf("chat/%d-chunks", n), func(b *testing.B) { benchmarkTemplate(b, "/v1/chat/completions", question, n) })
		b.Run(fmt.Sprintf("completions/%d-chunks", n), func(b *testing.B) { benchmarkTemplate(b, "/v1/completions", prompt, n) })
	}
}

func benchmarkTemplate(b *testing.B, path, body string, n int) {
	answers := func(text string) func() {
		src := fmt.Sprintf("name: x\nmessage: '%s%s'\n", text, strings.Repeat(" word", n))
		s, err := server.New(server.Config{Scenarios: load(b, []byte(src)), JournalSize: -1})
		if err != nil {
			b.Fatal(err)
		}
		return func() {
			rec := httptest.NewRecorder()
			s.ServeHTTP(rec, httptest.NewRequest(http.MethodPost, path, strings.NewReader(body)))
			if rec.Code != http.StatusOK {
				b.Fatal(rec.Body)
			}
		}
	}
	plain, templated := answers("Hi"), answers("{{ .last_user }}")
	var with, without time.Duration
	for b.Loop() {
		start := time.Now()
		plain()
		middle := time.Now()
		templated()
		without += middle.Sub(start)
		with += time.Since(middle)
	}
	b.ReportMetric(float64(with.Nanoseconds())/float64(b.N), "ns/templated")
	b.ReportMetric(float64(without.Nanoseconds())/float64(b.N), "ns/plain")
	b.ReportMetric(float64(with)/float64(without), "of-plain")
	b.ReportMetric(0, "ns/op") // hidden: it is the time of both answers together
}

// BenchmarkPlay alternates a stream of the server and one of a bare handler that writes
// prepared bytes with a flush for each chunk, over loopback, and reports the ratio of their
// times.
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
			us, them := dial(b, fake), dial(b, bare)
			var ours, theirs time.Duration
			for b.Loop() {
				theirs += them.stream(b)
				ours += us.stream(b)
			}
			b.ReportMetric(float64(ours.Nanoseconds())/float64(b.N), "ns/stream")
			b.ReportMetric(float64(theirs.Nanoseconds())/float64(b.N), "bare-ns/stream")
			b.ReportMetric(float64(ours)/float64(theirs), "of-bare")
			b.ReportMetric(0, "ns/op") // hidden: it is the time of both streams together
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

// client is a connection that sends the same request again and again. It does as little as
// possible with the answers, so that the time is the server's.
type client struct {
	conn net.Conn
	ask  []byte
	buf  []byte
}

func dial(b *testing.B, s *httptest.Server) *client {
	b.Helper()
	conn, err := net.Dial("tcp", s.Listener.Addr().String())
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { conn.Close() })
	ask := fmt.Sprintf("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(question), question)
	return &client{conn, []byte(ask), make([]byte, 256<<10)}
}

// stream returns the time from the request to the last byte of the answer.
func (c *client) stream(b *testing.B) time.Duration {
	start := time.Now()
	if _, err := c.conn.Write(c.ask); err != nil {
		b.Fatal(err)
	}
	last := []byte("\r\n0\r\n\r\n")
	tail := make([]byte, 0, len(last))
	for !bytes.Equal(tail, last) {
		n, err := c.conn.Read(c.buf)
		if err != nil {
			b.Fatal(err)
		}
		tail = append(tail, c.buf[max(0, n-len(last)):n]...)
		tail = tail[max(0, len(tail)-len(last)):]
	}
	return time.Since(start)
}

// BenchmarkFrames plays a stream whose frames leave in one write each, to a client that
// reads at once. It shows what a write costs apart from net/http.
func BenchmarkFrames(b *testing.B) {
	const frames = 2000
	src := bytes.Replace(script(frames), []byte("stream:"), []byte("pace: { every: 1ns }\nstream:"), 1)
	s, err := server.New(server.Config{Scenarios: load(b, src)})
	if err != nil {
		b.Fatal(err)
	}
	body := strings.NewReader(question)
	for b.Loop() {
		body.Reset(question)
		r := httptest.NewRequestWithContext(b.Context(), http.MethodPost, "/v1/chat/completions", body)
		s.ServeHTTP(&unwritten{http.Header{}}, r)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/frames, "ns/frame")
}
