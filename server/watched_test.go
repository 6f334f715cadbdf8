package server_test

import (
	"bufio"
	"bytes"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/server"
)

// startWatched is like start, with a listener through which the server sees its connections, in
// HTTP/1.1 and HTTP/2. Each adjust may change the HTTP server before it starts.
func startWatched(t *testing.T, yaml string, config server.Config, adjust ...func(*http.Server)) *running {
	t.Helper()
	r := newRunning(t, yaml, config)
	s := r.Server
	front := httptest.NewUnstartedServer(s)
	front.Listener = s.Watch(front.Listener)
	front.Config.ConnContext = s.ConnContext
	front.Config.Protocols = new(http.Protocols)
	front.Config.Protocols.SetHTTP1(true)
	front.Config.Protocols.SetUnencryptedHTTP2(true)
	for _, f := range adjust {
		f(front.Config)
	}
	front.Start()
	r.url, r.client = front.URL, front.Client()
	r.client.Timeout = patience
	t.Cleanup(func() {
		s.Close()
		front.Close()
	})
	return r
}

// http2Client speaks HTTP/2 without TLS.
func http2Client(t *testing.T) *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetUnencryptedHTTP2(true)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, Timeout: patience}
}

// dial opens a TCP connection to the server.
func (r *running) dial() *net.TCPConn {
	r.t.Helper()
	c, err := net.Dial("tcp", strings.TrimPrefix(r.url, "http://"))
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(patience)); err != nil { // a test that fails must not hang
		r.t.Fatal(err)
	}
	return c.(*net.TCPConn)
}

// readUntil reads from a connection until the bytes end with the text.
func readUntil(t *testing.T, c net.Conn, end string) {
	t.Helper()
	var got []byte
	for !bytes.HasSuffix(got, []byte(end)) {
		p := make([]byte, 4096)
		n, err := c.Read(p)
		if err != nil {
			t.Fatalf("after %q: %v", got, err)
		}
		got = append(got, p[:n]...)
	}
}

// readAnswer reads a whole answer and leaves the connection open.
func readAnswer(t *testing.T, c net.Conn) {
	t.Helper()
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	text(t, resp)
}
