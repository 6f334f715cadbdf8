package ojson

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// maxDepth bounds nesting, so that hostile input cannot exhaust the stack.
const maxDepth = 1000

// Parse parses one JSON text. Numbers keep their spelling, and objects the order of their
// members, with all members of the same name. Bytes that are not UTF-8, and halves of
// surrogate pairs, become U+FFFD as in encoding/json. The error says at which byte the
// text is not JSON, continues after its value, or nests deeper than 1000 levels.
func Parse(data []byte) (Value, error) { return parseWith(data, false) }

// ParseHalves is [Parse] for a text that is read in pieces: it keeps halves of surrogate pairs as [Unquote]
// does.
func ParseHalves(data []byte) (Value, error) { return parseWith(data, true) }

func parseWith(data []byte, halves bool) (Value, error) {
	s := scanners.Get().(*scanner)
	defer s.release()
	s.text, s.halves = data, halves
	valid := s.value(0)
	s.space()
	if !valid || s.at < len(data) {
		return Value{}, mistake(data)
	}
	b := builder{scanner: s, items: make([]Value, s.items), members: make([]Member, s.members), lists: make([]list, s.lists)}
	b.texts.Grow(s.length)
	return b.value(), nil
}

// mistake returns the error of a text that the scanner refused.
func mistake(data []byte) error {
	dec := json.NewDecoder(bytes.NewReader(data))
	err := nextValue(dec)
	if err == nil {
		err = errors.New("text after the JSON value")
	}
	return fmt.Errorf("at byte %d: %w", dec.InputOffset(), err)
}

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

// A builder makes values from the notes of a scanner. It allocates one slice for all
// items, one for all members, one for all lists and one string for all texts, so that
// values take little memory and the garbage collector has little to scan. Each value
// keeps all of them alive: see [Value.Detached].
type builder struct {
	*scanner
	next    int // next is the position of the next note.
	items   []Value
	members []Member
	lists   []list
	texts   strings.Builder
}

// value makes the value of the next note, with those in it.
func (b *builder) value() Value {
	n := &b.notes[b.next]
	switch n.kind {
	case ArrayKind, ObjectKind:
		b.next++
		v := Value{kind: n.kind}
		if n.n == 0 {
			return v
		}
		v.list = &take(&b.lists, 1)[0]
		if n.kind == ArrayKind {
			v.list.items = take(&b.items, n.n)
		} else {
			v.list.members = take(&b.members, n.n)
		}
		for i := range v.list.items {
			v.list.items[i] = b.value()
		}
		for i := range v.list.members {
			v.list.members[i] = Member{b.text(), b.value()}
		}
		return v
	case BoolKind:
		b.next++
		return Bool(b.scanner.text[n.from] == 't')
	}
	return Value{kind: n.kind, text: b.text()}
}

func take[T any](left *[]T, n int) []T {
	taken := (*left)[:n:n]
	*left = (*left)[n:]
	return taken
}

func (b *builder) text() string {
	n := &b.notes[b.next]
	b.next++
	if n.n == 0 {
		return ""
	}
	from := b.scanner.text
	if n.escaped {
		from = b.unescaped
	}
	start := b.texts.Len()
	b.texts.Write(from[n.from : n.from+n.n])
	return b.texts.String()[start:]
}

// A scanner goes over a text once and notes the values in it. A builder makes the values
// afterwards, when their number is known.
type scanner struct {
	text  []byte
	at    int
	notes []note // notes are the values in the order of the text.
	// unescaped has the texts of strings with escapes, one after the other.
	unescaped []byte
	halves    bool // halves keeps halves of surrogate pairs, as [Unquote] does.

	items, members, lists, length int // The builder needs these numbers of elements and bytes.
}

// A note describes one value. The note of an array is followed by those of its items,
// the note of an object by a string and a value for each member.
type note struct {
	kind    Kind
	escaped bool // escaped says that the text is in unescaped.
	from    int  // from is where the text begins, without quotes.
	n       int  // n is the length of the text, or the number of items or members.
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

// mostKept is the largest buffer, in bytes, that a scanner keeps for the next text.
const mostKept = 1 << 19

func (s *scanner) release() {
	kept := scanner{notes: s.notes[:0], unescaped: s.unescaped[:0]}
	if (cap(s.notes)*noteSize)+cap(s.unescaped) > mostKept {
		kept = scanner{}
	}
	*s = kept
	scanners.Put(s)
}

// peek is the next byte; 0, which is in no JSON text, at the end.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) space() byte {
	for {
		switch c := s.peek(); c {
		case ' ', '\t', '\n', '\r':
			s.at++
		default:
			return c
		}
	}
}

// value notes the next value and those in it, and reports whether it is JSON of at most
// maxDepth levels.
func (s *scanner) value(depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch s.space() {
	case '{':
		return s.list(ObjectKind, '}', depth)
	case '[':
		return s.list(ArrayKind, ']', depth)
	case '"':
		return s.str()
	case 't':
		return s.word("true", BoolKind)
	case 'f':
		return s.word("false", BoolKind)
	case 'n':
		return s.word("null", NullKind)
	}
	return s.number()
}

// list scans the items of an array or the members of an object.
func (s *scanner) list(kind Kind, end byte, depth int) bool {
	index := len(s.notes)
	s.notes = append(s.notes, note{kind: kind})
	s.at++ // Skip the bracket.
	if s.space() == end {
		s.at++
		return true
	}
	for n := 1; (kind == ArrayKind || s.name()) && s.value(depth+1); n++ {
		c := s.space()
		s.at++
		if c == ',' {
			continue
		}
		s.notes[index].n = n
		s.lists++
		if kind == ArrayKind {
			s.items += n
		} else {
			s.members += n
		}
		return c == end
	}
	return false
}

func (s *scanner) name() bool {
	if s.space() != '"' || !s.str() || s.space() != ':' {
		return false
	}
	s.at++
	return true
}

func (s *scanner) word(word string, kind Kind) bool {
	end := s.at + len(word)
	if end > len(s.text) || string(s.text[s.at:end]) != word {
		return false
	}
	s.notes = append(s.notes, note{kind: kind, from: s.at})
	s.at = end
	return true
}

func (s *scanner) number() bool {
	start := s.at
	for strings.IndexByte("+-.0123456789Ee", s.peek()) >= 0 {
		s.at++
	}
	s.add(NumberKind, start, s.at)
	return json.Valid(s.text[start:s.at])
}

// add notes a value whose text is a part of the JSON text.
func (s *scanner) add(kind Kind, from, to int) {
	s.notes = append(s.notes, note{kind: kind, from: from, n: to - from})
	s.length += to - from
}

// endsRun are the bytes that end a run of plain text in a string: the quote, the
// backslash, and control characters, which are errors.
var endsRun = func() (ends [256]bool) {
	for c := range ' ' {
		ends[c] = true
	}
	ends['"'], ends['\\'] = true, true
	return ends
}()

// run is the length of the plain text at the start of text; ascii says that it is ASCII.
func run(text []byte) (n int, ascii bool) {
	var all byte
	for n < len(text) && !endsRun[text[n]] {
		all |= text[n]
		n++
	}
	return n, all < utf8.RuneSelf
}

func (s *scanner) str() bool {
	start := s.at + len(`"`)
	n, ascii := run(s.text[start:])
	end := start + n
	if end < len(s.text) && s.text[end] == '"' && (ascii || utf8.Valid(s.text[start:end])) {
		s.add(StringKind, start, end)
		s.at = end + len(`"`)
		return true
	}
	return s.escapedStr(start)
}

// escapedStr scans the text of a string, which begins at start, and unescapes it.
func (s *scanner) escapedStr(start int) bool {
	from := len(s.unescaped)
	for s.at = start; ; {
		n, ascii := run(s.text[s.at:])
		s.addRun(s.text[s.at:s.at+n], ascii)
		s.at += n
		switch s.peek() {
		case '"':
			s.at++
			n := len(s.unescaped) - from
			s.notes = append(s.notes, note{kind: StringKind, escaped: true, from: from, n: n})
			s.length += n
			return true
		case '\\':
			if !s.escape() {
				return false
			}
		default:
			return false
		}
	}
}

// addRun adds plain text to unescaped. Like encoding/json it replaces each byte that is
// not UTF-8 by U+FFFD.
func (s *scanner) addRun(text []byte, ascii bool) {
	if ascii || utf8.Valid(text) {
		s.unescaped = append(s.unescaped, text...)
		return
	}
	for _, r := range string(text) {
		s.unescaped = utf8.AppendRune(s.unescaped, r)
	}
}

func (s *scanner) escape() bool {
	rest := s.text[s.at:]
	if len(rest) < 2 {
		return false
	}
	if c := unescaped[rest[1]]; c != 0 {
		s.unescaped = append(s.unescaped, c)
		s.at += 2
		return true
	}
	r := escapedRune(rest)
	if r < 0 {
		return false
	}
	s.at += escapeLen
	if utf16.IsSurrogate(r) {
		half := r
		if r = utf16.DecodeRune(half, escapedRune(rest[escapeLen:])); r != utf8.RuneError {
			s.at += escapeLen
		} else if s.halves {
			s.unescaped = append(s.unescaped, 0xed, 0x80|byte(half>>6&0x3f), 0x80|byte(half&0x3f))
			return true
		}
	}
	s.unescaped = utf8.AppendRune(s.unescaped, r)
	return true
}

// A JSON string can contain half of a surrogate pair, such as \ud83d, which UTF-8 cannot
// encode. A Go string holds it as the three bytes that the rules of UTF-8 would give
// (WTF-8), and it is written as an escape again.

// surrogateLen is the length of such a half in bytes.
const surrogateLen = 3

// surrogateIn is the half of a surrogate pair at the start of text; 0 if there is none.
func surrogateIn(text string) rune {
	if len(text) < surrogateLen || text[0] != 0xed || text[1] < 0xa0 || text[1] > 0xbf || text[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(text[1]&0x3f)<<6 | rune(text[2]&0x3f)
}

// HasSurrogate reports whether text contains halves of surrogate pairs (see [Unquote]) and
// is valid UTF-8 otherwise.
func HasSurrogate(text string) bool {
	found := false
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		if r == utf8.RuneError && size == 1 {
			if surrogateIn(text[i:]) == 0 {
				return false
			}
			found, size = true, surrogateLen
		}
		i += size
	}
	return found
}

var errNoString = errors.New("this is no JSON string")

// Unquote is the text of a JSON string, given with its quotes. Unlike encoding/json, which
// replaces half of a surrogate pair by U+FFFD, it keeps the half, and [Value.Append]
// writes the same escape again.
func Unquote(quoted string) (string, error) {
	s := scanner{text: []byte(quoted), halves: true}
	if s.peek() != '"' || !s.str() || s.at != len(quoted) {
		return "", errNoString
	}
	b := builder{scanner: &s}
	return b.text(), nil
}

// unescaped are the characters of the short escapes by the letter after the backslash; 0
// if there is no such escape.
var unescaped = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// escapeLen is the length of an escape such as \u00e9.
const escapeLen = 6

// escapedRune is the code of the JSON escape of four digits at the start of text; -1 if there is none.
func escapedRune(text []byte) rune {
	if len(text) < escapeLen || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	r := rune(0)
	for i := 2; i < escapeLen; i++ {
		c := text[i]
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return -1
		}
		r = r<<4 | rune(c)
	}
	return r
}
