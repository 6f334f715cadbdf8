package importing

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"strconv"
	"strings"
)

// httpMessage is an answer in the form of HTTP/1.1.
type httpMessage struct {
	first  string // first is the status line.
	header http.Header
	body   []byte
}

// parseMessage parses an HTTP message. Everything after the header is the body, because
// recorders that replace secrets do not always correct Content-Length.
func parseMessage(data []byte) (*httpMessage, error) {
	in := bufio.NewReader(bytes.NewReader(data))
	lines := textproto.NewReader(in)
	first, err := lines.ReadLine()
	if err == nil && first == "" {
		return nil, errors.New("there is no HTTP message")
	}
	var header textproto.MIMEHeader
	if err == nil {
		header, err = lines.ReadMIMEHeader()
	}
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the header has no end: a blank line is missing")
	}
	if err != nil {
		return nil, fmt.Errorf("the header: %w", err)
	}
	body, _ := io.ReadAll(in) // no error: it is in memory
	m := &httpMessage{first: first, header: http.Header(header), body: body}
	return m, m.unchunk()
}

func (m *httpMessage) unchunk() error {
	if !strings.EqualFold(m.header.Get("Transfer-Encoding"), "chunked") || !looksChunked(m.body) {
		return nil // curl prints the header field but the decoded body
	}
	body, err := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(m.body)))
	if err != nil {
		return fmt.Errorf("the body's chunks are broken: %w", err)
	}
	m.body = body
	return nil
}

// looksChunked reports whether a body begins with the length of a chunk.
func looksChunked(body []byte) bool {
	line, _, found := bytes.Cut(body, []byte("\n"))
	size, _, _ := strings.Cut(strings.TrimSpace(string(line)), ";")
	_, err := strconv.ParseUint(size, 16, 64)
	return found && err == nil
}

func (m *httpMessage) status() (int, error) {
	fields := strings.Fields(m.first)
	if len(fields) < 2 || !strings.HasPrefix(fields[0], "HTTP/") {
		return 0, fmt.Errorf("%q is no status line", m.first)
	}
	n, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0, fmt.Errorf("%q is no status line", m.first)
	}
	return n, nil
}
