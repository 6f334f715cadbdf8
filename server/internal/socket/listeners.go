package socket

import (
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

// Listeners has all listeners of one server, which go down and up together. The zero value
// has none. It is safe for concurrent use.
type Listeners struct {
	mu    sync.Mutex // guards what follows
	list  []*Listener
	timer *time.Timer // timer ends an outage of UpAfter; nil if there is none.
}

// retryPause is the pause between two attempts to listen at an address again.
const retryPause = 100 * time.Millisecond

// Watch wraps a listener, adds it and returns it.
func (ls *Listeners) Watch(inner net.Listener) *Listener {
	l := &Listener{addr: inner.Addr(), inner: inner, release: func() {}, conns: map[*Conn]struct{}{}, changed: make(chan struct{})}
	ls.mu.Lock()
	defer ls.mu.Unlock()
	ls.list = append(ls.list, l)
	return l
}

// Empty reports whether there are no listeners.
func (ls *Listeners) Empty() bool {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return len(ls.list) == 0
}

// Down refuses connections until [Listeners.Up]: dials get ECONNREFUSED. It closes idle
// connections; those with an open request stay. A second Down does nothing. The error says
// which listener cannot be reopened.
func (ls *Listeners) Down() error {
	ls.CancelUp()
	return ls.each((*Listener).goDown)
}

// Up accepts connections again, at the same addresses. The error says at which address the
// server cannot listen. A second Up does nothing.
func (ls *Listeners) Up() error {
	ls.CancelUp()
	return ls.each((*Listener).goUp)
}

// UpAfter calls Up after a while. If that fails, it calls goOn, and tries again after
// retryPause if goOn returns true. A later UpAfter replaces this one, and CancelUp cancels
// it.
func (ls *Listeners) UpAfter(d time.Duration, goOn func(error) bool) {
	ls.setTimer(time.AfterFunc(d, func() {
		if err := ls.each((*Listener).goUp); err != nil && goOn(err) {
			ls.UpAfter(retryPause, goOn)
		}
	}))
}

// CancelUp cancels [Listeners.UpAfter].
func (ls *Listeners) CancelUp() { ls.setTimer(nil) }

// setTimer stops the previous timer.
func (ls *Listeners) setTimer(timer *time.Timer) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.timer != nil {
		ls.timer.Stop()
	}
	ls.timer = timer
}

// each calls do with every listener, and joins the errors.
func (ls *Listeners) each(do func(*Listener) error) error {
	ls.mu.Lock()
	list := slices.Clone(ls.list)
	ls.mu.Unlock()
	var problems []error
	for _, l := range list {
		problems = append(problems, do(l))
	}
	return errors.Join(problems...)
}
