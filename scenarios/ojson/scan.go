package ojson

import (
	"sync"
	"unicode/utf16"
	"unicode/utf8"
)

// A scanner goes over a text once, and notes which values it holds. Only then are the
// values made, when it is known how many there are: see builder.
type scanner struct {
	text  []byte
	at    int
	notes []note // notes are the values in the order of the text.
	// unescaped has the texts of strings that are spelled differently, one behind the
	// other.
	unescaped []byte
	garbled   bool // garbled says that a string holds what is no UTF-8, or half of a surrogate pair.

	items, members, lists, length int // They count what the values need.
}

// A note is one value. Behind that of an array are those of its items, behind that of
// an object a string and a value for each of its members.
type note struct {
	kind    Kind
	escaped bool // escaped says that its text is in unescaped.
	from    int  // from is where its text begins, without quotes.
	n       int  // n is the length of its text, or how many items or members it has.
}

var scanners = sync.Pool{New: func() any { return new(scanner) }}

// mostKept is up to how many bytes a scanner keeps for the next text.
const mostKept = 1 << 19

// release makes the scanner ready for another text.
func (s *scanner) release() {
	kept := scanner{notes: s.notes[:0], unescaped: s.unescaped[:0]}
	if (cap(s.notes)*noteSize)+cap(s.unescaped) > mostKept {
		kept = scanner{}
	}
	*s = kept
	scanners.Put(s)
}

// scan reports whether a text is JSON and nests no deeper than it may.
func (s *scanner) scan(text []byte) bool {
	s.text = text
	if !s.value(0) {
		return false
	}
	s.space()
	return s.at == len(text)
}

// peek is the next byte, 0 at the end. No JSON text holds a 0.
func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

// space goes on to what is no white space.
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

func (s *scanner) value(depth int) bool {
	if depth > maxDepth {
		return false
	}
	switch s.space() {
	case '{':
		return s.object(depth)
	case '[':
		return s.array(depth)
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

func (s *scanner) array(depth int) bool {
	index := len(s.notes)
	s.notes = append(s.notes, note{kind: ArrayKind})
	s.at++ // the bracket
	if s.space() == ']' {
		s.at++
		return true
	}
	for n := 1; s.value(depth + 1); n++ {
		c := s.space()
		s.at++
		switch c {
		case ',':
		case ']':
			s.notes[index].n = n
			s.items += n
			s.lists++
			return true
		default:
			return false
		}
	}
	return false
}

func (s *scanner) object(depth int) bool {
	index := len(s.notes)
	s.notes = append(s.notes, note{kind: ObjectKind})
	s.at++ // the brace
	if s.space() == '}' {
		s.at++
		return true
	}
	for n := 1; s.member(depth); n++ {
		c := s.space()
		s.at++
		switch c {
		case ',':
		case '}':
			s.notes[index].n = n
			s.members += n
			s.lists++
			return true
		default:
			return false
		}
	}
	return false
}

// member goes over a name and its value.
func (s *scanner) member(depth int) bool {
	if s.space() != '"' || !s.str() || s.space() != ':' {
		return false
	}
	s.at++
	return s.value(depth + 1)
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

// number goes over a number: an integer without leading zeros, then a fraction and an
// exponent if there are any.
func (s *scanner) number() bool {
	start := s.at
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if !s.digits() {
		return false
	}
	if s.peek() == '.' {
		s.at++
		if !s.digits() {
			return false
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		s.at++
		if c = s.peek(); c == '+' || c == '-' {
			s.at++
		}
		if !s.digits() {
			return false
		}
	}
	s.add(NumberKind, start, s.at)
	return true
}

// digits goes over digits, and reports whether there are any.
func (s *scanner) digits() bool {
	start := s.at
	for c := s.peek(); c >= '0' && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > start
}

// add notes a value whose text stands in the JSON text as it is.
func (s *scanner) add(kind Kind, from, to int) {
	s.notes = append(s.notes, note{kind: kind, from: from, n: to - from})
	s.length += to - from
}

// endsRun are the bytes that are not simply part of a string: its end, escapes, and
// the control characters, of which there must be none.
var endsRun = func() (ends [256]bool) {
	for c := range ' ' {
		ends[c] = true
	}
	ends['"'], ends['\\'] = true, true
	return ends
}()

// run is the length of the plain text with which a text begins, and ASCII whether that is
// ASCII.
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

// escapedStr goes over the text of a string, which begins at start, and spells it out.
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

// addRun spells a plain text out. Like encoding/json it puts U+FFFD for each byte that
// is no UTF-8.
func (s *scanner) addRun(text []byte, ascii bool) {
	if ascii || utf8.Valid(text) {
		s.unescaped = append(s.unescaped, text...)
		return
	}
	s.garbled = true
	for _, r := range string(text) {
		s.unescaped = utf8.AppendRune(s.unescaped, r)
	}
}

// escape spells an escape out.
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
		r = utf16.DecodeRune(r, escapedRune(rest[escapeLen:]))
		if r == utf8.RuneError { // which no pair of halves stands for
			s.garbled = true
		} else {
			s.at += escapeLen
		}
	}
	s.unescaped = utf8.AppendRune(s.unescaped, r)
	return true
}
