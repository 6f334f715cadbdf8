package player

import (
	"bytes"
	"unicode/utf8"
)

// Repeat is a unit of bytes that is written many times. It holds at most about a block of
// bytes, however many are written.
type Repeat struct {
	unit, tail []byte
	units      int64 // units is how often the unit is written, before the tail.
	// unitBlock has as many units as fill a block, so that they are not written one by
	// one.
	unitBlock []byte
	runes     int // runes is the length of all that is written, in characters.
}

// NewRepeat makes a Repeat of the unit, count times, and then the tail.
func NewRepeat(unit []byte, count int64, tail []byte) *Repeat {
	r := &Repeat{unit: unit, tail: tail, units: count}
	r.unitBlock = bytes.Repeat(unit, max(1, int(min(count, int64(blockSize/len(unit))))))
	r.runes = utf8.RuneCount(unit)*int(count) + utf8.RuneCount(tail)
	return r
}

func (r *Repeat) size() int { return len(r.unit)*int(r.units) + len(r.tail) }

func (r *Repeat) append(dst []byte) []byte {
	r.each(func(p []byte) bool {
		dst = append(dst, p...)
		return true
	})
	return dst
}

// each calls visit with one part of the bytes after the other, until visit returns false.
func (r *Repeat) each(visit func([]byte) bool) {
	for left := r.size() - len(r.tail); left > 0; {
		n := min(left, len(r.unitBlock))
		if !visit(r.unitBlock[:n]) {
			return
		}
		left -= n
	}
	visit(r.tail)
}

// appendInBlocks is [Template.Append] for a template that is larger than a block. Whenever
// dst has grown to a block, it is written and emptied. The bytes that it returns are not
// written yet.
func (t *Template) appendInBlocks(dst []byte, v *Values, write func([]byte) error) ([]byte, error) {
	s := blockWriter{dst: dst, write: write}
	if t.head != nil {
		s.dst = append(s.dst, v.headOf(t.head)...)
	}
	from := 0
	for _, b := range t.holes {
		s.add(t.data[from:b.at])
		if b.repeat != nil {
			b.repeat.each(s.add)
		} else {
			s.dst = t.appendHole(s.dst, b.id, v)
		}
		from = b.at
	}
	s.add(t.data[from:])
	return s.dst, s.err
}

// blockWriter is the state of [Template.appendInBlocks].
type blockWriter struct {
	dst   []byte
	write func([]byte) error
	err   error // err is that of the first write that failed; nothing is added after it.
}

// add appends p, and reports whether more can be added. A full block is written when there
// is more to append, so that the last bytes stay for the caller.
func (s *blockWriter) add(p []byte) bool {
	for len(p) > 0 && s.err == nil {
		if len(s.dst) >= blockSize {
			s.err = s.write(s.dst)
			s.dst = s.dst[:0]
		}
		n := min(len(p), max(0, blockSize-len(s.dst)))
		s.dst = append(s.dst, p[:n]...)
		p = p[n:]
	}
	return s.err == nil
}
