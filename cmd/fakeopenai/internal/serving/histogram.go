package serving

import (
	"math"
	"math/bits"
	"time"
)

// perOctave is the number of buckets between a value and its double. What a histogram says
// of a value is wrong by 1/perOctave of it at most.
const perOctave = 1 << octaveBits

const octaveBits = 7

// histogram counts durations in buckets whose width grows with them. The zero value is
// ready to use.
type histogram struct {
	buckets  []uint32
	count    int64
	sum, max time.Duration
}

func (h *histogram) add(d time.Duration) {
	d = max(0, d)
	i := bucketOf(d)
	if missing := i + 1 - len(h.buckets); missing > 0 {
		h.buckets = append(h.buckets, make([]uint32, missing)...)
	}
	h.buckets[i]++
	h.count++
	h.sum += d
	h.max = max(h.max, d)
}

// merge adds the durations of another histogram.
func (h *histogram) merge(other *histogram) {
	if missing := len(other.buckets) - len(h.buckets); missing > 0 {
		h.buckets = append(h.buckets, make([]uint32, missing)...)
	}
	for i, n := range other.buckets {
		h.buckets[i] += n
	}
	h.count += other.count
	h.sum += other.sum
	h.max = max(h.max, other.max)
}

// bucketOf returns the bucket of a duration. The first 2*perOctave durations have a bucket
// each; then there are perOctave buckets for each power of two.
func bucketOf(d time.Duration) int {
	shift := max(0, bits.Len64(uint64(d))-octaveBits-1)
	return shift*perOctave + int(d>>shift)
}

// highest returns the highest duration of a bucket.
func highest(bucket int) time.Duration {
	shift := max(0, bucket/perOctave-1)
	return time.Duration((uint64(bucket-shift*perOctave)+1)<<shift - 1)
}

// percentile returns the least duration that so many percent of all durations do not
// exceed; 0 if there are no durations.
func (h *histogram) percentile(percent float64) time.Duration {
	rank := int64(math.Ceil(percent / 100 * float64(h.count)))
	for i, n := range h.buckets {
		if rank -= int64(n); rank <= 0 && n > 0 {
			return min(highest(i), h.max)
		}
	}
	return h.max
}

// upTo returns how many durations are at most a bound.
func (h *histogram) upTo(bound time.Duration) (n int64) {
	if bound >= h.max {
		return h.count
	}
	for _, count := range h.buckets[:min(len(h.buckets), bucketOf(bound)+1)] {
		n += int64(count)
	}
	return n
}
