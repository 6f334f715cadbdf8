// Package textindex finds, among many conditions on texts, those that may hold for a
// given text, without trying each condition.
package textindex

import (
	"math/bits"
	"regexp"
	"slices"
)

// Condition is a condition on a text. Exactly one member is set.
type Condition struct {
	Equals   *string
	Contains *string
	Matches  *regexp.Regexp
}

// gramSize is the length of a gram in bytes.
const gramSize = 4

// Index maps grams, sequences of four bytes, to the conditions that hold only for texts
// which contain the gram. The zero Index has no conditions. The time of a search depends
// on the length of the text, not on the number of conditions.
//
// Grams ignore the case of ASCII letters, and a text with the gram need not satisfy the
// condition: the caller has to evaluate the conditions that are found.
type Index struct {
	starts     []int32     // starts is where the conditions of each slot begin, and the end of the last.
	conditions []condition // conditions are ordered by slot.
	bits       int         // bits is the number of bits of a slot number.
}

// condition is the gram and the position of a condition.
type condition struct {
	gram     uint32
	position int32
}

// A Builder collects the conditions of an index.
type Builder struct {
	entries []entry
	often   [1 << 16]int32 // often counts the conditions with a gram, by a hash of the gram.
}

type entry struct {
	grams    []uint32 // grams are all grams that the text must contain.
	position int
}

// Add adds a condition with its position. It reports false, and adds nothing, if the
// condition has no gram: if it asks for fewer than four bytes, or is a regular expression
// without a literal part. Positions must rise from call to call.
func (b *Builder) Add(c Condition, position int) bool {
	grams := gramsOf(c)
	for _, g := range grams {
		b.often[slot(g, 16)]++
	}
	if len(grams) > 0 {
		b.entries = append(b.entries, entry{grams, position})
	}
	return len(grams) > 0
}

// Index returns an index of the added conditions, each under its rarest gram.
func (b *Builder) Index() Index {
	if len(b.entries) == 0 {
		return Index{}
	}
	size := bits.Len(uint(4 * len(b.entries)))
	x := Index{starts: make([]int32, 1<<size+1), conditions: make([]condition, len(b.entries)), bits: size}
	rarest := make([]uint32, len(b.entries))
	for i, e := range b.entries {
		rarest[i] = slices.MinFunc(e.grams, func(g, h uint32) int { return int(b.often[slot(g, 16)] - b.often[slot(h, 16)]) })
		x.starts[slot(rarest[i], size)+1]++
	}
	for i := range 1 << size {
		x.starts[i+1] += x.starts[i]
	}
	next := slices.Clone(x.starts)
	for i, e := range b.entries {
		s := slot(rarest[i], size)
		x.conditions[next[s]] = condition{rarest[i], int32(e.position)}
		next[s]++
	}
	return x
}

// IsEmpty reports whether the index has no conditions.
func (x *Index) IsEmpty() bool { return len(x.conditions) == 0 }

// Find returns the positions of the conditions that may hold for a text, in rising order.
func (x *Index) Find(text string) []int {
	if x.IsEmpty() || len(text) < gramSize {
		return nil
	}
	var found []int
	var seen []uint64 // seen has a bit for each condition that was found.
	g := gram(text)
	for i := gramSize; ; i++ {
		s := slot(g, x.bits)
		for at := x.starts[s]; at < x.starts[s+1]; at++ {
			if x.conditions[at].gram != g {
				continue
			}
			if seen == nil {
				seen = make([]uint64, len(x.conditions)/64+1)
			}
			if bit := uint64(1) << (at % 64); seen[at/64]&bit == 0 {
				seen[at/64] |= bit
				found = append(found, int(x.conditions[at].position))
			}
		}
		if i == len(text) {
			break
		}
		g = g>>8 | uint32(text[i]|caseBit)<<24
	}
	slices.Sort(found)
	return found
}

// caseBit is the bit in which the cases of an ASCII letter differ.
const caseBit = 0x20

// gram is the first four bytes of a text.
func gram(s string) uint32 {
	return uint32(s[0]|caseBit) | uint32(s[1]|caseBit)<<8 | uint32(s[2]|caseBit)<<16 | uint32(s[3]|caseBit)<<24
}

// slot is a hash of a gram with size bits.
func slot(g uint32, size int) uint32 { return g * 0x9e3779b1 >> (32 - size) }
