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
	"slices"
	"strings"
	"time"
)

// unpack decodes the content codings of both bodies. Decoded bytes of the answer get the
// time of the encoded bytes; a body that breaks off is decoded as far as possible. More
// than limit decoded bytes are too long.
func (x *Exchange) unpack(with Codings, limit int64) {
	asked, tooLong, err := unpacked(with, x.Header.Get("Content-Encoding"), []Piece{{Data: x.Body}}, limit)
	if err == nil {
		x.Header.Del("Content-Encoding")
		x.Body = (&Exchange{Pieces: asked}).bodyBytes()
	}
	answered, tooLongAnswer, answerErr := unpacked(with, x.AnswerHeader.Get("Content-Encoding"), x.Pieces, limit)
	if answerErr == nil {
		x.AnswerHeader.Del("Content-Encoding")
		x.Pieces = answered
	}
	x.Packed = cmp.Or(err, answerErr)
	if tooLong || tooLongAnswer {
		x.TooLong, x.Pieces = true, nil
	}
}

// unpacked are the decoded pieces of a body.
func unpacked(with Codings, encodings string, packed []Piece, limit int64) (pieces []Piece, tooLong bool, err error) {
	if encodings == "" || len((&Exchange{Pieces: packed}).bodyBytes()) == 0 {
		return packed, false, nil
	}
	from := &stamped{left: slices.Clone(packed)}
	r, err := with.Reader(encodings, from)
	if err != nil {
		return nil, false, err
	}
	for buf := make([]byte, 32<<10); ; {
		n, err := r.Read(buf)
		if limit -= int64(n); limit < 0 {
			return nil, true, nil
		}
		if n > 0 {
			pieces = append(pieces, Piece{At: from.at, Data: bytes.Clone(buf[:n])})
		}
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			return pieces, false, nil
		case err != nil:
			return nil, false, err
		}
	}
}

// stamped reads pieces. Its field at is when the bytes that it read last came.
type stamped struct {
	left []Piece
	at   time.Duration
}

func (s *stamped) Read(p []byte) (int, error) {
	for len(s.left) > 0 && len(s.left[0].Data) == 0 {
		s.left = s.left[1:]
	}
	if len(s.left) == 0 {
		return 0, io.EOF
	}
	first := &s.left[0]
	n := copy(p, first.Data)
	s.at, first.Data = first.At, first.Data[n:]
	return n, nil
}

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
