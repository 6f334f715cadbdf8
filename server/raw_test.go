package server_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/internal/socket"
)

// The ways in which a raw answer can end.
const (
	endOpen  = "[the connection stays open]"
	endFIN   = "[FIN]"
	endRST   = "[RST]"
	endQuiet = "[nothing at all]"
)

// rawConn is a client that knows nothing of server-sent events: it keeps every byte of an
// answer as it came from the socket.
type rawConn struct {
	net.Conn
	t    *testing.T
	seen bytes.Buffer // all bytes of the answer
	in   *bufio.Reader
}

// rawDial connects to the server without an HTTP client.
func (r *running) rawDial() *rawConn {
	r.t.Helper()
	c := &rawConn{Conn: r.dial(), t: r.t}
	c.in = bufio.NewReader(io.TeeReader(c.Conn, &c.seen))
	return c
}

// send writes a request with exactly these parts.
func (c *rawConn) send(method, path, body string, header ...string) {
	c.t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: fake\r\nContent-Length: %d\r\n", method, path, len(body))
	for _, line := range header {
		b.WriteString(line + "\r\n")
	}
	b.WriteString("\r\n" + body)
	if _, err := io.WriteString(c.Conn, b.String()); err != nil {
		c.t.Fatal(err)
	}
}

// answer reads one answer, up to the end that its framing declares or the end of the
// connection, and returns which of these it was.
func (c *rawConn) answer() (raw, end string) {
	c.t.Helper()
	c.seen.Reset()
	err := c.read()
	return c.seen.String(), c.ending(err)
}

func (c *rawConn) read() error {
	chunked, length := false, int64(-1)
	for line := ""; line != "\r\n"; {
		var err error
		if line, err = c.in.ReadString('\n'); err != nil {
			return err
		}
		name, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		switch name {
		case "Transfer-Encoding":
			chunked = value == "chunked"
		case "Content-Length":
			length, _ = strconv.ParseInt(value, 10, 64)
		}
	}
	switch {
	case chunked:
		return c.chunks()
	case length >= 0:
		_, err := io.CopyN(io.Discard, c.in, length)
		return err
	}
	_, err := io.Copy(io.Discard, c.in)
	if err == nil {
		err = io.EOF
	}
	return err
}

func (c *rawConn) chunks() error {
	for {
		line, err := c.in.ReadString('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(strings.TrimSpace(line), 16, 64)
		if err != nil {
			c.t.Fatalf("%q is no size of a chunk", line)
		}
		if _, err := io.CopyN(io.Discard, c.in, n+2); err != nil {
			return err
		}
		if n == 0 {
			return nil
		}
	}
}

// ending returns how the connection ended, after a read returned err.
func (c *rawConn) ending(err error) string {
	c.t.Helper()
	switch {
	case err == nil:
		return c.probe()
	case socket.IsReset(err):
		return endRST
	case !errors.Is(err, io.EOF):
		c.t.Fatalf("after %q: %v", c.seen.String(), err)
	case c.seen.Len() == 0:
		return endQuiet + " " + endFIN
	}
	return endFIN
}

// probe sends another request on the same connection, and returns what happens.
func (c *rawConn) probe() string {
	if _, err := io.WriteString(c.Conn, "GET /_fake/healthz HTTP/1.1\r\nHost: fake\r\n\r\n"); err != nil {
		return endFIN
	}
	before := c.seen.Len()
	resp, err := http.ReadResponse(c.in, nil)
	c.seen.Truncate(before)
	if err != nil {
		return endFIN // a reset answers a request that came after the server closed
	}
	_ = resp.Body.Close()
	return endOpen
}

// bodyOf returns as much of a body as there is, however it ends.
func bodyOf(resp *http.Response) string {
	body, _ := io.ReadAll(resp.Body)
	return string(body)
}
