package hole

import (
	"strings"
	"unicode/utf8"
)

// Repeat is a text that is too large to be in memory, possibly many times: Unit
// repeated up to Bytes bytes, without an incomplete character at the end.
type Repeat struct {
	Unit  string
	Bytes int64
}

// Parts returns how often the whole unit is written, and the part of it that follows.
func (r Repeat) Parts() (count int64, tail string) {
	unit := int64(len(r.Unit))
	n := r.Bytes % unit
	for n > 0 && !utf8.RuneStart(r.Unit[n]) {
		n--
	}
	return r.Bytes / unit, r.Unit[:n]
}

// Len is the length of the whole text in bytes.
func (r Repeat) Len() int64 {
	count, tail := r.Parts()
	return count*int64(len(r.Unit)) + int64(len(tail))
}

// Text is the whole text.
func (r Repeat) Text() string {
	count, tail := r.Parts()
	var b strings.Builder
	b.Grow(int(r.Len()))
	for range count {
		b.WriteString(r.Unit)
	}
	b.WriteString(tail)
	return b.String()
}
