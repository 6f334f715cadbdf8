package serving

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// Not parallel: the heap is that of the process.
func TestGarbageIsCollectedLaterWhileTheHeapIsRaised(t *testing.T) {
	for _, env := range []map[string]string{{"GOGC": "100"}, {"GOMEMLIMIT": "1GiB"}} {
		RaiseHeap(env)
	}
	before := heapGoal()
	RaiseHeap(nil)
	if now := figure("/gc/heap/goal:bytes"); now > before || untouched.Load() != nil {
		t.Errorf("the heap is raised by the environment, or before garbage is collected for the first time: from %d to %d bytes", before, now)
	}
	runtime.GC()
	for untouched.Load() == nil { // the runtime calls what raises it after the collection
		runtime.Gosched()
	}
	defer untouched.Store(nil)
	if later := heapGoal() - before; later <= heapFloor {
		t.Errorf("garbage is collected %d bytes later", later)
	}
}

// heapGoal returns the size of the heap in bytes at which the next collection starts.
func heapGoal() int {
	runtime.GC()
	return figure("/gc/heap/goal:bytes")
}

func figure(name string) int {
	sample := []metrics.Sample{{Name: name}}
	metrics.Read(sample)
	return int(sample[0].Value.Uint64())
}
