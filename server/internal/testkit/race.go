//go:build race

package testkit

// PoolLosses is how many allocations more an answer may take: under the race detector
// a [sync.Pool] drops some of what it is given.
const PoolLosses = 40
