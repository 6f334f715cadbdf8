package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
)

// startToAnswer starts a server on a CPU core, sends one request, and measures the time from
// the start of the process to the end of the answer.
func startToAnswer(core, request string, command ...string) (figures, error) {
	began := time.Now()
	p, err := start(core, command...)
	if err != nil {
		return figures{}, err
	}
	defer p.stop()
	c, err := dial(p.url, usualKey, request, bufferSize)
	if err != nil {
		return figures{}, err
	}
	defer c.close()
	a, err := c.once(pacing{}, nil)
	if err == nil && a.status != http.StatusOK {
		err = fmt.Errorf("status %d", a.status)
	}
	return figures{Answers: 1 / time.Since(began).Seconds(), FirstP50: float64(time.Since(began)) / float64(time.Millisecond)}, err
}

// helper is one way to get a server in a Go test. once starts the server, sends one request
// and closes the server.
type helper struct {
	name string
	once func(tb testing.TB) error
}

// helpers are net/http/httptest with a handler that writes two events, and fakeopenai.NewServer
// with different options.
func helpers() []helper {
	const ready = "data: {}\n\ndata: [DONE]\n\n"
	file := fakeopenai.YAML(stream(20, ""))
	ours := func(opts ...fakeopenai.Option) func(testing.TB) error {
		return func(tb testing.TB) error {
			s := fakeopenai.NewServer(tb, opts...)
			defer s.Close()
			return post(s.Client(), s.BaseURL)
		}
	}
	return []helper{
		{"net/http/httptest", func(testing.TB) error {
			s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(ready)) }))
			defer s.Close()
			return post(s.Client(), s.URL+"/v1")
		}},
		{"NewServer(YAML)", ours(file, fakeopenai.AllowUnused())},
		{"NewServer()", ours(fakeopenai.AllowUnused())},
		{"NewServer(YAML, InMemory)", ours(file, fakeopenai.AllowUnused(), fakeopenai.InMemory())},
	}
}

// quiet is a testing.TB outside of a test: it logs nothing, panics on errors, and collects its
// cleanup functions in ends, for measure to call.
type quiet struct {
	testing.TB
	ends []func()
}

func (q *quiet) Helper()                           {}
func (q *quiet) Log(...any)                        {}
func (q *quiet) Logf(string, ...any)               {}
func (q *quiet) Name() string                      { return "bench" }
func (q *quiet) Failed() bool                      { return false }
func (q *quiet) Skipped() bool                     { return false }
func (q *quiet) Output() io.Writer                 { return io.Discard }
func (q *quiet) Cleanup(f func())                  { q.ends = append(q.ends, f) }
func (q *quiet) Context() context.Context          { return context.Background() }
func (q *quiet) Errorf(format string, args ...any) { q.Fatalf(format, args...) }
func (q *quiet) Fatalf(format string, args ...any) {
	panic(fmt.Sprintf(format, args...))
}

func post(c *http.Client, base string) error {
	resp, err := c.Post(base+"/chat/completions", "application/json", strings.NewReader(usual.request(asStream)))
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	buf := make([]byte, 4<<10)
	for err == nil {
		_, err = resp.Body.Read(buf)
	}
	c.CloseIdleConnections()
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("status %d", resp.StatusCode)
	}
	return nil
}

// measure calls once again and again for the time length, and at least three times.
func (h *helper) measure(length time.Duration) (figures, error) {
	var took []time.Duration
	for began := time.Now(); time.Since(began) < length || len(took) < 3; {
		q := &quiet{}
		start := time.Now()
		if err := h.once(q); err != nil {
			return figures{}, fmt.Errorf("%s: %w", h.name, err)
		}
		for _, end := range q.ends {
			end()
		}
		took = append(took, time.Since(start))
	}
	f := figures{FirstP50: percentile(took, 50), FirstP99: percentile(took, 99)}
	f.Answers = 1000 / f.FirstP50
	return f, nil
}
