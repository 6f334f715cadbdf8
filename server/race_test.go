//go:build race

package server_test

// poolLosses is how many allocations more an answer may take: under the race detector
// a sync.Pool drops some of what it is given.
const poolLosses = 40

// poolLossBytes is about how large those are: a buffer of a stream among them.
const poolLossBytes = 2 << 20
