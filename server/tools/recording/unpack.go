package recording

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"slices"
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
