//go:build !race

package server_test

// poolLosses is how many allocations more an answer may take because pools drop what
// they are given.
const poolLosses = 0

// poolLossBytes is about how large those are.
const poolLossBytes = 0

// largerStack is how much more stack a stream may take.
const largerStack = 0
