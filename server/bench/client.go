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

// client is one connection that asks again and again. It reads HTTP/1.1 by itself, and
// does as little as it can with what it reads, so that the time is the server's.
type client struct {
	host   string
	conn   net.Conn
	in     *bufio.Reader
	ask    []byte
	closed bool // closed is whether the server ended the connection with its last answer.
}

// answer is what one request brought.
type answer struct {
	status int
	bytes  int
	events int
	closes bool          // closes is whether the server ends the connection with the answer.
	first  time.Duration // first is when the first byte of the body was there.
	took   time.Duration
	// late is, for each event of a paced answer, how far it was from its time.
	late  []time.Duration
	drift time.Duration   // drift is late for the last event but the end mark, with its sign.
	gaps  []time.Duration // gaps are, for each of them, how far the pause before it was from the one that is due.
	last  time.Duration   // last is when the event before came, counted from the first.
}

// request is the bytes of a request.
func request(base, body string) ([]byte, string, error) {
	u, err := url.Parse(base)
	if err != nil {
		return nil, "", err
	}
	path := strings.TrimSuffix(u.Path, "/")
	if path == "" {
		path = "/v1"
	}
	return fmt.Appendf(nil, "POST %s/chat/completions HTTP/1.1\r\nHost: %s\r\nUser-Agent: bench\r\nAccept: application/json\r\n"+
		"Content-Type: application/json\r\nAuthorization: Bearer sk-bench\r\nContent-Length: %d\r\n\r\n%s", path, u.Host, len(body), body), u.Host, nil
}

// bufferSize is how much a client reads at once, and smallBuffer how much one of
// thousands does.
const bufferSize, smallBuffer = 64 << 10, 4 << 10

func dial(base, body string, size int) (*client, error) {
	ask, host, err := request(base, body)
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

// again connects anew where the server has ended the connection.
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

// pacing is when the events of an answer are due: the end mark with the last of the
// others.
type pacing struct {
	gap    time.Duration // gap is the pause between events; 0 is none, and no event is looked at.
	events int           // events is how many have a time of their own.
}

// once asks and reads the answer. Take gets the header and the body, unless it is nil.
// A connection that the server ended before is made anew, in the time of this answer.
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

// note notes events that came together.
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

// eventsIn is how many events end in a part of a body: with a blank line, whose end is
// LF or CR LF.
func eventsIn(p []byte) int { return bytes.Count(p, []byte("\n\n")) + bytes.Count(p, []byte("\n\r\n")) }

// untilTheEnd is the length of a body that lasts until the connection is closed.
const untilTheEnd = -1

// head reads the status and the header.
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

// chunks reads a body of HTTP chunks.
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

// rest reads a body that lasts until the connection is closed.
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

// parts reads so many bytes, as they come.
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
