//go:build !race

package server_test

// poolLossBytes is how many bytes more an answer may take because pools drop what they
// are given.
const poolLossBytes = 0

// largerStack is how much more stack a stream may take.
const largerStack = 0
