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
// Upper and lower case of ASCII are the same in a gram, and different grams can have the
// same slot: what is found has to be tried.
type Index struct {
	starts    []int32 // starts are where the positions of each slot begin, and the end of the last.
	positions []int   // positions are those of the conditions, by slot and rising.
	shift     int
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

// Len is how many conditions were added.
func (b *Builder) Len() int { return len(b.entries) }

// Index is the index of what was added: of each condition by its rarest gram.
func (b *Builder) Index() Index {
	if len(b.entries) == 0 {
		return Index{}
	}
	size := bits.Len(uint(4 * len(b.entries)))
	x := Index{starts: make([]int32, 1<<size+1), positions: make([]int, len(b.entries)), shift: size}
	slots := make([]uint32, len(b.entries))
	for i, e := range b.entries {
		rarest := slices.MinFunc(e.grams, func(g, h uint32) int { return int(b.often[slot(g, 16)] - b.often[slot(h, 16)]) })
		slots[i] = slot(rarest, size)
		x.starts[slots[i]+1]++
	}
	for i := range 1 << size {
		x.starts[i+1] += x.starts[i]
	}
	next := slices.Clone(x.starts)
	for i, e := range b.entries {
		x.positions[next[slots[i]]] = e.position
		next[slots[i]]++
	}
	return x
}

// IsEmpty reports whether the index has no conditions.
func (x *Index) IsEmpty() bool { return len(x.positions) == 0 }

// Find are the positions of the conditions that may hold for a text, rising.
func (x *Index) Find(text string) []int {
	if x.IsEmpty() || len(text) < gramSize {
		return nil
	}
	var found []int
	var seen []uint64 // seen has a bit for each slot that was found.
	g := gram(text)
	for i := gramSize; ; i++ {
		s := slot(g, x.shift)
		if start, end := x.starts[s], x.starts[s+1]; start < end {
			if seen == nil {
				seen = make([]uint64, len(x.starts)/64+1)
			}
			if bit := uint64(1) << (s % 64); seen[s/64]&bit == 0 {
				seen[s/64] |= bit
				found = append(found, x.positions[start:end]...)
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
