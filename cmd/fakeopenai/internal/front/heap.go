package front

import "runtime"

// heapFloor is how much of the heap is never used. Go collects garbage when the heap has
// doubled, and the heap of a server that remembers a thousand requests is so small that
// under load a fifth of all time would go into that.
const heapFloor = 32 << 20

// RaiseHeap lets this process collect garbage when its heap has grown by 64 MiB more
// than otherwise, unless the environment says by GOGC or GOMEMLIMIT when it shall. A
// large heap is collected as often as before, and no limit can be in its way. Until
// lower is called, there is memory that counts as heap, and that the machine does not
// have to give because nothing is written to it.
func RaiseHeap(env map[string]string) (lower func()) {
	if env["GOGC"] != "" || env["GOMEMLIMIT"] != "" {
		return func() {}
	}
	untouched := make([]byte, heapFloor)
	return func() { runtime.KeepAlive(untouched) }
}
