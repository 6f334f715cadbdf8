package server

import (
	"context"
	"sync"
)

// active counts the requests that are being answered. The zero value counts
// none.
type active struct {
	mu   sync.Mutex // guards what follows
	n    int
	idle chan struct{} // closed when n falls to 0; nil while nobody waits for it
}

// enter counts a request until leave.
func (a *active) enter() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n++
}

func (a *active) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.n--
	if a.n == 0 && a.idle != nil {
		close(a.idle)
		a.idle = nil
	}
}

// wait waits until no request is being answered.
func (a *active) wait(ctx context.Context) error {
	idle := a.whenIdle()
	select {
	case <-idle:
		return nil
	default:
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (a *active) whenIdle() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.n == 0 {
		done := make(chan struct{})
		close(done)
		return done
	}
	if a.idle == nil {
		a.idle = make(chan struct{})
	}
	return a.idle
}

func (a *active) count() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.n
}
