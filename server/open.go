package server

import (
	"context"
	"sync"
)

// openCount counts requests, connections and the like that are open. The zero value is at 0.
// Its methods may be called at the same time.
type openCount struct {
	mu   sync.Mutex    // guards what follows
	n    int           // n is the count.
	idle chan struct{} // idle is closed when n falls to 0; nil while nobody waits.
}

// enter adds one to the count, until leave.
func (c *openCount) enter() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n++
}

// leave takes back one enter.
func (c *openCount) leave() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.n--
	if c.n == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// wait waits until the count is 0, or returns the cause of ctx's end.
func (c *openCount) wait(ctx context.Context) error {
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

// count returns the count.
func (c *openCount) count() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.n
}
