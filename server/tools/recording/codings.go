package recording

import (
	"bufio"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Codings are decoders of content codings (RFC 9110, section 8.4.1), by the names of the
// codings in lower case, in addition to those of Go's standard library. A decoder must
// return the bytes that it has decoded before it reads more.
type Codings map[string]func(io.Reader) (io.Reader, error)

// standardCodings are those of Go's standard library.
var standardCodings = Codings{
	"gzip":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"x-gzip":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"deflate": inflate,
}

// maxCodings is how many codings a body can have. Each takes memory, and no server uses more than
// two.
const maxCodings = 8

// Reader returns a reader of the decoded body. Encodings is the value of the field
// Content-Encoding: the names of the codings in the order in which they were applied. The
// error says that one of them is unknown, or that the body is not encoded as named.
func (c Codings) Reader(encodings string, body io.Reader) (io.Reader, error) {
	list := strings.SplitN(strings.ToLower(encodings), ",", maxCodings+1)
	if len(list) > maxCodings {
		return nil, fmt.Errorf("it is encoded more than %d times, and is not read", maxCodings)
	}
	for _, name := range slices.Backward(list) {
		name = strings.TrimSpace(name)
		if name == "" || name == "identity" {
			continue
		}
		undo := c[name]
		if undo == nil {
			undo = standardCodings[name]
		}
		if undo == nil {
			return nil, fmt.Errorf("it is encoded as %q, which is not read; record again with Accept-Encoding: identity, or decode it before", name)
		}
		var err error
		if body, err = undo(body); err != nil {
			return nil, fmt.Errorf("it is said to be encoded as %q, and is not: %w", name, err)
		}
	}
	return body, nil
}

// inflate decodes deflate, which servers send with and without the header of zlib.
func inflate(r io.Reader) (io.Reader, error) {
	body := bufio.NewReader(r)
	if head, err := body.Peek(2); err == nil && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(body)
	}
	return flate.NewReader(body), nil
}
