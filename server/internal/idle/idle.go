// Package idle counts open requests, connections and the like, and lets callers wait until
// there are none.
package idle

import (
	"context"
	"sync"
)

// Counter counts calls of Enter without their Leave. The zero value is at 0. Its methods
// may be called at the same time.
type Counter struct {
	mu   sync.Mutex    // guards what follows
	n    int           // n is the count.
	idle chan struct{} // idle is closed when n falls to 0; nil while nobody waits.
}

// Enter adds one to the count, until Leave.
func (c *Counter) Enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

// Leave takes back one Enter.
func (c *Counter) Leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	if c.n == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Wait waits until the count is 0, or returns the cause of ctx's end.
func (c *Counter) Wait(ctx context.Context) error {
	c.mu.Lock()
	if c.n == 0 {
		c.mu.Unlock()
		return nil
	}
	if c.idle == nil {
		c.idle = make(chan struct{})
	}
	idle := c.idle
	c.mu.Unlock()
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Count returns the count.
func (c *Counter) Count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}
