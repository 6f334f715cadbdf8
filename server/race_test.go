//go:build race

package server_test

// poolLosses is how many allocations more an answer may take: under the race detector
// a sync.Pool drops some of what it is given.
const poolLosses = 40

// poolLossBytes is about how large those are: a buffer of a stream among them.
const poolLossBytes = 2 << 20

// largerStack is how much more stack a stream may take: the race detector's frames are
// larger, so that it does not fit into the 8 KiB that do otherwise.
const largerStack = 8 << 10
