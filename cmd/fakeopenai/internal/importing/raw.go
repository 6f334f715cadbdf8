package importing

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"net/textproto"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// readEvents reads a body of server-sent events, as curl -N prints it.
func readEvents(data []byte, a *fileImport) {
	x, err := unasked(http.StatusOK, http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, data)
	a.addUnasked("", x, err)
}

// readWithHeaders reads the output of curl -i: one header or, after redirects and
// proxies, several, and the body of the last one.
func readWithHeaders(data []byte, a *fileImport) {
	body := bytes.TrimLeft(data, " \t\r\n")
	var status int
	var header http.Header
	for bytes.HasPrefix(body, []byte("HTTP/")) {
		var err error
		if status, header, body, err = answerIn(body); err != nil {
			a.unread("line 1", err)
			return
		}
	}
	x, err := unasked(status, header, body)
	a.addUnasked("", x, err)
}

// answerIn reads an answer in the form of HTTP/1.1. Everything after the header is the body, because who replaces
// secrets does not always correct Content-Length.
func answerIn(data []byte) (status int, header http.Header, body []byte, err error) {
	first, rest, _ := bytes.Cut(data, []byte("\n"))
	if _, err := fmt.Sscanf(string(first), "HTTP/%s %d", new(string), &status); err != nil {
		return 0, nil, nil, fmt.Errorf("%q is no status line", bytes.TrimSpace(first))
	}
	in := bufio.NewReader(bytes.NewReader(rest))
	fields, err := textproto.NewReader(in).ReadMIMEHeader()
	if errors.Is(err, io.EOF) {
		return 0, nil, nil, errors.New("the header has no end: a blank line is missing")
	}
	if err != nil {
		return 0, nil, nil, fmt.Errorf("the header: %w", err)
	}
	header = http.Header(fields)
	body, _ = io.ReadAll(in) // no error: it is in memory
	if strings.EqualFold(header.Get("Transfer-Encoding"), "chunked") {
		// curl prints the header field but the decoded body, which does not begin like a chunk.
		if plain, _ := io.ReadAll(httputil.NewChunkedReader(bytes.NewReader(body))); len(plain) > 0 {
			body = plain
		}
	}
	return status, header, body, nil
}

// jsonAt is a JSON value in a file, with its text and the line where it begins.
type jsonAt struct {
	value ojson.Value
	text  []byte
	line  int
}

// jsonValues returns the JSON values of a text, up to the first error.
func jsonValues(data []byte) ([]jsonAt, error) {
	var list []jsonAt
	line, counted := 1, 0
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	dec := json.NewDecoder(bytes.NewReader(data))
	for dec.More() {
		var text json.RawMessage
		if err := dec.Decode(&text); err != nil {
			return list, err
		}
		v, err := ojson.Parse(text)
		if err != nil {
			return list, err
		}
		start := int(dec.InputOffset()) - len(text)
		line += bytes.Count(data[counted:start], []byte("\n"))
		counted = start
		list = append(list, jsonAt{v, text, line})
	}
	return list, nil
}

// readJSON reads JSON: the chunks of a stream, in lines or in an array, or answers
// in one piece.
func readJSON(data []byte, a *fileImport) {
	values, err := jsonValues(data)
	if err != nil {
		line := 1
		if n := len(values); n > 0 {
			line = values[n-1].line + 1
		}
		a.unread(fmt.Sprintf("line %d", line), fmt.Errorf("it is no JSON: %w; of a stream that breaks off here nothing is imported", err))
	}
	isArray := len(values) == 1 && values[0].value.Kind() == ojson.ArrayKind
	if isArray {
		array := values[0].value
		values = nil
		for _, item := range array.Items() {
			values = append(values, jsonAt{item, item.Append(nil), 1})
		}
	}
	if len(values) == 0 {
		a.unread("", errors.New("the array is empty"))
		return
	}
	if len(values) == 1 && err == nil && !isArray {
		values[0].text = bytes.TrimLeft(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")), " \t\r\n") // with what follows it
	}
	if isChunk(values[0].value) {
		if err == nil { // otherwise a partial stream would look complete
			x, err := unasked(http.StatusOK, http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}}, asEvents(values))
			a.addUnasked("", x, err)
		}
		return
	}
	for _, v := range values {
		place := fmt.Sprintf("line %d", v.line)
		status := http.StatusOK
		if v.value.Get("error").Kind() == ojson.ObjectKind {
			status = statusOf(v.value.Get("error"))
			a.Notes = append(a.Notes, Remark{place, fmt.Sprintf("the error's status is not in the file; %d is taken from its type", status)})
		}
		x, err := unasked(status, http.Header{"Content-Type": {"application/json"}}, v.text)
		a.addUnasked(place, x, err)
	}
}

// isChunk reports whether a value is an event of a stream.
func isChunk(v ojson.Value) bool {
	hasDelta := func(choice ojson.Value) bool { return !choice.Get("delta").IsAbsent() }
	return strings.HasSuffix(v.Get("object").Text(), ".chunk") || isEvent(v) || slices.ContainsFunc(v.Get("choices").Items(), hasDelta)
}

func isEvent(v ojson.Value) bool { return strings.HasPrefix(v.Get("type").Text(), "response.") }

// asEvents writes chunks as the server-sent events in which they came.
func asEvents(values []jsonAt) []byte {
	var b bytes.Buffer
	named := isEvent(values[0].value)
	for _, v := range values {
		name := ""
		if named {
			name = v.value.Get("type").Text()
		}
		text := string(v.text)
		if strings.ContainsAny(text, "\r\n") {
			text = v.value.String()
		}
		writeEvent(&b, name, "", text)
	}
	if !named {
		b.WriteString("data: [DONE]\n\n")
	}
	return b.Bytes()
}

// writeEvent writes a server-sent event. A name or an id that is "" has no line.
func writeEvent(b *bytes.Buffer, name, id, data string) {
	if name != "" {
		fmt.Fprintf(b, "event: %s\n", name)
	}
	if id != "" {
		fmt.Fprintf(b, "id: %s\n", id)
	}
	for line := range strings.SplitSeq(data, "\n") {
		fmt.Fprintf(b, "data: %s\n", line)
	}
	b.WriteString("\n")
}

// statusOf returns the status that api.openai.com sends with an error of this type.
func statusOf(e ojson.Value) int {
	switch e.Get("type").Text() {
	case "invalid_request_error":
		return http.StatusBadRequest
	case "authentication_error":
		return http.StatusUnauthorized
	case "rate_limit_error", "rate_limit_exceeded", "insufficient_quota", "requests", "tokens":
		return http.StatusTooManyRequests
	}
	return http.StatusInternalServerError
}

// unasked makes an exchange of an answer whose request is unknown. The request is the
// example of the API that gives such answers.
func unasked(status int, header http.Header, body []byte) (*recording.Exchange, error) {
	header, body, err := plain(header, body)
	if err != nil {
		return nil, err
	}
	c := call{method: http.MethodPost, status: status, answerHeader: header, answer: body}
	stream := (&recording.Exchange{AnswerHeader: header, Pieces: []recording.Piece{{Data: body}}}).IsStream()
	on, err := surfaceOf(body, stream)
	if err != nil && status < http.StatusBadRequest {
		return nil, err
	}
	c.url = on.Path
	request, _ := ojson.Parse([]byte(on.Example)) // no error: examples are JSON
	if !stream {
		request.Set("stream", ojson.Bool(false))
	}
	if !stream || !bytes.Contains(body, []byte(`"usage"`)) {
		request.Remove(ojson.Path{{Name: "stream_options"}})
	}
	c.body = request.Append(nil)
	return c.exchange()
}

// errNoAPI is the error for an answer that is from no known API.
var errNoAPI = errors.New("it is no answer of chat completions, completions or Responses")

// surfaceOf returns the API that gave an answer. If the answer does not tell, as an error
// does not, it is the default.
func surfaceOf(body []byte, stream bool) (server.Surface, error) {
	usual := server.Surfaces()[0]
	if !stream {
		v, err := ojson.Parse(body)
		if err != nil {
			return usual, fmt.Errorf("it is no JSON: %w", err)
		}
		return surfaceOfValue(v)
	}
	data := false
	for _, b := range server.Blocks(body) {
		text, ok := b.Data()
		if !ok {
			continue
		}
		data = true
		if v, err := ojson.Parse([]byte(text)); err == nil {
			if on, err := surfaceOfValue(v); err == nil {
				return on, nil
			}
		}
	}
	if data {
		return usual, errNoAPI
	}
	return usual, errors.New("the stream has no data")
}

func surfaceOfValue(v ojson.Value) (server.Surface, error) {
	if on, ok := server.SurfaceThatSent(v); ok {
		return on, nil
	}
	usual := server.Surfaces()[0]
	if v.Get("choices").Kind() == ojson.ArrayKind || v.Get("error").Kind() == ojson.ObjectKind {
		return usual, nil
	}
	return usual, errNoAPI
}
