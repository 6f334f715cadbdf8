package fakeopenai

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

func TestMemConn(t *testing.T) {
	t.Parallel()
	long := bytes.Repeat([]byte("0123456789"), memBuffer)
	for _, tt := range []struct {
		name string
		run  func(t *testing.T, client, server *memConn)
	}{
		{"a write does not wait for a reader", func(t *testing.T, client, server *memConn) {
			wantIO(t, "write")(client.Write([]byte("abc")))
		}},
		{"each write arrives in a read of its own", func(t *testing.T, client, server *memConn) {
			client.Write([]byte("abc"))
			client.Write([]byte("d"))
			client.Write([]byte("ef"))
			for _, want := range []string{"ab", "c", "d", "ef"} {
				p := make([]byte, 2)
				if n, err := server.Read(p); string(p[:n]) != want || err != nil {
					t.Errorf("read %q, %v; want %q", p[:n], err, want)
				}
			}
		}},
		{"a write that is larger than the buffer goes on as the reader reads", func(t *testing.T, client, server *memConn) {
			go func() {
				client.Write(long)
				client.Close()
			}()
			if got, err := io.ReadAll(server); !bytes.Equal(got, long) || err != nil {
				t.Errorf("read %d bytes, %v; want the %d that were written", len(got), err, len(long))
			}
		}},
		{"close ends the other side's reads after the last byte", func(t *testing.T, client, server *memConn) {
			client.Write([]byte("abc"))
			client.Close()
			if got, err := io.ReadAll(server); string(got) != "abc" || err != nil {
				t.Errorf("read %q, %v; want abc", got, err)
			}
		}},
		{"close refuses the other side's writes", func(t *testing.T, client, server *memConn) {
			client.Close()
			wantIO(t, "write", syscall.EPIPE)(server.Write([]byte("x")))
		}},
		{"close ends this side's reads and writes", func(t *testing.T, client, server *memConn) {
			client.Close()
			wantIO(t, "read", net.ErrClosed)(client.Read(make([]byte, 1)))
			wantIO(t, "write", net.ErrClosed)(client.Write([]byte("x")))
		}},
		{"close wakes a write that waits", func(t *testing.T, client, server *memConn) {
			time.AfterFunc(time.Second, func() { server.Close() })
			wantIO(t, "write", syscall.EPIPE)(client.Write(long))
		}},
		{"a reset comes after the bytes that had arrived", func(t *testing.T, client, server *memConn) {
			server.Write([]byte("abc"))
			server.SetLinger(0)
			server.Close()
			got := make([]byte, 10)
			n, err := client.Read(got)
			if string(got[:n]) != "abc" || err != nil {
				t.Errorf("first read %q, %v; want abc", got[:n], err)
			}
			wantIO(t, "read", syscall.ECONNRESET)(client.Read(got))
			wantIO(t, "write", syscall.ECONNRESET)(client.Write(got))
		}},
		{"a deadline ends a read that waits, at that time", func(t *testing.T, client, server *memConn) {
			start := time.Now()
			client.SetReadDeadline(start.Add(time.Minute))
			wantIO(t, "read", os.ErrDeadlineExceeded)(client.Read(make([]byte, 1)))
			if took := time.Since(start); took != time.Minute {
				t.Errorf("read waited %v, want 1m", took)
			}
		}},
		{"a deadline that was moved does not end a read", func(t *testing.T, client, server *memConn) {
			client.SetDeadline(time.Now().Add(time.Second))
			client.SetDeadline(time.Time{})
			time.AfterFunc(time.Minute, func() { server.Write([]byte("x")) })
			wantIO(t, "read")(client.Read(make([]byte, 1)))
		}},
		{"a deadline in the past ends reads until it is taken away", func(t *testing.T, client, server *memConn) {
			server.Write([]byte("x"))
			client.SetReadDeadline(time.Unix(1, 0))
			wantIO(t, "read", os.ErrDeadlineExceeded)(client.Read(make([]byte, 1)))
			client.SetReadDeadline(time.Time{})
			wantIO(t, "read")(client.Read(make([]byte, 1)))
		}},
		{"a deadline ends a write that waits", func(t *testing.T, client, server *memConn) {
			client.SetWriteDeadline(time.Now().Add(time.Minute))
			wantIO(t, "write", os.ErrDeadlineExceeded)(client.Write(long))
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, server := newMemPipe()
				defer server.Close()
				defer client.Close()
				tt.run(t, client, server)
			})
		})
	}
}

// wantIO returns a check of the error of a read or write. Without wants there must be no error.
func wantIO(t *testing.T, op string, want ...error) func(int, error) {
	t.Helper()
	return func(_ int, err error) {
		t.Helper()
		if len(want) == 0 {
			if err != nil {
				t.Errorf("%s: %v, want no error", op, err)
			}
			return
		}
		var outer *net.OpError
		if !errors.Is(err, want[0]) || !errors.As(err, &outer) || outer.Op != op {
			t.Errorf("%s: %v, want a net.OpError with %v", op, err, want[0])
		}
	}
}

func TestMemListener(t *testing.T) {
	t.Parallel()
	t.Run("a dial to another host is refused with the host to use", func(t *testing.T) {
		t.Parallel()
		l := newMemListener()
		defer l.Close()
		_, err := l.dial(t.Context(), "tcp", "api.openai.com:443")
		if err == nil || !strings.Contains(err.Error(), "http://"+memHost) {
			t.Errorf("dial = %v, want an error that names %s", err, memHost)
		}
	})
	t.Run("a dial to a closed listener is refused as by a socket", func(t *testing.T) {
		t.Parallel()
		l := newMemListener()
		l.Close()
		if _, err := l.dial(t.Context(), "tcp", memHost+":80"); !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("dial = %v, want ECONNREFUSED", err)
		}
	})
	t.Run("a dial ends with its context", func(t *testing.T) {
		t.Parallel()
		l := newMemListener()
		defer l.Close()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := l.dial(ctx, "tcp", memHost+":80"); !errors.Is(err, context.Canceled) {
			t.Errorf("dial = %v, want context.Canceled", err)
		}
	})
}
