package server_test

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
)

// Each ending causes the right HTTP/2 frames. The test's reader parses only the frames'
// headers.
func TestEndingsInHTTP2(t *testing.T) {
	t.Parallel()
	const message = "name: ending\nmessage: { content: One two three. }\n"
	for _, tt := range []struct {
		name, yaml string
		last       string // the last frame of the stream
		header     bool   // whether the answer has HEADERS
	}{
		{"an orderly end", message, "DATA END_STREAM", true},
		{"a cut", message + "end: { cut: { after: 2 } }\n", "RST_STREAM INTERNAL_ERROR", true},
		{"a reset", message + "end: { reset: { after: 2 } }\n", "RST_STREAM INTERNAL_ERROR", true},
		{"a stall", message + "end: { stall: { after: 2, for: 5ms } }\n", "RST_STREAM INTERNAL_ERROR", true},
		{"a refusal", message + "end: refuse\n", "RST_STREAM INTERNAL_ERROR", false},
		{"a close", message + "end: { close: { after: 2 } }\n", "DATA END_STREAM", true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := startWatched(t, tt.yaml, server.Config{})
			c := dialHTTP2(r)
			got := c.ask(t, 1)
			if got[len(got)-1] != tt.last || slices.Contains(got, "HEADERS") != tt.header {
				t.Errorf("the stream's frames are %q, want the last to be %s and headers: %t", got, tt.last, tt.header)
			}
			if again := c.ask(t, 3); again[len(again)-1] != tt.last {
				t.Errorf("on the same connection the next stream's frames are %q", again)
			}
		})
	}
}

func TestABreakInHTTP2LeavesTheClientTimeToRead(t *testing.T) {
	t.Parallel()
	for _, end := range []string{"cut", "reset"} {
		r := startWatched(t, "name: ending\nmessage: Hi\nend: "+end+"\n", server.Config{})
		dialHTTP2(r).ask(t, 1)
		if d := r.ended().Delivery.Duration; d < 20*time.Millisecond {
			t.Errorf("the %s came after %v, together with what was sent before", end, d)
		}
	}
}

func TestConnectionCloseIsGOAWAYInHTTP2(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	r := startWatched(t, "name: last\nwire: { connection: close }\nmessage: { content: Hello. }\n", server.Config{})
	c := dialHTTP2(r)
	got := c.ask(t, 1)
	if !slices.Contains(c.others, "GOAWAY NO_ERROR") {
		t.Errorf("the connection's own frames are %q, want a GOAWAY", c.others)
	}
	if got[len(got)-1] != "DATA END_STREAM" {
		t.Errorf("the stream's frames are %q, want it to come to its end", got)
	}
	if _, err := io.Copy(io.Discard, c); err != nil {
		t.Errorf("then the connection ends with %v", err)
	}
}

// Even a short stream has none: net/http would add the length of a body that it has whole when the handler returns.
func TestOnlyAWholeAnswerHasALengthInHTTP2(t *testing.T) {
	t.Parallel()
	r := startWatched(t, "name: short\nmessage: Hi\n", server.Config{})
	for body, streams := range map[string]bool{ask: true, whole: false} {
		resp, err := http2Client(t).Post(r.url+"/v1/chat/completions", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err != nil || streams && resp.ContentLength != -1 || !streams && resp.ContentLength != int64(len(got)) {
			t.Errorf("stream %t: the length of %d bytes is said to be %d (%v)", streams, len(got), resp.ContentLength, err)
		}
	}
}

// http2Conn is an HTTP/2 connection on which a test writes and reads frames.
type http2Conn struct {
	net.Conn
	others []string // the frames of the connection itself, stream 0
}

func dialHTTP2(r *running) *http2Conn {
	r.t.Helper()
	c := &http2Conn{Conn: r.dial()}
	if _, err := io.WriteString(c, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"); err != nil {
		r.t.Fatal(err)
	}
	c.write(r.t, 4, 0, 0, nil) // SETTINGS
	return c
}

// ask sends the usual request on a stream and returns the names of the frames of the
// answer.
func (c *http2Conn) ask(t *testing.T, stream uint32) (frames []string) {
	t.Helper()
	var head []byte // HPACK literals without indexing
	for _, field := range []string{":method POST", ":scheme http", ":authority fake", ":path /v1/chat/completions"} {
		name, value, _ := strings.Cut(field, " ")
		head = append(head, 0, byte(len(name)))
		head = append(append(head, name...), byte(len(value)))
		head = append(head, value...)
	}
	c.write(t, 1, 4, stream, head)        // HEADERS, END_HEADERS
	c.write(t, 0, 1, stream, []byte(ask)) // DATA, END_STREAM
	for {
		name, id, done := c.read(t)
		switch {
		case id == stream:
			frames = append(frames, name)
		case id == 0:
			c.others = append(c.others, name)
		}
		if id == stream && done {
			return frames
		}
	}
}

func (c *http2Conn) write(t *testing.T, kind, flags byte, stream uint32, payload []byte) {
	t.Helper()
	frame := binary.BigEndian.AppendUint32(nil, uint32(len(payload))<<8|uint32(kind))
	frame = binary.BigEndian.AppendUint32(append(frame, flags), stream)
	if _, err := c.Write(append(frame, payload...)); err != nil {
		t.Fatal(err)
	}
}

// read reads a frame, and reports whether the frame ends its stream.
func (c *http2Conn) read(t *testing.T) (name string, stream uint32, done bool) {
	t.Helper()
	head := make([]byte, 9)
	if _, err := io.ReadFull(c, head); err != nil {
		t.Fatal(err)
	}
	payload := make([]byte, binary.BigEndian.Uint32(head)>>8)
	if _, err := io.ReadFull(c, payload); err != nil {
		t.Fatal(err)
	}
	kind, flags, stream := head[3], head[4], binary.BigEndian.Uint32(head[5:])
	names := []string{"DATA", "HEADERS", "PRIORITY", "RST_STREAM", "SETTINGS", "PUSH_PROMISE", "PING", "GOAWAY", "WINDOW_UPDATE"}
	name = names[kind]
	switch {
	case kind == 0 && flags&1 != 0:
		return name + " END_STREAM", stream, true
	case kind == 3:
		return name + " " + http2Code(payload), stream, true
	case kind == 7:
		return name + " " + http2Code(payload[4:]), stream, false
	}
	return name, stream, false
}

func http2Code(p []byte) string {
	switch n := binary.BigEndian.Uint32(p); n {
	case 0:
		return "NO_ERROR"
	case 2:
		return "INTERNAL_ERROR"
	default:
		return fmt.Sprint("code ", n)
	}
}
