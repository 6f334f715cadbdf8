package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// client sends the same request again and again on one connection. It has its own minimal
// reader of HTTP/1.1, so that nearly all of the measured time is the server's.
type client struct {
	host   string
	conn   net.Conn
	in     *bufio.Reader
	ask    []byte
	closed bool // closed is whether the server closed the connection after its last answer.
}

// answer describes the response to one request.
type answer struct {
	status int
	bytes  int
	events int
	closes bool          // closes is whether the server closes the connection after the answer.
	first  time.Duration // first is the time from the request to the first byte of the body.
	took   time.Duration // took is the time from the request to the last byte of the body.
	// late is, for each event of a paced answer, how far from its due time it came.
	late  []time.Duration
	drift time.Duration   // drift is how late the event before [DONE] came; negative if early.
	gaps  []time.Duration // gaps is, for each event in late, how far the pause before it was from pacing.gap.
	last  time.Duration   // last is when the previous event came, counted from the first event.
}

// request is the bytes of an HTTP request with this body and API key, and the host and port to send it to.
func request(base, key, body string) ([]byte, string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, "", err
	}
	path := strings.TrimSuffix(u.Path, "/")
	if path == "" {
		path = "/v1"
	}
	return fmt.Appendf(nil, "POST %s/chat/completions HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nAccept: application/json\r\n"+
		"Content-Type: application/json\r\nAuthorization: Bearer %s\r\nContent-Length: %d\r\n\r\n%s", path, u.Host, key, len(body), body), u.Host, nil
}

// bufferSize is the size of a client's read buffer in bytes, and smallBuffer its size in
// paced works, which have thousands of clients.
const bufferSize, smallBuffer = 64 << 10, 4 << 10

// usualKey is the API key of requests on a connection alone. A work with several connections has one for each.
const usualKey = "sk-bench"

func dial(base, key, body string, size int) (*client, error) {
	ask, host, err := request(base, key, body)
	if err != nil {
		return nil, err
	}
	conn, err := net.Dial("tcp", host)
	if err != nil {
		return nil, err
	}
	return &client{host: host, conn: conn, in: bufio.NewReaderSize(conn, size), ask: ask}, nil
}

func (c *client) close() { _ = c.conn.Close() }

// again dials again if the server closed the connection after its last answer.
func (c *client) again() error {
	if !c.closed {
		return nil
	}
	c.close()
	conn, err := net.Dial("tcp", c.host)
	if err != nil {
		return err
	}
	c.conn, c.closed = conn, false
	c.in.Reset(conn)
	return nil
}

// pacing says when the events of an answer are due: event k is due k gaps after the first
// event, and [DONE] with the event before it.
type pacing struct {
	gap    time.Duration // gap is the pause between events; with 0 single events are not looked at.
	events int           // events is the number of events without [DONE].
}

// once sends the request and reads the answer. It passes the header and the body to take,
// unless take is nil. If the server closed the connection before, the time of this answer
// includes the time to connect again.
func (c *client) once(due pacing, take func(head map[string][]string, body []byte)) (a answer, err error) {
	began := time.Now()
	if err = c.again(); err != nil {
		return a, err
	}
	if _, err = c.conn.Write(c.ask); err != nil {
		return a, err
	}
	length, chunked, head, err := c.head(&a, take != nil)
	if err != nil {
		return a, err
	}
	var body []byte
	var firstEvent time.Time
	part := func(p []byte) {
		now := time.Now()
		if a.bytes == 0 {
			a.first, firstEvent = now.Sub(began), now
		}
		a.bytes += len(p)
		if due.gap > 0 {
			a.note(now.Sub(firstEvent), eventsIn(p), due)
		}
		if take != nil {
			body = append(body, p...)
		}
	}
	switch {
	case chunked:
		err = c.chunks(part)
	case length == untilTheEnd:
		a.closes = true
		err = c.rest(part)
	default:
		err = c.parts(length, part)
	}
	a.took, c.closed = time.Since(began), a.closes
	if take != nil {
		take(head, body)
	}
	return a, err
}

// note records that a number of events came together, at a time counted from the first event.
func (a *answer) note(at time.Duration, events int, due pacing) {
	for range events {
		late := at - time.Duration(a.events)*due.gap
		if a.events > 0 && a.events < due.events {
			a.late = append(a.late, max(late, -late))
			a.drift = late
			gap := at - a.last - due.gap
			a.gaps = append(a.gaps, max(gap, -gap))
		}
		a.last = at
		a.events++
	}
}

// eventsIn counts the events that end in a part of a body. A blank line ends an event; its
// line end is LF or CR LF.
func eventsIn(p []byte) int { return bytes.Count(p, []byte("\n\n")) + bytes.Count(p, []byte("\n\r\n")) }

// untilTheEnd stands for the length of a body that ends with the connection.
const untilTheEnd = -1

// head reads the status line and the header fields. It returns the fields as head if keep is
// true.
func (c *client) head(a *answer, keep bool) (length int, chunked bool, head map[string][]string, err error) {
	length = untilTheEnd
	for first := true; ; first = false {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return 0, false, nil, err
		}
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			return length, chunked, head, nil
		}
		if first {
			if len(line) < 12 {
				return 0, false, nil, fmt.Errorf("status line %q", line)
			}
			a.status, _ = strconv.Atoi(string(line[9:12]))
			a.closes = bytes.HasPrefix(line, []byte("HTTP/1.0"))
			continue
		}
		name, value, _ := bytes.Cut(line, []byte(":"))
		value = bytes.TrimSpace(value)
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			length, _ = strconv.Atoi(string(value))
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		case bytes.EqualFold(name, []byte("Connection")):
			a.closes = bytes.EqualFold(value, []byte("close"))
		}
		if keep {
			if head == nil {
				head = map[string][]string{}
			}
			head[string(name)] = append(head[string(name)], string(value))
		}
	}
}

// chunks reads a body in chunked transfer coding, and calls part with its bytes as they come.
func (c *client) chunks(part func([]byte)) error {
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(bytes.TrimRight(line, "\r\n")), 16, 31)
		if err != nil {
			return err
		}
		if n > 0 {
			if err := c.parts(int(n), part); err != nil {
				return err
			}
		}
		if _, err := c.in.Discard(2); err != nil || n == 0 {
			return err
		}
	}
}

// rest reads a body that ends with the connection, and calls part with its bytes as they come.
func (c *client) rest(part func([]byte)) error {
	for {
		_, err := c.in.Peek(1)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := c.parts(c.in.Buffered(), part); err != nil {
			return err
		}
	}
}

// parts reads n bytes, and calls part with them as they come.
func (c *client) parts(n int, part func([]byte)) error {
	for n > 0 {
		if _, err := c.in.Peek(1); err != nil {
			return err
		}
		p, _ := c.in.Peek(min(n, c.in.Buffered()))
		part(p)
		n -= len(p)
		if _, err := c.in.Discard(len(p)); err != nil {
			return err
		}
	}
	return nil
}
