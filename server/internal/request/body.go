package request

import (
	"bytes"
	"errors"
	"io"
	"slices"
)

// readAhead bounds how much memory a request gets on the word of its own
// Content-Length.
const readAhead = 1 << 20

// ReadAll reads a body that is said to have so many bytes, fewer or more; -1 is that
// nothing is said. What it returns has not much unused room behind it, for the journal
// keeps it.
func ReadAll(from io.Reader, length int64) ([]byte, error) {
	if length < 0 {
		length = bytes.MinRead
	}
	body := make([]byte, 0, min(length, readAhead)+1) // one more, to see the end
	for {
		n, err := from.Read(body[len(body):cap(body)])
		body = body[:len(body)+n]
		if errors.Is(err, io.EOF) {
			return exactly(body), nil
		}
		if err != nil {
			return nil, err
		}
		if len(body) == cap(body) {
			body = slices.Grow(body, len(body))
		}
	}
}

func exactly(body []byte) []byte {
	if cap(body)-len(body) > len(body)/8+bytes.MinRead {
		return bytes.Clone(body)
	}
	return body
}
