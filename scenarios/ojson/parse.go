package ojson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxDepth bounds nesting, so that hostile input cannot exhaust the stack.
const maxDepth = 1000

// Parse parses one JSON text. Numbers keep their spelling, and objects the order of their
// members, with all members of the same name. Bytes that are not UTF-8, and halves of
// surrogate pairs, become U+FFFD as in encoding/json. The error says at which byte the
// text is not JSON, continues after its value, or nests deeper than 1000 levels.
func Parse(data []byte) (Value, error) {
	s := scanners.Get().(*scanner)
	defer s.release()
	if !s.scan(data) {
		return Value{}, mistake(data)
	}
	return s.build(), nil
}

// mistake returns what is wrong with a text that the scanner refused.
func mistake(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	err := nextValue(dec)
	if err == nil {
		err = errors.New("text after the JSON value")
	}
	return fmt.Errorf("at byte %d: %w", dec.InputOffset(), err)
}

// nextValue reads the tokens of the next value.
func nextValue(dec *json.Decoder) error {
	for depth := 0; ; {
		switch token, err := dec.Token(); {
		case errors.Is(err, io.EOF):
			return io.ErrUnexpectedEOF
		case err != nil:
			return err
		case token == json.Delim('{') || token == json.Delim('['):
			depth++
		case token == json.Delim('}') || token == json.Delim(']'):
			depth--
		}
		if depth == 0 {
			return nil
		}
		if depth > maxDepth && dec.More() {
			return fmt.Errorf("nested deeper than %d", maxDepth)
		}
	}
}
