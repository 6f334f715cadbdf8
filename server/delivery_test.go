package server_test

import (
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// big is a scenario whose answer is larger than what sockets buffer for a client that does not read.
const big = `
name: big
stream:
  - role: assistant
  - raw: { repeat: a, bytes: 16000000 }
  - wait: 1h
  - finish: stop
`

func TestHowAClientLeft(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		leave func(t *testing.T, c *net.TCPConn)
		want  journal.Departure
	}{
		{"it closes the connection after it has read everything", func(t *testing.T, c *net.TCPConn) {
			readUntil(t, c, "\n\n\r\n")
			c.Close()
		}, journal.LeftFIN},
		{"it closes its own direction only", func(t *testing.T, c *net.TCPConn) {
			readUntil(t, c, "\n\n\r\n")
			c.CloseWrite()
		}, journal.LeftFIN},
		{"it resets the connection", func(t *testing.T, c *net.TCPConn) {
			readUntil(t, c, "\n\n\r\n")
			c.SetLinger(0)
			c.Close()
		}, journal.LeftRST},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := startWatched(t, held, server.Config{})
			c := r.dial()
			send(t, c, ask)
			await(t, r, "middle")
			tt.leave(t, c)
			d := wantLeft(t, r, tt.want)
			if d.Frames != 2 || d.Step != 1 || d.Unread != (journal.Unread{Frames: 3}) {
				t.Errorf("delivery %+v, want two of five frames", d)
			}
		})
	}
}

// wantLeft waits for the next request to end, checks how its client left, and returns its
// delivery.
func wantLeft(t *testing.T, r *running, want journal.Departure) journal.Delivery {
	t.Helper()
	d := r.ended().Delivery
	if d.Ended != journal.EndedByClient || d.Left != want || d.LeftAfter <= 0 || d.LeftAfter > d.Duration {
		t.Errorf("delivery %+v, want the client to have left by %s", d, want)
	}
	return d
}

func TestAClientThatClosesWithUnreadBytesResets(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux is sure to reset then")
	}
	t.Parallel()
	r := startWatched(t, big, server.Config{})
	c := r.dial()
	send(t, c, ask)
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	c.Close()
	d := wantLeft(t, r, journal.LeftRST)
	if d.Frames == d.Planned || d.Bytes >= 16_000_000 || d.Unread.Frames == 0 {
		t.Errorf("delivery %+v of a stream of which one byte was read", d)
	}
}

func TestHowAClientLeftInHTTP2(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		leave func(answer io.Closer, c net.Conn)
		want  journal.Departure
	}{
		"it gives up the answer":    {func(answer io.Closer, _ net.Conn) { answer.Close() }, journal.LeftHTTP2Cancel},
		"it resets the connection":  {func(_ io.Closer, c net.Conn) { c.(*net.TCPConn).SetLinger(0); c.Close() }, journal.LeftRST},
		"it closes its connection ": {func(_ io.Closer, c net.Conn) { c.(*net.TCPConn).CloseWrite() }, journal.LeftFIN},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := startWatched(t, held, server.Config{})
			dialled := make(chan net.Conn, 1)
			client := http2Client(t)
			client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
				c, err := new(net.Dialer).DialContext(ctx, network, addr)
				dialled <- c
				return c, err
			}
			r.client = client
			resp := r.chat(ask)
			await(t, r, "middle")
			tt.leave(resp.Body, testflag.Receive(t, dialled))
			if d := wantLeft(t, r, tt.want); d.Protocol != "HTTP/2.0" || d.Unread.Frames != 3 {
				t.Errorf("delivery %+v, want three frames of an answer in HTTP/2.0 to be unread", d)
			}
		})
	}
}

// try requests a stream with the given client.
func try(ctx context.Context, client *http.Client, url, idempotencyKey string) (*http.Response, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", strings.NewReader(ask))
	if err != nil {
		return nil, err
	}
	if idempotencyKey != "" {
		req.Header.Set("Idempotency-Key", idempotencyKey)
	}
	return client.Do(req)
}

func TestWithoutAListenerOnlyTheContextIsKnown(t *testing.T) {
	t.Parallel()
	r := start(t, held, server.Config{})
	c := r.dial()
	send(t, c, ask)
	await(t, r, "middle")
	c.SetLinger(0)
	c.Close()
	if d := wantLeft(t, r, journal.LeftContext); d.RequestNumber != 1 || d.Reused {
		t.Errorf("delivery %+v, want a first request", d)
	}
}

func TestADeadlineOfTheHTTPServerIsToldFromAClientThatLeaves(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	r := startWatched(t, big, server.Config{}, func(s *http.Server) { s.WriteTimeout = time.Second })
	c := r.dial()
	send(t, c, ask)
	d := wantLeft(t, r, journal.LeftDeadline)
	if d.Stalls.Count == 0 || d.Stalls.Longest > d.Stalls.Total {
		t.Errorf("stalls %+v, want the write that the deadline ended", d.Stalls)
	}
	if runtime.GOOS == "linux" && d.Unread.Bytes == 0 {
		t.Errorf("unread %+v, want the bytes that wait in the socket", d.Unread)
	}
}

func TestConnectionsAreReused(t *testing.T) {
	t.Parallel()
	r := startWatched(t, hello, server.Config{})
	c := r.dial()
	for range 2 {
		send(t, c, ask)
		readAnswer(t, c)
	}
	other := r.dial()
	send(t, other, ask)
	readAnswer(t, other)
	for i, want := range []int64{1, 2, 1} {
		d := r.ended().Delivery
		if d.RequestNumber != want || d.Reused != (want > 1) || d.Protocol != "HTTP/1.1" {
			t.Errorf("request %d: delivery %+v, want number %d on its connection", i, d, want)
		}
		if d.Left != "" || d.Unread != (journal.Unread{}) {
			t.Errorf("request %d: delivery %+v of a client that stayed", i, d)
		}
	}
}

func TestOwnEndpointsCountOnTheirConnection(t *testing.T) {
	t.Parallel()
	r := startWatched(t, hello, server.Config{})
	c := r.dial()
	if _, err := c.Write([]byte("GET /_fake/healthz HTTP/1.1\r\nHost: fake\r\n\r\n")); err != nil {
		t.Fatal(err)
	}
	readAnswer(t, c)
	send(t, c, ask)
	readAnswer(t, c)
	if d := r.ended().Delivery; d.RequestNumber != 2 {
		t.Errorf("delivery %+v, want the second request", d)
	}
}

func TestTheJournalShowsTheDelivery(t *testing.T) {
	t.Parallel()
	r := startWatched(t, held, server.Config{})
	c := r.dial()
	send(t, c, ask)
	await(t, r, "middle")
	c.SetLinger(0)
	c.Close()
	wantLeft(t, r, journal.LeftRST)
	wantContains(t, r.get("/_fake/requests", http.StatusOK),
		`"left": "rst"`, `"left_after_ns": `, `"protocol": "HTTP/1.1"`, `"request_number": 1`, `"reused": false`, `"frames": 3`)
}

// If a write fails in its middle, the journal counts the bytes that the connection took,
// and not those that remained in a buffer.
func TestBytesOfABrokenWriteAreThoseOnTheWire(t *testing.T) {
	t.Parallel()
	r := startWatched(t, big, server.Config{KeepTranscripts: true, TranscriptLimit: 32 << 20})
	c := r.dial()
	send(t, c, ask)
	if _, err := c.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	c.SetLinger(0)
	c.Close()
	rec := r.ended()
	if d := rec.Delivery; d.Bytes >= 16_000_000 || d.Bytes != int64(len(rec.Transcript)) {
		t.Errorf("%d bytes and a transcript of %d, for a client that read next to nothing", d.Bytes, len(rec.Transcript))
	}
	if !bytes.HasPrefix(rec.Transcript, []byte("data: ")) {
		t.Errorf("the transcript begins with %.20q", rec.Transcript)
	}
}

// afterWrite is an http.ResponseWriter that calls a function after each write.
type afterWrite struct {
	http.ResponseWriter
	then func()
}

func (w afterWrite) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w afterWrite) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.then()
	return n, err
}

func TestAClientLeavesBeforeTheLastWriteIsOnItsWay(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		yaml string
		want journal.Delivery
	}{
		"an answer in one write": {"name: x\nmessage: Hello.\n", journal.Delivery{Ended: journal.EndedByClient, Step: -1, Left: journal.LeftRST}},
		"an ending as authored": {
			"name: x\nstream: [{ role: assistant }, { content: Hello. }]\nend: { close: { after: 2 } }\n",
			journal.Delivery{Ended: journal.EndedByClient, Step: -1, Left: journal.LeftRST},
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var client *net.TCPConn
			r := startWatched(t, tt.yaml, server.Config{}, func(c *http.Server) {
				inner := c.Handler
				c.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					inner.ServeHTTP(afterWrite{w, func() {
						client.SetLinger(0)
						client.Close()
						<-r.Context().Done()
					}}, r)
				})
			})
			client = r.dial()
			send(t, client, ask)
			d := r.ended().Delivery
			got := journal.Delivery{Ended: d.Ended, Frames: d.Frames, Step: d.Step, Bytes: d.Bytes, Left: d.Left}
			if got != tt.want || d.Unread.Frames != d.Planned || d.Planned == 0 {
				t.Errorf("delivery %+v, want nothing of it to be taken", d)
			}
		})
	}
}
