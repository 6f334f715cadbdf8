package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// memConn is a WebSocket connection in memory, without a WebSocket library.
type memConn struct {
	in  chan string // in has the client's messages; it is closed when the client leaves.
	out chan string // out has the server's messages, and its other calls as texts: ping, close CODE, abort.

	once sync.Once
	over chan struct{} // over is closed when the server ends the connection.
}

// unfinished is a message that begins, and does not go on.
const unfinished = "unfinished"

func newMemConn() *memConn {
	return &memConn{in: make(chan string, 100), out: make(chan string), over: make(chan struct{})}
}

func (c *memConn) ReadMessage(ctx context.Context, begins func()) ([]byte, bool, error) {
	select {
	case message, ok := <-c.in:
		if !ok {
			return nil, false, io.EOF
		}
		begins()
		if message, binary := strings.CutPrefix(message, "binary "); message != unfinished {
			return []byte(message), !binary, nil
		}
		select {
		case <-ctx.Done():
		case <-c.over:
		}
	case <-ctx.Done():
	case <-c.over:
	}
	return nil, false, errors.New("the connection is over")
}

func (c *memConn) WriteMessage(ctx context.Context, text bool, p []byte) error {
	message := string(p)
	if !text {
		message = "binary " + message
	}
	return c.tell(ctx, message)
}

func (c *memConn) BeginMessage(ctx context.Context, text bool) (io.WriteCloser, error) {
	return &parts{send: func(p []byte) error { return c.WriteMessage(ctx, text, p) }}, nil
}

// parts is a message that is written in parts, and sent when it is closed.
type parts struct {
	bytes.Buffer
	send func([]byte) error
}

func (p *parts) Close() error { return p.send(p.Bytes()) }

func (c *memConn) tell(ctx context.Context, message string) error {
	select {
	case c.out <- message:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (c *memConn) Ping(ctx context.Context) error { return c.tell(ctx, "ping") }

func (c *memConn) Close(code int, reason string) error {
	c.once.Do(func() {
		c.out <- fmt.Sprintf("close %d %s", code, reason)
		close(c.over)
	})
	return nil
}

func (c *memConn) Abort() {
	c.once.Do(func() { close(c.over) })
}

// converse connects to a server that plays YAML. The channel has the entries of the turns that ended.
func converse(t *testing.T, yaml string, config server.Config) (*memConn, *server.Server, chan journal.Entry) {
	t.Helper()
	return converseAt(t, "/v1/responses", yaml, config)
}

// converseAt is converse with another path, which may have fields of the header behind it: "/path Name: value, …".
func converseAt(t *testing.T, target, yaml string, config server.Config) (*memConn, *server.Server, chan journal.Entry) {
	t.Helper()
	c, ended := newMemConn(), make(chan journal.Entry, 100)
	config.Scenarios = parse(t, yaml)
	observe := config.Observe
	config.Observe = func(e journal.Entry) {
		if observe != nil {
			observe(e)
		}
		ended <- e
	}
	config.Upgrade = func(http.ResponseWriter, *http.Request, int64) (server.MessageConn, error) { return c, nil }
	s, err := server.New(config)
	if err != nil {
		t.Fatal(err)
	}
	target, fields, _ := strings.Cut(target, " ")
	r := httptest.NewRequest(http.MethodGet, target, nil)
	r.Header.Set("Upgrade", "websocket")
	if name, value, ok := strings.Cut(fields, ": "); ok {
		r.Header.Set(name, value)
	}
	go s.ServeHTTP(httptest.NewRecorder(), r)
	return c, s, ended
}

const turn = `{"type":"response.create","model":"gpt-4o","input":"Hi"}`

// paced has words of the wire, which have no effect over WebSocket.
const paced = `
name: paced
quirks: [unknown-event, sequence-number-wrong]
pace: { every: 1s }
wire: { newline: crlf, ids: count, retry: 5, split: 7, coalesce: 2, gzip: flush, gzip_forced: true, bom: true, multiline_data: true, headers: { X-A: b } }
stream:
  - role: assistant
  - content: "a\nb"
  - comment: beat
  - raw: "data: {\"type\":\"mine\"}\n\n"
  - heartbeat: 1
  - wait: 10s
  - content: b
  - finish: stop
`

// Each event is sent as a message when it is due, and comments are sent as pings.
func TestEventsLeaveAsMessagesWhenTheyAreDue(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := converse(t, paced, server.Config{})
		began := time.Now()
		c.in <- turn
		var got []string
		for message := range c.out {
			kind := message
			if message != "ping" {
				kind = strings.TrimPrefix(value(t, message, "type").Text(), "response.")
			}
			got = append(got, fmt.Sprintf("%s %s", time.Since(began), kind))
			if kind == "completed" {
				break
			}
		}
		all := strings.Join(got, "\n")
		for _, want := range []string{"0s created", "1s output_text.delta", "ping", "mine", "keepalive", "completed"} {
			if !strings.Contains(all, want) {
				t.Errorf("there is no %q in\n%s", want, all)
			}
		}
		if d := time.Since(began); d < 12*time.Second || d > 15*time.Second {
			t.Errorf("the turn took %s", d)
		}
		close(c.in)
	})
}

// The server makes no event of a turn before the client has read the one before.
func TestASlowReaderHoldsTheTurnUp(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, s, ended := converse(t, "name: long\nstream:\n  - role: assistant\n  - content: a\n    repeat: 1000\n  - finish: stop\n", server.Config{Speed: server.Instant})
		c.in <- turn
		<-c.out
		time.Sleep(time.Minute)
		if d := s.Journal()[0].Delivery; d.Ended != journal.EndedOpen || d.Frames > 1 {
			t.Errorf("after a message was read, the delivery is %+v", d)
		}
		close(c.in) // the client leaves
		if e := <-ended; e.Delivery.Ended != journal.EndedByClient {
			t.Errorf("the turn ended by %s", e.Delivery.Ended)
		}
	})
}

// For a client that stops reading, the server keeps a few times the event that it sends, and not the
// events after it. Not parallel: the memory of other tests would count.
func TestASlowReaderHoldsAFewTimesAnEvent(t *testing.T) {
	testflag.NoRace(t)
	const event, most = 8_000_000, 4
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := converse(t, fmt.Sprintf("name: large\nmessage: { content: { repeat: 'word ', bytes: %d }, by: all }\n", event), server.Config{Speed: server.Instant, JournalSize: -1})
		play := func(read func(message string) bool) {
			c.in <- turn
			for read(<-c.out) {
			}
			synctest.Wait()
		}
		play(func(message string) bool { return value(t, message, "type").Text() != "response.completed" }) // makes the program
		before := inUse()
		play(func(message string) bool { return value(t, message, "type").Text() != "response.content_part.added" }) // the next has the text
		holds := inUse() - before
		if holds < event || holds > most*event {
			t.Errorf("a client that does not read an event of %d bytes holds %d, want %d times as much at most", event, holds, most)
		}
		c.Abort()
		close(c.in)
	})
}

// Of many turns 16 are answered at a time. Those that are too many or too long to wait get an error,
// and a client that leaves is noticed however many wait.
func TestAClientWithManyTurnsLeaves(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		turns, size, answered, refused int
	}{{17, 0, 16, 0}, {200, 0, 16, 0}, {300, 0, 16, 44}, {20, 90_000, 11, 10}, {18, 40_000, 16, 0}} {
		synctest.Test(t, func(t *testing.T) {
			c, s, _ := converse(t, "name: held\nstream: [{ role: assistant }, { hold: go }, { finish: stop }]\n", server.Config{MaxBody: 1_000_000})
			go func() {
				for range c.out { // the client reads everything
				}
			}()
			for i := range tt.turns {
				c.in <- strings.Replace(turn, `Hi"`, fmt.Sprintf(`%s","stream_id":"lane%d"`, strings.Repeat("x", tt.size), i%32), 1)
				synctest.Wait()
			}
			time.Sleep(time.Hour / 2)
			if tt.size > 0 { // There is room for a short turn.
				c.in <- turn
				time.Sleep(time.Minute)
			}
			open, refused := 0, 0
			for _, e := range s.Journal() {
				if e.Status == http.StatusTooManyRequests {
					refused++
				} else if e.Delivery.Ended == journal.EndedOpen {
					open++
				}
			}
			if open != tt.answered || refused != tt.refused {
				t.Errorf("%d of %d turns are answered at a time, and %d refused", open, tt.turns, refused)
			}
			close(c.in)
			synctest.Wait()
			if e := s.Journal()[0]; e.Delivery.Ended != journal.EndedByClient {
				t.Errorf("%d turns of %d bytes: the first ended by %s", tt.turns, tt.size, e.Delivery.Ended)
			}
			s.Close()
			close(c.out)
		})
	}
}

// A connection that is an hour old is closed, after an error that says why.
func TestAConnectionIsAnHourOldAtMost(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := converse(t, hello, server.Config{})
		began := time.Now()
		message, code := <-c.out, <-c.out
		if got := value(t, message, "error.code").Text(); got != "websocket_connection_limit_reached" || value(t, message, "status").String() != "400" || code != "close 1000 " {
			t.Errorf("the server says %s and %q", message, code)
		}
		if d := time.Since(began); d != time.Hour {
			t.Errorf("the connection lasted %s", d)
		}
	})
}

// A message must be complete in the time that the body of a request has. The time before it and
// that of its answer do not count.
func TestAMessageThatDoesNotComeIsRefused(t *testing.T) {
	t.Parallel()
	const limit = 5 * time.Second
	synctest.Test(t, func(t *testing.T) {
		c, _, ended := converse(t, "name: slow\nmessage: Hi\npace: { every: 1m }\n", server.Config{BodyTimeout: limit})
		c.ending(t, turn)
		<-ended
		time.Sleep(time.Minute)
		began := time.Now()
		c.in <- unfinished
		message := <-c.out
		if d := time.Since(began); d != limit || value(t, message, "status").String() != "408" || value(t, message, "error.code").Text() != "fake_body_too_slow" {
			t.Errorf("after %s the server says %s", d, message)
		}
		if code := <-c.out; code != "close 1000 " {
			t.Errorf("then the server says %q", code)
		}
		if e := <-ended; e.Status != http.StatusRequestTimeout || !e.Failed || e.Delivery.RequestNumber != 2 {
			t.Errorf("the entry is %+v", e)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		c, _, ended := converse(t, hello, server.Config{BodyTimeout: limit})
		began := time.Now()
		c.in <- unfinished
		<-ended // although the client reads nothing
		if d := time.Since(began); d < limit || d > limit+2*time.Second {
			t.Errorf("the connection lasted %s", d)
		}
		<-c.over
	})
}

// A turn that closes the connection does so, however soon the client leaves.
func TestATurnClosesTheConnectionAlthoughTheClientLeaves(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var c *memConn
		leave := func(journal.Entry) { // after the last event, before the turn is over
			close(c.in)
			synctest.Wait()
		}
		c, _, _ = converse(t, hello+"end: close\n", server.Config{Observe: leave})
		c.in <- turn
		last := ""
		for open := true; open; {
			select {
			case last = <-c.out:
			case <-c.over:
				open = false
			}
		}
		if last != "close 1000 " {
			t.Errorf("the last that the server says is %s", last)
		}
	})
}

// A connection can use 32 names of streams. Another name gets an error, and the connection goes on.
func TestStreamIDsAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _, _ := converse(t, hello, server.Config{Speed: server.Instant})
		last := func(id string) string {
			return c.ending(t, strings.Replace(turn, `"model"`, `"stream_id":"`+id+`","model"`, 1))
		}
		for i := range 33 {
			message := last(fmt.Sprint("lane", i))
			if id := value(t, message, "stream_id").Text(); id != fmt.Sprint("lane", i) {
				t.Errorf("an event of lane %d names %s", i, id)
			}
			if got := value(t, message, "error.code").Text(); (got == "websocket_stream_limit_reached") != (i == 32) {
				t.Errorf("lane %d: %s", i, message)
			}
		}
		if message := last("lane0"); value(t, message, "type").Text() != "response.completed" {
			t.Errorf("the first lane goes on with %s", message)
		}
		close(c.in)
	})
}

// A server that shuts down lets turns send their last events, and closes connections with 1001.
func TestAShutdownClosesConnections(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, s, _ := converse(t, "name: held\nwire: { on_shutdown: [{ event: { data: '{\"type\":\"bye\"}' } }] }\nstream:\n  - role: assistant\n  - content: a\n  - wait: 1h\n  - finish: stop\n", server.Config{})
		c.in <- turn
		for message := range c.out {
			if value(t, message, "type").Text() == "response.output_text.delta" {
				break
			}
		}
		go s.Close()
		if bye, code := <-c.out, <-c.out; value(t, bye, "type").Text() != "bye" || !strings.HasPrefix(code, "close 1001 ") {
			t.Errorf("the server says %s and %q", bye, code)
		}
	})
}

// Turns of different stream ids run at the same time, those of one id in their order, and their
// events name them.
func TestStreamIDs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, s, _ := converse(t, "name: held\nwhen: { user: wait }\nstream:\n  - role: assistant\n  - hold: middle\n  - finish: stop\n---\n"+hello, server.Config{Speed: server.Instant})
		for _, lane := range []string{`"slow","input":"wait"`, `"slow","input":"next"`} {
			c.in <- create(`,"stream_id":` + lane)
		}
		fast := c.ending(t, create(`,"stream_id":"fast","input":"Hi"`))
		s.Release("middle")
		held, next := c.ending(t, ""), c.ending(t, "")
		for i, message := range []string{fast, held, next} {
			lane, text := value(t, message, "stream_id").Text(), strings.Contains(message, "Hello.")
			if lane != []string{"fast", "slow", "slow"}[i] || text != (i != 1) {
				t.Errorf("the end of turn %d is %s", i, message)
			}
		}
		close(c.in)
	})
}

// A handshake is answered with HTTP where a scenario, a missing key or a missing Upgrade asks
// for that.
func TestHandshakesThatAreRefused(t *testing.T) {
	t.Parallel()
	r := local(t, `
name: handshake
when: { header: { Upgrade: websocket } }
replies:
  - when: { header: { X-Run: "426" } }
    error: { status: 426, message: Use SSE. }
  - times: 1
    error: { status: 503 }
---
name: hello
message: Hi
`, server.Config{APIKeys: []string{"sk-test"}})
	const key, upgrade = "Authorization: Bearer sk-test", "Upgrade: websocket"
	for _, tt := range []struct {
		header []string
		status int
		text   string
	}{
		{[]string{upgrade}, http.StatusUnauthorized, "Missing bearer"},
		{[]string{key, upgrade, "X-Run: 426"}, http.StatusUpgradeRequired, "Use SSE."},
		{[]string{key, upgrade}, http.StatusServiceUnavailable, "overloaded"},
		{[]string{key, upgrade}, http.StatusUpgradeRequired, "Config.Upgrade"},
		{[]string{key}, http.StatusUpgradeRequired, "is for WebSocket connections"},
	} {
		resp := r.do(http.MethodGet, "/v1/responses", "", tt.header...)
		wantStatus(t, resp, tt.status)
		wantContains(t, text(t, resp), tt.text)
		if tt.text == "is for WebSocket connections" && resp.Header.Get("Upgrade") != "websocket" {
			t.Errorf("the header is %v", resp.Header)
		}
	}
}
