package ojson

import (
	"strings"
	"unicode/utf8"
)

// A Style is a format of JSON text. The zero Style is compact, with as few escapes as
// JSON allows, as api.openai.com writes the chunks of a stream.
type Style struct {
	Indent string // Indent is one level of indentation; "" writes a single line.
	Spaces bool   // Spaces writes ", " and ": " in a single line, as Python's json.dumps does.
	ASCII  bool   // ASCII writes non-ASCII as \uXXXX, as Python's json.dumps does.
	HTML   bool   // HTML writes <, >, &, U+2028 and U+2029 as \uXXXX, as Go's encoding/json does.
	// Multiline writes even empty arrays and objects on two lines. It has an effect only
	// with Indent.
	Multiline bool
}

// Append appends v in compact form to dst.
func (v Value) Append(dst []byte) []byte { return Style{}.Append(dst, v) }

// Append appends v in this style to dst. An absent value appends nothing.
func (s Style) Append(dst []byte, v Value) []byte { return s.append(dst, v, 0) }

func (s Style) append(dst []byte, v Value, depth int) []byte {
	switch v.kind {
	case NullKind:
		return append(dst, "null"...)
	case BoolKind, NumberKind, RawKind:
		return append(dst, v.text...)
	case StringKind:
		return s.AppendString(dst, v.text)
	case ArrayKind:
		return s.appendList(dst, '[', ']', len(v.Items()), depth, func(dst []byte, i int) []byte {
			return s.append(dst, v.list.items[i], depth+1)
		})
	case ObjectKind:
		return s.appendList(dst, '{', '}', len(v.Members()), depth, func(dst []byte, i int) []byte {
			dst = s.AppendString(dst, v.list.members[i].Name)
			dst = append(dst, ':')
			if s.Spaces || s.Indent != "" {
				dst = append(dst, ' ')
			}
			return s.append(dst, v.list.members[i].Value, depth+1)
		})
	}
	return dst
}

func (s Style) appendList(dst []byte, open, end byte, n, depth int, item func([]byte, int) []byte) []byte {
	dst = append(dst, open)
	for i := range n {
		if i > 0 {
			dst = append(dst, ',')
			if s.Spaces && s.Indent == "" {
				dst = append(dst, ' ')
			}
		}
		dst = s.newline(dst, depth+1)
		dst = item(dst, i)
	}
	if n > 0 || s.Multiline {
		dst = s.newline(dst, depth)
	}
	return append(dst, end)
}

func (s Style) newline(dst []byte, depth int) []byte {
	if s.Indent == "" {
		return dst
	}
	dst = append(dst, '\n')
	for range depth {
		dst = append(dst, s.Indent...)
	}
	return dst
}

// AppendString appends text to dst as a JSON string. It escapes the quote, the backslash,
// control characters, and lone surrogates, which have no other spelling. Other bytes
// that are not UTF-8 are written unchanged.
func AppendString(dst []byte, text string) []byte { return Style{}.AppendString(dst, text) }

const hex = "0123456789abcdef"

// AppendString appends text to dst as a JSON string in this style: see [AppendString].
func (s Style) AppendString(dst []byte, text string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[i:])
			surrogate := rune(0)
			if r == utf8.RuneError && size == 1 {
				surrogate = surrogateIn(text[i:])
			}
			if surrogate != 0 {
				r, size = surrogate, surrogateLen
			}
			if surrogate != 0 || s.ASCII && (r != utf8.RuneError || size > 1) || s.HTML && (r == '\u2028' || r == '\u2029') {
				dst = appendUnicode(append(dst, text[start:i]...), r)
				start = i + size
			}
			i += size
			continue
		}
		if c >= ' ' && c != '"' && c != '\\' && !(s.HTML && (c == '<' || c == '>' || c == '&')) {
			i++
			continue
		}
		dst = append(dst, text[start:i]...)
		if k := strings.IndexByte("\"\\\b\f\n\r\t", c); k >= 0 {
			dst = append(dst, '\\', `"\bfnrt`[k])
		} else {
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
		i++
		start = i
	}
	return append(append(dst, text[start:]...), '"')
}

// appendUnicode appends r as one \uXXXX escape, or as two for a character beyond the
// basic multilingual plane.
func appendUnicode(dst []byte, r rune) []byte {
	if r > 0xffff {
		r -= 0x10000
		dst = appendUnicode(dst, 0xd800+r>>10)
		r = 0xdc00 + r&0x3ff
	}
	return append(dst, '\\', 'u', hex[r>>12&15], hex[r>>8&15], hex[r>>4&15], hex[r&15])
}
