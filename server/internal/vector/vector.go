// Package vector makes the vectors of texts for /v1/embeddings: the same vector for the same text on
// every machine, and vectors the nearer to each other the more words two texts have in common.
//
// A word is a few places of the vector with a sign each, which follow from its letters. A text is
// the sum of its words, with a little noise that tells texts with the same words apart. All are
// sums of integers, so that neither the order of additions nor the machine changes the result.
package vector

import (
	"iter"
	"math"
	"math/bits"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// placesOfWord is how many places of the vector a word has. With more, words have more often a
	// place in common; with one, the words that have it in common are the same.
	placesOfWord = 2
	weight       = 4096 // weight is what a word adds at each of its places.
	noise        = 64   // noise is the number of values that the noise at a place can have.
)

// Of returns the unit vector of a text with that many dimensions, at least 1. Its numbers have the
// precision of 32 bits.
func Of(text string, dimensions int) []float64 {
	sums := make([]float64, dimensions) // They are whole numbers.
	addWords(sums, text)
	addNoise(sums, text)
	toUnit(sums)
	return sums
}

// addWords adds each word of the text, once however often the text has it.
func addWords(sums []float64, text string) {
	seen := map[uint64]bool{}
	for word := range words(text) {
		h := hash(word)
		if seen[h] {
			continue
		}
		seen[h] = true
		for range placesOfWord {
			h += step
			drawn := mix(h)
			place, _ := bits.Mul64(drawn, uint64(len(sums)))
			sums[place] += float64(weight - 2*weight*int(drawn&1))
		}
	}
}

// addNoise adds a small number to each sum; the numbers follow from the whole text.
func addNoise(sums []float64, text string) {
	h := ^hash(text)
	for len(sums) > 0 {
		h += step
		drawn := mix(h)
		eight := sums[:min(8, len(sums))] // a number has eight bytes
		for i := range eight {
			eight[i] += float64(int(drawn%noise) - noise/2)
			drawn >>= 8
		}
		sums = sums[len(eight):]
	}
}

func toUnit(vector []float64) {
	square := 0.0
	for _, v := range vector {
		square += float64(v * v) // The conversion keeps some machines from rounding once in place of twice.
	}
	if square == 0 {
		vector[0] = 1
		return
	}
	scale := 1 / math.Sqrt(square)
	for i, v := range vector {
		vector[i] = rounded(v * scale)
	}
}

func rounded(v float64) float64 { return float64(float32(v)) }

// words yields the words of a text in lower case. A letter of a script that has no spaces between
// its words is a word.
func words(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		text := strings.ToLower(text)
		for text != "" {
			first, n := utf8.DecodeRuneInString(text)
			if isWord := inWord(first); !isWord && !standsAlone(first) {
				text = text[n:]
				continue
			} else if isWord {
				n = len(text)
				if end := strings.IndexFunc(text, func(r rune) bool { return !inWord(r) }); end > 0 {
					n = end
				}
			}
			if !yield(text[:n]) {
				return
			}
			text = text[n:]
		}
	}
}

func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !standsAlone(r)
}

func standsAlone(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai)
}

// hash is FNV-1a.
func hash(text string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(text) {
		h = (h ^ uint64(text[i])) * 1099511628211
	}
	return h
}

// step and mix are those of SplitMix64.
const step = 0x9e3779b97f4a7c15

func mix(h uint64) uint64 {
	h = (h ^ h>>30) * 0xbf58476d1ce4e5b9
	h = (h ^ h>>27) * 0x94d049bb133111eb
	return h ^ h>>31
}
