package invent

import (
	"crypto/sha256"
	"encoding/binary"
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// This file has all sources of chance: random numbers that follow from the seed, and random ids.
// Each purpose has a source of its own, so that the order in which things are drawn does not matter.

// Rand is a source of chance for one purpose of an answer. It depends on the seed, the
// scenario and the purpose, but not on the request: all requests draw the same from it.
//
// It does not depend on the reply's position, so that a reply draws the same when it is
// moved, or printed as a scenario of its own.
func Rand(sel *scenarios.Selection, purpose string) *rand.Rand {
	return newRand(Source{seed: sel.Seed, scenario: sel.Scenario.Name, purpose: purpose})
}

// RequestRand is like [Rand], but depends on the request, too: on its body, and on how
// many items came before it in its conversation. A request that is sent again draws the
// same, unless its conversation has grown.
func RequestRand(sel *scenarios.Selection, purpose string) *rand.Rand {
	return newRand(SourceFor(sel, purpose))
}

func newRand(s Source) *rand.Rand { return new(Generator).Reset(s) }

// Generator is a source together with the [rand.Rand] that draws from it.
type Generator struct {
	source Source
	rand   rand.Rand
}

// Reset starts to draw from a source.
func (g *Generator) Reset(s Source) *rand.Rand {
	g.source = s
	g.rand = *rand.New(&g.source)
	return &g.rand
}

// Source supplies the numbers of a [rand.Rand]. It is seeded when the first number is
// drawn, because nothing is ever drawn from many sources.
type Source struct {
	seed              int64
	scenario, purpose string
	body              []byte
	before            int  // before counts the items of the conversation before the items of the body.
	seeded            bool // seeded says that numbers has been seeded.
	numbers           rand.PCG
}

// SourceFor is the source of [RequestRand].
func SourceFor(sel *scenarios.Selection, purpose string) Source {
	return Source{seed: sel.Seed, scenario: sel.Scenario.Name, purpose: purpose, body: sel.Request.RawBody, before: len(sel.Request.Before)}
}

// Uint64 is the next number.
func (s *Source) Uint64() uint64 {
	if !s.seeded {
		sum := s.sum()
		s.numbers.Seed(binary.LittleEndian.Uint64(sum[:]), binary.LittleEndian.Uint64(sum[8:]))
		s.seeded = true
	}
	return s.numbers.Uint64()
}

// sum is the hash from which the numbers follow. Each text but the last is preceded by
// its length, so that different inputs never give the same bytes.
func (s *Source) sum() (sum [sha256.Size]byte) {
	const most = 1024 // bytes; nearly all inputs are shorter
	var room [most]byte
	text := binary.LittleEndian.AppendUint64(room[:0], uint64(s.seed)) //nolint:gosec // all bits count
	for _, part := range [...]string{s.scenario, s.purpose} {
		text = append(binary.LittleEndian.AppendUint64(text, uint64(len(part))), part...)
	}
	if s.before > 0 {
		text = binary.LittleEndian.AppendUint64(text, uint64(s.before))
	}
	if len(text)+len(s.body) <= most {
		return sha256.Sum256(append(text, s.body...))
	}
	h := sha256.New()
	h.Write(text)
	h.Write(s.body)
	h.Sum(sum[:0])
	return sum
}

// Alphabets of random ids.
const (
	Base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	Hex    = "0123456789abcdef"
)

// Text is a text of n characters drawn from the alphabet.
func Text(r *rand.Rand, alphabet string, n int) string {
	const few = 32
	var room [few]byte
	return string(AppendText(room[:0], r, alphabet, n))
}

// AppendText adds what [Text] draws to dst.
func AppendText(dst []byte, r *rand.Rand, alphabet string, n int) []byte {
	for range n {
		dst = append(dst, alphabet[r.IntN(len(alphabet))])
	}
	return dst
}
