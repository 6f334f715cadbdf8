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
	v, _, err := ParseText(data)
	return v, err
}

// ParseText is [Parse]; clean is false if something in a string was replaced by U+FFFD.
func ParseText(data []byte) (v Value, clean bool, err error) {
	s := scanners.Get().(*scanner)
	defer s.release()
	if s.scan(data) {
		return s.build(), !s.garbled, nil
	}
	v, err = parseSlowly(data)
	return v, err == nil, err
}

// parseSlowly parses a text that the scanner refused, to find the position of the error.
func parseSlowly(data []byte) (Value, error) {
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	v, err := parseValue(dec, 0)
	if err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return Value{}, fmt.Errorf("at byte %d: %w", dec.InputOffset(), err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return Value{}, fmt.Errorf("at byte %d: text after the JSON value", dec.InputOffset())
	}
	return v, nil
}

func parseValue(dec *json.Decoder, depth int) (Value, error) {
	if depth > maxDepth {
		return Value{}, fmt.Errorf("nested deeper than %d", maxDepth)
	}
	tok, err := dec.Token()
	if err != nil {
		return Value{}, err
	}
	switch t := tok.(type) {
	case nil:
		return Null(), nil
	case bool:
		return Bool(t), nil
	case json.Number:
		return Number(t.String()), nil
	case string:
		return String(t), nil
	case json.Delim:
		if t == '[' {
			return parseArray(dec, depth)
		}
		return parseObject(dec, depth)
	}
	return Value{}, fmt.Errorf("unexpected token %v", tok)
}

func parseArray(dec *json.Decoder, depth int) (Value, error) {
	var items []Value
	for dec.More() {
		item, err := parseValue(dec, depth+1)
		if err != nil {
			return Value{}, err
		}
		items = append(items, item)
	}
	_, err := dec.Token()
	return Array(items...), err
}

func parseObject(dec *json.Decoder, depth int) (Value, error) {
	v := Object()
	var members []Member
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return Value{}, err
		}
		member, err := parseValue(dec, depth+1)
		if err != nil {
			return Value{}, err
		}
		members = append(members, Member{name.(string), member})
	}
	_, err := dec.Token()
	v.setMembers(members)
	return v, err
}
