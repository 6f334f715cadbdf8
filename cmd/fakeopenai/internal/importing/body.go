package importing

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// Codings are the decoders for brotli and zstd, in addition to those of [recording.Codings].
var Codings = recording.Codings{
	"br": func(r io.Reader) (io.Reader, error) { return brotli.NewReader(r), nil },
	"zstd": func(r io.Reader) (io.Reader, error) {
		return zstd.NewReader(r, zstd.WithDecoderConcurrency(1)) // 1 decodes synchronously, as bytes arrive
	},
}

// maxBody is the largest size of a decompressed body in bytes.
const maxBody = 64 << 20

// call is one request and its answer, as recorded in a file.
type call struct {
	method, url  string
	header       http.Header
	body         []byte
	status       int
	answerHeader http.Header
	answer       []byte
	headerAt     time.Duration // headerAt is when the header of the answer came, counted from the request.
	endedAt      time.Duration // endedAt is when the last byte of the answer came; 0 if unknown.
}

// exchange converts the call to the form of the recorder. The error wraps [errSkipped] if scenarios do not
// play such calls.
func (c *call) exchange() (*recording.Exchange, error) {
	c.method = strings.ToUpper(c.method) // Some recorders write it small.
	path, err := pathOf(c.method, c.url)
	if err != nil {
		return nil, err
	}
	if c.status == http.StatusSwitchingProtocols {
		return nil, fmt.Errorf("%s %s: %w", c.method, path, errSkipped)
	}
	if c.status < 100 || c.status > 599 {
		return nil, fmt.Errorf("%d is no HTTP status of an answer", c.status)
	}
	header, body, err := plain(c.header, c.body)
	if err != nil {
		return nil, fmt.Errorf("the request's body: %w", err)
	}
	answerHeader, answer, err := plain(c.answerHeader, c.answer)
	if err != nil {
		return nil, fmt.Errorf("the answer's body: %w", err)
	}
	x := &recording.Exchange{
		Method: c.method, Path: path, Header: header, Body: body,
		Status: c.status, AnswerHeader: answerHeader, HeaderAt: c.headerAt,
		Pieces: []recording.Piece{{At: c.headerAt, Data: answer}},
	}
	if !x.IsStream() {
		x.Pieces[0].At = max(c.headerAt, c.endedAt)
	}
	if x.AnswerHeader.Get("Content-Type") == "" {
		x.AnswerHeader.Set("Content-Type", "application/json")
		if x.IsStream() {
			x.AnswerHeader.Set("Content-Type", "text/event-stream; charset=utf-8")
		}
	}
	return x, nil
}

// plain undoes the content codings of a body. The header gets canonical names. The fields about
// the codings and the length of the body are left out, and the pseudo-header fields of HTTP/2.
func plain(h http.Header, body []byte) (http.Header, []byte, error) {
	list := http.Header{}
	for name, values := range h {
		if name != "" && !strings.HasPrefix(name, ":") {
			name = http.CanonicalHeaderKey(name)
			list[name] = append(list[name], values...)
		}
	}
	body, err := decoded(list.Get("Content-Encoding"), body)
	for _, name := range []string{"Content-Encoding", "Content-Length", "Transfer-Encoding"} {
		list.Del(name)
	}
	return list, body, err
}

// pathOf returns the path on a fake for a recorded URL, without the prefixes that
// gateways put before it: all before /v1/, if that is there.
func pathOf(method, raw string) (string, error) {
	u, err := url.Parse(raw)
	if err != nil {
		return "", fmt.Errorf("the URL cannot be read: %w", err)
	}
	path := u.EscapedPath()
	surface, known := apiOf(path)
	switch i := strings.Index(path, "/v1/"); {
	case strings.HasPrefix(path, "/openai/deployments/"), path == "/api/embeddings": // The latter is Ollama's own API.
	case known && method == http.MethodPost:
		path = server.SurfaceNamed(surface).Path
	case i >= 0:
		path = path[i:]
	case path == "":
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return path, nil
}

// apiOf is the name of the API of a path: behind the prefix of a gateway, but not of something else below /v1/,
// such as /v1/prompts/ID/completions.
func apiOf(path string) (surface string, ok bool) {
	path, _, _ = strings.Cut(path, "?")
	surface, ok = recording.SurfaceOf(path)
	if !ok {
		return "", false
	}
	below := strings.TrimPrefix(server.SurfaceNamed(surface).Path, "/v1")
	prefix := strings.TrimSuffix(path, below)
	at := strings.LastIndex(prefix+"/", "/v1/")
	isBelow := at >= 0 && at+len("/v1") < len(prefix)
	gateway := prefix[strings.LastIndexByte(prefix, '/')+1:] // as in /v1/ACCOUNT/GATEWAY/openai/responses
	return surface, !isBelow || strings.Count(below, "/") > 1 || strings.HasPrefix(gateway, "open") || gateway == "compat"
}

// decoded undoes the content encodings of a body. A body that is text is returned as it
// is, because many recorders keep the header but store the decoded text.
func decoded(encodings string, body []byte) ([]byte, error) {
	if isText(body) {
		return body, nil
	}
	r, err := Codings.Reader(encodings, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	body, err = io.ReadAll(io.LimitReader(r, maxBody+1))
	if err != nil {
		return nil, fmt.Errorf("it cannot be unpacked: %w", err)
	}
	if len(body) > maxBody {
		return nil, errors.New("unpacked it is larger than 64 MiB, which is the limit")
	}
	return body, nil
}

// isText reports whether bytes are text and so cannot be compressed.
func isText(body []byte) bool {
	return utf8.Valid(body) && !bytes.ContainsFunc(body, func(r rune) bool { return r < ' ' && r != '\n' && r != '\r' && r != '\t' })
}

// unzipped returns the content of a file, decompressed if it is a gzip file.
func unzipped(data []byte) ([]byte, error) {
	if !bytes.HasPrefix(data, []byte("\x1f\x8b")) {
		return data, nil
	}
	return decoded("gzip", data)
}

// unbase64 decodes base64 that may be broken into lines.
func unbase64(text string) ([]byte, error) {
	body, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(text, " ", "")) // line ends are ignored
	if err != nil {
		return nil, fmt.Errorf("it is marked as base64, and is not: %w", err)
	}
	return body, nil
}
