package fakeopenai_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	fakeopenai "github.com/fakeopenai/fakeopenai/httptest"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
)

// sayHello is a scenario of a few chunks.
const sayHello = "name: hello\nstream:\n  - role: assistant\n  - content: Hello\n  - content: ' world'\n  - finish: stop\n"

// askStream sends a request for a stream and reads the answer.
func askStream(tb testing.TB, c *http.Client, url string) {
	tb.Helper()
	resp, err := c.Post(url+"/chat/completions", "application/json", strings.NewReader(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hello"}]}`))
	if err != nil {
		tb.Fatal(err)
	}
	defer resp.Body.Close()
	if text, err := io.ReadAll(resp.Body); err != nil || !strings.Contains(string(text), "data:") {
		tb.Fatalf("%s, %v", text, err)
	}
}

// servers are the ways to start a server that are compared: each starts one, requests a stream,
// and closes it. The first is net/http/httptest; the others have at most so many times its allocations.
var servers = []struct {
	name string
	most float64
	once func(tb testing.TB)
}{
	{"httptest", 1, func(tb testing.TB) {
		s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "data: {}\n\n") }))
		askStream(tb, s.Client(), s.URL)
		s.Close()
	}},
	{"YAML", 3, oneServer(fakeopenai.YAML(sayHello))},
	{"bundled", 3, oneServer()},
	{"Script", 4.5, oneServer(fakeopenai.Script(step.Role("assistant"), step.Content("Hello"), step.Content(" world"), step.Finish("stop")))},
	{"another YAML", 5.5, func(tb testing.TB) {
		texts++ // no server of the process has seen the text
		oneServer(fakeopenai.YAML(strings.Replace(sayHello, "world", fmt.Sprint("world ", texts), 1)))(tb)
	}},
	{"InMemory", 3, oneServer(fakeopenai.YAML(sayHello), fakeopenai.InMemory())},
}

var texts int // texts counts the texts of "another YAML".

func oneServer(opts ...fakeopenai.Option) func(testing.TB) {
	opts = append(opts, fakeopenai.AllowUnused())
	return func(tb testing.TB) {
		early := &endable{TB: tb}
		s := fakeopenai.NewServer(early, opts...)
		askStream(tb, s.Client(), s.BaseURL)
		early.end()
	}
}

// BenchmarkNewServer measures what a server costs a test: starting it, one stream, and closing it.
func BenchmarkNewServer(b *testing.B) {
	for _, s := range servers {
		b.Run(s.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				s.once(b)
			}
		})
	}
}

// A server costs a test little more than one of net/http/httptest, once the process has read
// the scenarios, and not much more with scenarios that it sees first. Not parallel: the allocations of other tests would count.
func TestAServerCostsLittle(t *testing.T) {
	testflag.SkipRace(t)
	base := testing.AllocsPerRun(50, func() { servers[0].once(t) })
	for _, s := range servers[1:] {
		if n := testing.AllocsPerRun(50, func() { s.once(t) }); n > s.most*base {
			t.Errorf("%s: %.0f allocations for a server, want at most %.1f times the %.0f of httptest", s.name, n, s.most, base)
		}
	}
}

// endable is a test whose end a test can run early.
type endable struct {
	testing.TB
	cleanups []func()
}

func (e *endable) Cleanup(f func()) { e.cleanups = append(e.cleanups, f) }

func (e *endable) end() {
	for len(e.cleanups) > 0 {
		last := len(e.cleanups) - 1
		f := e.cleanups[last]
		e.cleanups = e.cleanups[:last]
		f()
	}
}
