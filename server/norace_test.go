//go:build !race

package server_test

// poolLossBytes is how many bytes more an answer may take because pools drop some of what
// is put into them.
const poolLossBytes = 0

// largerStack is by how many bytes a stream's stack may exceed the bound.
const largerStack = 0
