package fakeopenai

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// bubbled runs a test in virtual time on a server in memory.
func bubbled(t *testing.T, yaml string, run func(t *testing.T, fake *Server), opts ...Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		withoutDeadline := struct{ testing.TB }{t} // in a bubble a test must not call Deadline
		run(t, NewServer(withoutDeadline, append(opts, InMemory(), YAML(yaml))...))
	})
}

// slowly is a stream of ten frames of 10,000 bytes, one each second.
const slowly = `
name: slowly
stream:
  - role: assistant
  - raw: { repeat: a, bytes: 10000 }
    repeat: 10
    every: 1s
  - finish: stop
`

// stream requests a stream, and returns when it has the header of the response.
func stream(ctx context.Context, t *testing.T, fake *Server) *http.Response {
	t.Helper()
	body := `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hi"}]}`
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, fake.BaseURL+"/chat/completions", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := fake.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// dialMemory opens a connection to a server in memory and requests a stream.
func dialMemory(t *testing.T, fake *Server) net.Conn {
	t.Helper()
	c, err := fake.client.Transport.(*transport).DialContext(t.Context(), "tcp", memHost+":80")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	body := `{"model":"gpt-4o","stream":true}`
	fmt.Fprintf(c, "POST /v1/chat/completions HTTP/1.1\r\nHost: fake\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	return c
}

func TestDeliveryOfAClientThatStopsReading(t *testing.T) {
	t.Parallel()
	bubbled(t, slowly, func(t *testing.T, fake *Server) {
		c := dialMemory(t, fake)
		time.Sleep(2500 * time.Millisecond)
		frame := bytes.Repeat([]byte("a"), 10_000)
		for got := []byte{}; bytes.Count(got, frame) < 3 || !bytes.HasSuffix(got, []byte("a\r\n")); {
			p := make([]byte, memBuffer)
			n, err := c.Read(p)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, p[:n]...)
		}
		time.Sleep(3 * time.Second)
		c.Close()
		got := fake.AwaitEnd(0).Delivery
		const onTheWire = 10_000 + len("2710\r\n\r\n")
		want := journal.Delivery{
			Frames: 7, Planned: 13, Bytes: got.Bytes, Step: 1, Ended: journal.EndedByClient, Duration: 5500 * time.Millisecond,
			Left: journal.LeftFIN, LeftAfter: 5500 * time.Millisecond,
			Last:     5 * time.Second,
			Unread:   journal.Unread{Frames: 6, Bytes: 3 * int64(onTheWire)},
			Protocol: "HTTP/1.1", RequestNumber: 1,
		}
		if got != want {
			t.Errorf("delivery is\n%+v, want\n%+v", got, want)
		}
	})
}

func TestDeliveryToASlowReader(t *testing.T) {
	t.Parallel()
	const large = `
		name: large
		stream:
		  - role: assistant
		  - raw: { repeat: a, bytes: 200000 }
		  - finish: stop
	`
	bubbled(t, large, func(t *testing.T, fake *Server) {
		c := dialMemory(t, fake)
		time.Sleep(3 * time.Second)
		resp, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Fatal(err)
		}
		got := fake.AwaitEnd(0).Delivery
		if want := (journal.Stalls{Count: 1, Longest: 3 * time.Second, Total: 3 * time.Second}); got.Stalls != want || got.Ended != journal.EndedComplete {
			t.Errorf("delivery is %+v, want one stall of 3s and the end", got)
		}
	})
}

func TestDeliveryToAClientWhoseContextEnds(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		opts []Option
		want journal.Departure
	}{
		{"in HTTP/1.1 the connection closes", nil, journal.LeftFIN},
		{"in HTTP/2 the stream is cancelled", []Option{WithHTTP2()}, journal.LeftHTTP2Cancel},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bubbled(t, slowly, func(t *testing.T, fake *Server) {
				ctx, cancel := context.WithTimeout(t.Context(), 4500*time.Millisecond)
				defer cancel()
				if _, err := io.Copy(io.Discard, stream(ctx, t, fake).Body); !errors.Is(err, context.DeadlineExceeded) {
					t.Errorf("the stream ended with %v", err)
				}
				got := fake.AwaitEnd(0).Delivery
				if got.Left != tt.want || got.LeftAfter != 4500*time.Millisecond || got.Unread.Bytes != 0 || got.Unread.Frames != 7 {
					t.Errorf("delivery is %+v, want it to end by %s after 4.5s with all but 7 frames read", got, tt.want)
				}
			}, tt.opts...)
		})
	}
}

func TestDownAndUp(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]Option{
		"over a socket":           nil,
		"in memory":               {InMemory()},
		"in memory, with HTTP/2":  {InMemory(), WithHTTP2()},
		"over a socket in HTTP/2": {WithHTTP2()},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fake := NewServer(t, append(opts, Fixture("plain-text"))...)
			for range 2 {
				if _, err := io.Copy(io.Discard, stream(t.Context(), t, fake).Body); err != nil {
					t.Fatal(err)
				}
				fake.AwaitEnd(len(fake.Requests()) - 1)
				fake.Down()
				wantRefused(t, fake)
				fake.Up()
			}
		})
	}
}

// isRefused reports whether an error says that the connection was refused. Windows has another
// error than [syscall.ECONNREFUSED], but the messages of all systems have the word.
func isRefused(err error) bool { return err != nil && strings.Contains(err.Error(), "refused") }

// wantRefused sends requests until one is refused, because it needs a new connection. The first
// may use the old connection if the client has not noticed that it was closed.
func wantRefused(t *testing.T, fake *Server) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; {
		resp, err := fake.Client().Get(fake.BaseURL + "/models")
		switch {
		case isRefused(err):
			return
		case err == nil:
			t.Fatalf("while the server is down a request is answered with %s", resp.Status)
		case time.Now().After(end):
			t.Fatalf("while the server is down a request ends with %v", err)
		}
	}
}

func TestAServerMayBeDownAtItsEnd(t *testing.T) {
	t.Parallel()
	for name, opts := range map[string][]Option{"over a socket": nil, "in memory": {InMemory()}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			NewServer(t, append(opts, Fixture("plain-text"))...).Down()
		})
	}
}
