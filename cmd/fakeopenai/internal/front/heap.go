package front

import (
	"runtime"
	"sync/atomic"
)

// heapFloor is how much of the heap is never used. Go collects garbage when the heap has
// doubled, and the heap of a server that remembers a thousand requests is so small that
// under load a fifth of all time would go into that.
const heapFloor = 32 << 20

// RaiseHeap lets this process collect garbage when its heap has grown by 64 MiB more
// than otherwise, unless the environment says by GOGC or GOMEMLIMIT when it shall. A
// large heap is collected as often as before, and no limit can be in its way. From the
// first collection until lower is called there is memory that counts as heap, and that
// the machine does not have to give because nothing is written to it.
func RaiseHeap(env map[string]string) (lower func()) {
	var f floor
	if env["GOGC"] == "" && env["GOMEMLIMIT"] == "" {
		f.raiseLater()
	}
	return f.lower
}

// floor is memory that counts as heap.
type floor struct {
	untouched atomic.Pointer[[heapFloor]byte] // untouched is nil before it is raised.
}

// raiseLater raises the floor after the first collection. To raise it at once would be
// the reason for a collection, for which the first answer would have to wait.
func (f *floor) raiseLater() {
	// A pointer that nobody has is collected first.
	runtime.AddCleanup(new(*floor), func(f *floor) { f.untouched.Store(new([heapFloor]byte)) }, f)
}

// lower gives the memory back.
func (f *floor) lower() { f.untouched.Store(nil) }
