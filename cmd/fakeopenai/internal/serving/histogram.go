package serving

import (
	"slices"
	"time"
)

// histogram counts durations by the least of its bounds that they do not exceed. The zero value is ready
// to use.
type histogram struct {
	counts []int64 // counts has one number more than there are bounds, for what exceeds all.
	sum    time.Duration
}

// add counts a duration by bounds in seconds, which are the same in each call.
func (h *histogram) add(d time.Duration, bounds []float64) {
	if h.counts == nil {
		h.counts = make([]int64, len(bounds)+1)
	}
	d = max(0, d)
	i, _ := slices.BinarySearch(bounds, d.Seconds())
	h.counts[i]++
	h.sum += d
}
