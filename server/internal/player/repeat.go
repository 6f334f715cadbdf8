package player

import (
	"bytes"
	"unicode/utf8"
)

// Repeat is bytes that are written again and again. However many they are, it
// holds no more than about a block of them.
type Repeat struct {
	unit, tail []byte
	units      int64 // units is how often the unit is written, before the tail.
	// unitBlock is as many units as fill a block, so that they need not be
	// written one by one.
	unitBlock []byte
	runes     int // runes is the length of all of it in characters.
}

// NewRepeat is count times the unit, and then the tail.
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

// each visits the bytes in pieces until one is refused.
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

// appendInBlocks is [Template.Append] for templates that are too large for it:
// whenever dst has grown to a block, it is written and begun anew. The bytes that
// it returns are not written yet.
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

// add adds p, and reports whether more can be added. It writes only when there
// is something left that comes after.
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
