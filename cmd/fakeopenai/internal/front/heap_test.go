package front

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// Not parallel: the heap is that of the process.
func TestGarbageIsCollectedLaterWhileTheHeapIsRaised(t *testing.T) {
	before := heapGoal()
	for _, tt := range []struct {
		env    map[string]string
		raised bool
	}{{nil, true}, {map[string]string{"GOGC": "100"}, false}, {map[string]string{"GOMEMLIMIT": "1GiB"}, false}} {
		lower := RaiseHeap(tt.env)
		if later := heapGoal() - before; later > heapFloor != tt.raised {
			t.Errorf("with %v garbage is collected %d bytes later", tt.env, later)
		}
		lower()
		if later := heapGoal() - before; later > heapFloor {
			t.Errorf("in the end garbage is collected %d bytes later", later)
		}
	}
}

// heapGoal is how many bytes there will be when garbage is collected next.
func heapGoal() int {
	runtime.GC()
	sample := []metrics.Sample{{Name: "/gc/heap/goal:bytes"}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
