//go:build race

package server_test

// poolLossBytes is how many bytes more an answer may take because, under the race detector,
// pools drop some of what is put into them, such as a buffer of a stream.
const poolLossBytes = 2 << 20

// largerStack is by how many bytes a stream's stack may exceed the bound. Frames are larger
// under the race detector, so that the stack does not fit into the usual 8 KiB.
const largerStack = 8 << 10
