// Package coding undoes the content codings of HTTP bodies (RFC 9110, section 8.4.1).
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

// Codings are ways to undo content codings, by their names in lower case. A reader
// gives what it can before it reads on. Nil has those of [Standard] alone.
type Codings map[string]func(io.Reader) (io.Reader, error)

// Standard are the codings of Go's own library.
var Standard = Codings{
	"gzip":    func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"x-gzip":  func(r io.Reader) (io.Reader, error) { return gzip.NewReader(r) },
	"deflate": inflate,
}

// UnknownError is a coding that cannot be undone.
type UnknownError string

// Error says what to do about it.
func (e UnknownError) Error() string {
	return fmt.Sprintf("it is encoded as %q, which is not read; record again with Accept-Encoding: identity, or decode it before", string(e))
}

// Reader reads a body in plain. Encodings is the Content-Encoding that it has: the
// names of codings in the order in which they were applied. The error is an
// [UnknownError] or is about the body.
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

// inflate undoes deflate, which servers send with zlib's header and without.
func inflate(r io.Reader) (io.Reader, error) {
	body := bufio.NewReader(r)
	if head, err := body.Peek(2); err == nil && head[0]&0x0f == 8 && (int(head[0])<<8|int(head[1]))%31 == 0 {
		return zlib.NewReader(body)
	}
	return flate.NewReader(body), nil
}
