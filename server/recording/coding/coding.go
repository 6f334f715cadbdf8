// Package coding decodes the content codings of HTTP bodies (RFC 9110, section 8.4.1).
package coding

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

// Codings are decoders of content codings, by the names of the codings in lower case, in
// addition to those of [Standard]. A decoder must return the bytes that it has decoded
// before it reads more.
type Codings map[string]func(io.Reader) (io.Reader, error)

// Standard are the codings that Go's standard library decodes.
var Standard = Codings{
	"gzip":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"x-gzip":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"deflate": inflate,
}

// UnknownError is the name of a content coding without a decoder.
type UnknownError string

// Error returns a message that says what the user can do.
func (e UnknownError) Error() string {
	return fmt.Sprintf("it is encoded as %q, which is not read; record again with Accept-Encoding: identity, or decode it before", string(e))
}

// Reader returns a reader of the decoded body. Encodings is the value of the field
// Content-Encoding: the names of the codings in the order in which they were applied. The
// error is an [UnknownError], or says that the body is not encoded as named.
func (c Codings) Reader(encodings string, body io.Reader) (io.Reader, error) {
	list := strings.Split(strings.ToLower(encodings), ",")
	for _, name := range slices.Backward(list) {
		name = strings.TrimSpace(name)
		if name == "" || name == "identity" {
			continue
		}
		undo := c[name]
		if undo == nil {
			undo = Standard[name]
		}
		if undo == nil {
			return nil, UnknownError(name)
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
