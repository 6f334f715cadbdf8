// Package textindex finds, of many conditions on texts, those that may hold for a text,
// without trying each.
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

// gramSize is how many bytes of a text are looked up together.
const gramSize = 4

// Index has conditions by four bytes, a gram, that a text must hold for them. The zero
// Index has none. To look for them takes as long as the text is, however many there are.
//
// Upper and lower case of ASCII are the same in a gram, and what holds the gram need not
// hold the rest: what is found has to be tried.
type Index struct {
	starts     []int32     // starts are where the conditions of each slot begin, and the end of the last.
	conditions []condition // conditions are by slot.
	bits       int         // bits is how many a slot has.
}

// condition is a gram that a text must hold for a condition, and its position.
type condition struct {
	gram     uint32
	position int32
}

// A Builder collects the conditions of an index.
type Builder struct {
	entries []entry
	often   [1 << 16]int32 // often counts in how many conditions a gram is, by a hash of it.
}

type entry struct {
	grams    []uint32 // grams are all that the text must hold.
	position int
}

// Add adds a condition under a position. It reports whether it could: a condition on
// fewer than four bytes, or a regular expression that asks for none, has no gram.
// Positions rise from call to call.
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

// Index is the index of what was added: of each condition by its rarest gram.
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

// Find are the positions of the conditions that may hold for a text, rising.
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

// caseBit is what tells a lower case letter of ASCII from its upper case.
const caseBit = 0x20

// gram is the first four bytes of a text.
func gram(s string) uint32 {
	return uint32(s[0]|caseBit) | uint32(s[1]|caseBit)<<8 | uint32(s[2]|caseBit)<<16 | uint32(s[3]|caseBit)<<24
}

// slot is a hash of a gram that has so many bits.
func slot(g uint32, size int) uint32 { return g * 0x9e3779b1 >> (32 - size) }
