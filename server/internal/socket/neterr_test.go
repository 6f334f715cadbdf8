package socket_test

import (
	"io"
	"net"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

func TestRefused(t *testing.T) {
	t.Parallel()
	l := listen(t)
	addr := l.Addr().String()
	l.Close()
	if _, err := net.Dial("tcp", addr); !socket.IsRefused(err) || socket.IsReset(err) {
		t.Errorf("dialing where nobody listens: %v", err)
	}
}

func TestInUse(t *testing.T) {
	t.Parallel()
	l := listen(t)
	if _, err := net.Listen("tcp", l.Addr().String()); !socket.IsInUse(err) {
		t.Errorf("listening where somebody does: %v", err)
	}
}

func TestReset(t *testing.T) {
	t.Parallel()
	client, server := connect(t)
	if err := server.SetLinger(0); err != nil {
		t.Fatal(err)
	}
	go func() { // by then the client is probably reading
		_, _ = server.Read(make([]byte, 1))
		server.Close()
	}()
	if _, err := client.Write([]byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Read(make([]byte, 1)); !socket.IsReset(err) || socket.IsBroken(err) {
		t.Errorf("reading after a reset: %v", err)
	}
}

func TestBroken(t *testing.T) {
	t.Parallel()
	client, server := connect(t)
	server.Close()
	if _, err := client.Read(make([]byte, 1)); err != io.EOF || socket.IsReset(err) {
		t.Fatalf("reading after the end: %v", err)
	}
	for {
		// The first write may still succeed; the error comes with the answer to it.
		if _, err := client.Write([]byte("x")); err != nil {
			if !socket.IsBroken(err) && !socket.IsReset(err) {
				t.Errorf("writing after the end: %v", err)
			}
			return
		}
	}
}

func listen(t *testing.T) net.Listener {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return l
}

// connect returns the two ends of a connection.
func connect(t *testing.T) (client, server *net.TCPConn) {
	t.Helper()
	l := listen(t)
	c, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	s, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return c.(*net.TCPConn), s.(*net.TCPConn)
}
