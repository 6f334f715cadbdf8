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

	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// httprrMark is the first line of a trace of httprr, the recorder of langchaingo
// and of golang.org/x/oscar.
const httprrMark = "httprr trace v1\n"

// readHTTPRR reads a trace. Each entry is a line with the lengths of the request and the
// answer, then both in the form of HTTP/1.1.
func readHTTPRR(data []byte, a *adding) {
	_, rest, _ := bytes.Cut(data, []byte("\n"))
	line := 2
	for n := 1; len(rest) > 0; n++ {
		place := fmt.Sprintf("line %d, entry %d", line, n)
		request, answer, after, err := httprrEntry(rest)
		if err != nil {
			a.unread(place, fmt.Errorf("%w; what follows is not read", err))
			return
		}
		line += bytes.Count(rest[:len(rest)-len(after)], []byte("\n"))
		rest = after
		x, err := httprrExchange(request, answer)
		a.add(place, x, err)
	}
	if a.Imported+len(a.Skipped)+len(a.Unread) == 0 {
		a.Skipped = append(a.Skipped, Remark{"", "the trace has no entry"})
	}
}

func httprrEntry(data []byte) (request, answer, rest []byte, err error) {
	line, rest, _ := bytes.Cut(data, []byte("\n"))
	first, second, _ := strings.Cut(strings.TrimSuffix(string(line), "\r"), " ")
	n, err1 := strconv.ParseUint(first, 10, 31)
	m, err2 := strconv.ParseUint(second, 10, 31)
	if err1 != nil || err2 != nil {
		return nil, nil, nil, fmt.Errorf("%.40q are not the lengths of a request and an answer", line)
	}
	if n+m > uint64(len(rest)) {
		return nil, nil, nil, fmt.Errorf("the entry is %d bytes long, and only %d are there; were line ends changed?", n+m, len(rest))
	}
	return rest[:n], rest[n : n+m], rest[n+m:], nil
}

func httprrExchange(request, answer []byte) (*recording.Exchange, error) {
	req, err := parseMessage(request)
	if err != nil {
		return nil, fmt.Errorf("the request: %w", err)
	}
	ans, err := parseMessage(answer)
	if err != nil {
		return nil, fmt.Errorf("the answer: %w", err)
	}
	fields := strings.Fields(req.first)
	if len(fields) != 3 {
		return nil, fmt.Errorf("%q is no request line", req.first)
	}
	status, err := ans.status()
	if err != nil {
		return nil, err
	}
	c := call{method: fields[0], url: fields[1], header: req.header, body: req.body, status: status, answerHeader: ans.header, answer: ans.body}
	return c.exchange()
}

// httpMessage is a request or an answer in the form of HTTP/1.1.
type httpMessage struct {
	first  string // first is the request line or the status line.
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
