//go:build !race

package testkit

// PoolLosses is how many allocations more an answer may take because pools drop what
// they are given.
const PoolLosses = 0
