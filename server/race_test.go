//go:build race

package server_test

// poolLossBytes is how many bytes more an answer may take under the race detector,
// where a pool drops some of what it is given: a buffer of a stream among them.
const poolLossBytes = 2 << 20

// largerStack is how much more stack a stream may take: the race detector's frames are
// larger, so that it does not fit into the 8 KiB that do otherwise.
const largerStack = 8 << 10
