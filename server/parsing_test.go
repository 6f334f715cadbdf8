package server

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// counting is a surface that counts how many requests it reads at the same time.
type counting struct {
	surface.Surface
	now, most atomic.Int64
}

func (c *counting) Read(map[string][]string, []byte) (*scenarios.Request, error) {
	n := c.now.Add(1)
	for most := c.most.Load(); n > most && !c.most.CompareAndSwap(most, n); most = c.most.Load() {
	}
	for range 1000 { // lets other requests in
		runtime.Gosched()
	}
	c.now.Add(-1)
	return nil, nil
}

// Large bodies are parsed a few at a time, however many requests arrive at once.
func TestLargeBodiesAreParsedAFewAtATime(t *testing.T) {
	var on counting
	body := bytes.Repeat([]byte("0"), largeBody+1)
	var group sync.WaitGroup
	for range 64 {
		group.Go(func() { _, _ = parse(&on, nil, body) })
	}
	group.Wait()
	if most := on.most.Load(); most > int64(runtime.GOMAXPROCS(0)) || most < 1 {
		t.Errorf("%d were parsed at the same time, want %d at most", most, runtime.GOMAXPROCS(0))
	}
}
