package scenarios_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

var typeOfLine = regexp.MustCompile(`^< .*?"type":"([^"]+)"`)

// converse plays the example over WebSocket. Lines with > are messages of the client, each sent when the last message of
// the server before it on the page has come; lines with < are messages of the server.
func (ex *example) converse(t *testing.T) {
	set, _ := ex.check()
	c := &memConn{in: make(chan string), out: make(chan string), over: make(chan struct{})}
	s, err := server.New(server.Config{
		Scenarios: set, Created: 1790000000, Speed: server.Instant,
		Upgrade: func(http.ResponseWriter, *http.Request, int64) (server.MessageConn, error) { return c, nil },
	})
	if err != nil {
		t.Fatal(err)
	}
	target := "/v1/responses"
	if ex.talk.info == "realtime" {
		target = "/v1/realtime?model=gpt-realtime"
	}
	r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, target, nil)
	r.Header.Set("Upgrade", "websocket")
	go s.ServeHTTP(httptest.NewRecorder(), r)
	var got strings.Builder
	if ex.talk.info == "realtime" {
		testflag.Receive(t, c.out) // session.created
	}
	lines := slices.Collect(strings.Lines(ex.talk.text))
	for i, line := range lines {
		message, ok := strings.CutPrefix(line, "> ")
		if !ok {
			continue
		}
		got.WriteString(line)
		c.in <- message
		last := ""
		for _, next := range lines[i+1:] {
			if strings.HasPrefix(next, "> ") {
				break
			}
			if m := typeOfLine.FindStringSubmatch(next); m != nil {
				last = m[1]
			}
		}
		for over := false; !over; {
			message := testflag.Receive(t, c.out)
			got.WriteString("< " + message + "\n")
			v, err := ojson.Parse([]byte(message))
			if err != nil {
				t.Fatal(err)
			}
			kind := v.Get("type").Text()
			over = kind == last || kind == "error"
		}
	}
	c.Abort()
	s.Close()
	if !pattern(ex.talk.text).MatchString(got.String()) {
		t.Errorf("%v: the messages are\n%s\nbut the page shows\n%s", ex.talk, got.String(), ex.talk.text)
	}
}

// memConn is a WebSocket connection in memory.
type memConn struct {
	in, out chan string
	over    chan struct{}
	once    sync.Once
}

var errOver = errors.New("the connection is over")

func (c *memConn) ReadMessage(ctx context.Context, _ func()) ([]byte, bool, error) {
	select {
	case message := <-c.in:
		return []byte(message), true, nil
	case <-ctx.Done():
	case <-c.over:
	}
	return nil, false, errOver
}

func (c *memConn) WriteMessage(_ context.Context, _ bool, p []byte) error {
	select {
	case c.out <- string(p):
		return nil
	case <-c.over:
		return errOver
	}
}

func (c *memConn) BeginMessage(context.Context, bool) (io.WriteCloser, error) {
	return nil, errors.New("the pages have no message so long")
}

func (c *memConn) Ping(context.Context) error { return nil }

func (c *memConn) Close(int, string) error {
	c.Abort()
	return nil
}

func (c *memConn) Abort() { c.once.Do(func() { close(c.over) }) }
