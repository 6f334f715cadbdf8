package ojson

import (
	"errors"
	"unicode/utf8"
)

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

// escapedRune is the code of the \uXXXX escape at the start of text; -1 if there is none.
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
