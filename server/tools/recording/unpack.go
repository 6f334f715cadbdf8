package recording

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// unpack decodes the content codings of both bodies. The decoded answer gets the time of its last
// encoded bytes; a body that breaks off is decoded as far as possible. More than limit decoded bytes are too long.
func (x *Exchange) unpack(with Codings, limit int64) {
	asked, tooLong, err := unpacked(with, x.Header, x.Body, limit)
	x.Body = asked
	body := x.bodyBytes()
	answer, tooLongAnswer, answerErr := unpacked(with, x.AnswerHeader, body, limit)
	if !bytes.Equal(answer, body) {
		x.Pieces = []Piece{{At: x.cameAt(len(body) - 1), Data: answer}}
	}
	x.Packed = cmp.Or(err, answerErr)
	if tooLong || tooLongAnswer {
		x.TooLong, x.Pieces = true, nil
	}
}

// unpacked is a decoded body, or as it is with an error. The header then names no coding.
func unpacked(with Codings, header http.Header, packed []byte, limit int64) (body []byte, tooLong bool, err error) {
	encodings := header.Get("Content-Encoding")
	if encodings == "" || len(packed) == 0 {
		header.Del("Content-Encoding")
		return packed, false, nil
	}
	r, err := with.Reader(encodings, bytes.NewReader(packed))
	if err != nil {
		return packed, false, err
	}
	body, err = io.ReadAll(io.LimitReader(r, limit+1))
	switch {
	case int64(len(body)) > limit:
		return nil, true, nil
	case err != nil && !errors.Is(err, io.ErrUnexpectedEOF):
		return packed, false, err
	}
	header.Del("Content-Encoding")
	return body, false, nil
}

// Codings are decoders of content codings (RFC 9110, section 8.4.1), by the names of the
// codings in lower case, in addition to those of Go's standard library.
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
			return nil, fmt.Errorf("it is marked as encoded as %q, and is not: %w", name, err)
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
