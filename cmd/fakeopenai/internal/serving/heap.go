package serving

import (
	"runtime"
	"sync/atomic"
)

// heapFloor is the size in bytes of a block of heap that is never used. Go collects
// garbage when the heap has doubled. The heap of a server with a full journal is so
// small that under load a fifth of the time would go into garbage collection.
const heapFloor = 32 << 20

// untouched is the block that raises the size of the heap; nil before the first collection.
var untouched atomic.Pointer[[heapFloor]byte]

// RaiseHeap makes this process collect garbage only when its heap has grown by 64 MiB
// more than by default, unless GOGC or GOMEMLIMIT is in the environment. A large heap is
// collected about as often as before. For that a block of heapFloor bytes is allocated at
// the first collection: allocating it at once would itself start a collection, which would
// delay the first answer. Nothing is written to it, so that it takes no physical memory.
func RaiseHeap(env map[string]string) {
	if env["GOGC"] == "" && env["GOMEMLIMIT"] == "" {
		// An unreachable pointer is cleaned up by the first collection.
		runtime.AddCleanup(new(*int), func(int) { untouched.Store(new([heapFloor]byte)) }, 0)
	}
}
