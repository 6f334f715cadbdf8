package vector

import (
	"encoding/binary"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
)

// Vectors have the length 1, are the same again, and those of other texts are others.
func TestAVectorFollowsFromItsText(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "!", "Hello", "Hello, world", "world, hello", "北京的天气", "naïve café"} {
		for _, dimensions := range []int{1, 2, 256, 1536} {
			v := Of(text, dimensions)
			if length := math.Sqrt(dot(v, v)); len(v) != dimensions || math.Abs(length-1) > 1e-6 {
				t.Errorf("%q: %d dimensions of length %v, want %d of length 1", text, len(v), length, dimensions)
			}
		}
	}
	if one, other := Of("Hello, world", 1536), Of("world, hello", 1536); dot(one, other) < 0.99 || dot(one, other) > 1-1e-7 {
		t.Errorf("two texts with the same words have the cosine %v, want nearly 1", dot(one, other))
	}
}

// The bytes of a vector do not depend on the machine: this sum was taken once.
func TestAVectorIsTheSameOnEveryMachine(t *testing.T) {
	t.Parallel()
	sum := fnv.New64a()
	for _, v := range [][]float64{
		Of("The quick brown fox jumps over the lazy dog.", 1536), Of("北京的天气", 3072), Of("", 8),
	} {
		_ = binary.Write(sum, binary.LittleEndian, v)
	}
	if got, want := sum.Sum64(), uint64(0xeb3aa14abb1c957b); got != want {
		t.Errorf("the sum of the vectors is %#x, want %#x", got, want)
	}
}

// Of two sentences, the one with more words of a third is nearer to it: so says the similarity in
// at least 95 % of 1,000 pairs.
func TestTheOrderOfSimilarityIsThatOfSharedWords(t *testing.T) {
	t.Parallel()
	for _, dimensions := range []int{256, 1536, 3072} {
		r := rand.New(rand.NewPCG(1, uint64(dimensions)))
		vocabulary := strings.Fields("the a of to in is on for with as at by from river mountain invoice payment password reset account customer order shipping weather rain " +
			"sun city train ticket garden tree apple bread kitchen music guitar song film camera light window door table chair computer network server error " +
			"model data number letter word language school teacher student book page doctor health sleep dream money bank price market engine car road bridge")
		sentence := func() []string {
			words := make([]string, 6+r.IntN(6))
			for i := range words {
				words[i] = vocabulary[r.IntN(len(vocabulary))]
			}
			return words
		}
		right, pairs := 0, 0
		for pairs < 1000 {
			question, one, other := sentence(), sentence(), sentence()
			more, less := sharedWords(question, one), sharedWords(question, other)
			if more == less {
				continue
			}
			pairs++
			q := Of(strings.Join(question, " "), dimensions)
			nearer := dot(q, Of(strings.Join(one, " "), dimensions)) > dot(q, Of(strings.Join(other, " "), dimensions))
			if nearer == (more > less) {
				right++
			}
		}
		t.Logf("%d dimensions: the order is that of shared words in %.1f %% of %d pairs", dimensions, float64(right)/10, pairs)
		if dimensions >= 1536 && right < 950 {
			t.Errorf("%d dimensions: the order is right in %d of %d pairs, want 950", dimensions, right, pairs)
		}
	}
}

// sharedWords is the share of words that two sentences have in common.
func sharedWords(a, b []string) float64 {
	in := map[string]int{}
	for _, w := range a {
		in[w] |= 1
	}
	for _, w := range b {
		in[w] |= 2
	}
	both := 0
	for _, of := range in {
		if of == 3 {
			both++
		}
	}
	return float64(both) / float64(len(in))
}

func dot(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}
