package timing

import (
	"math"
	"math/bits"
	"time"
)

// perOctave is the number of buckets between a value and its double. A percentile is too
// large by 1/perOctave at most.
const perOctave = 1 << octaveBits

const octaveBits = 7

// histogram counts durations in buckets whose width grows with them. It takes at most
// 58 KB for any number of durations. The zero value is ready to use.
type histogram struct {
	buckets []int64
	count   int64
	max     time.Duration
}

func (h *histogram) add(d time.Duration) {
	d = max(0, d)
	i := bucketOf(uint64(d))
	if missing := i + 1 - len(h.buckets); missing > 0 {
		h.buckets = append(h.buckets, make([]int64, missing)...)
	}
	h.buckets[i]++
	h.count++
	h.max = max(h.max, d)
}

// bucketOf returns the bucket of a value. The first 2*perOctave values have a bucket
// each; then there are perOctave buckets for each power of two.
func bucketOf(v uint64) int {
	shift := max(0, bits.Len64(v)-octaveBits-1)
	return shift*perOctave + int(v>>shift)
}

// highest returns the highest value of a bucket.
func highest(bucket int) time.Duration {
	shift := max(0, bucket/perOctave-1)
	return time.Duration((uint64(bucket-shift*perOctave)+1)<<shift - 1)
}

// percentile returns the least duration that so many percent of all durations do not
// exceed; 0 if there are no durations.
func (h *histogram) percentile(percent float64) time.Duration {
	rank := int64(math.Ceil(percent / 100 * float64(h.count)))
	for i, n := range h.buckets {
		if rank -= n; rank <= 0 && n > 0 {
			return min(highest(i), h.max)
		}
	}
	return h.max
}
