package request

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// readAhead limits how much memory is allocated because of a request's Content-Length
// alone.
const readAhead = 1 << 20

// ReadAll reads a body whose Content-Length is length, which may be wrong; -1 is
// unknown. The result has little unused capacity, because the journal keeps it.
func ReadAll(from io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		length = bytes.MinRead
	}
	body := make([]byte, 0, min(length, readAhead)+1) // one byte more, to see the end
	for {
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		switch {
		case errors.Is(err, io.EOF) && cap(body)-len(body) > len(body)/8+bytes.MinRead:
			return bytes.Clone(body), nil
		case errors.Is(err, io.EOF):
			return body, nil
		case err != nil:
			return nil, err
		}
		if len(body) == cap(body) {
			body = slices.Grow(body, len(body))
		}
	}
}
