package serving

import (
	"runtime"
	"runtime/metrics"
	"testing"
)

// Not parallel: the heap is that of the process.
func TestGarbageIsCollectedLaterWhileTheHeapIsRaised(t *testing.T) {
	before := heapGoal()
	var f floor
	f.raiseLater()
	if now := figure("/gc/heap/goal:bytes"); now > before {
		t.Errorf("the heap is raised before garbage is collected for the first time: from %d to %d bytes", before, now)
	}
	runtime.GC()
	for f.untouched.Load() == nil { // the runtime calls what raises it after the collection
		runtime.Gosched()
	}
	if later := heapGoal() - before; later <= heapFloor {
		t.Errorf("garbage is collected %d bytes later", later)
	}
	f.lower()
	if later := heapGoal() - before; later > heapFloor {
		t.Errorf("in the end garbage is collected %d bytes later", later)
	}
}

// Not parallel: the heap is that of the process.
func TestTheEnvironmentDecidesAboutTheHeap(t *testing.T) {
	runtime.GC() // for what other tests left behind
	for _, env := range []map[string]string{{"GOGC": "100"}, {"GOMEMLIMIT": "1GiB"}} {
		cleanups := figure("/gc/cleanups/queued:cleanups")
		lower := RaiseHeap(env)
		runtime.GC()
		if n := figure("/gc/cleanups/queued:cleanups") - cleanups; n > 0 {
			t.Errorf("with %v the first collection raises the heap", env)
		}
		lower()
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
