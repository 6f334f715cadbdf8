package socket

import (
	"errors"
	"net"
	"slices"
	"sync"
	"time"
)

// Listeners are the listeners of one server, which go down and up together. The
// zero Listeners has none; it is safe for concurrent use.
type Listeners struct {
	mu    sync.Mutex // guards what follows
	list  []*Listener
	timer *time.Timer // timer ends the outage; nil if none was timed yet.
}

// retryPause is the pause between two attempts to get an address back.
const retryPause = 100 * time.Millisecond

// Watch adds a listener, and returns the one to accept from in its place.
func (ls *Listeners) Watch(inner net.Listener) *Listener {
	l := newListener(inner)
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

// Down refuses connections until [Listeners.Up]: dials get ECONNREFUSED. It
// closes idle connections; those that answer a request can go on with that.
// Down twice is down. The error says which listener cannot do so.
func (ls *Listeners) Down() error {
	ls.CancelUp()
	return ls.each((*Listener).goDown)
}

// Up accepts connections again, at the same addresses. The error says which
// address cannot be had any more. Up twice is up.
func (ls *Listeners) Up() error {
	ls.CancelUp()
	return ls.each((*Listener).goUp)
}

// UpAfter is Up after a while. If that fails, goOn is asked whether to try
// again a moment later. A further UpAfter takes the place of this one, and
// CancelUp ends it.
func (ls *Listeners) UpAfter(d time.Duration, goOn func(error) bool) {
	ls.setTimer(d, func() {
		if err := ls.each((*Listener).goUp); err != nil && goOn(err) {
			ls.UpAfter(retryPause, goOn)
		}
	})
}

// CancelUp ends a wait that [Listeners.UpAfter] began.
func (ls *Listeners) CancelUp() {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.timer != nil {
		ls.timer.Stop()
	}
}

// setTimer sets the timer, in place of one that runs.
func (ls *Listeners) setTimer(after time.Duration, do func()) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.timer != nil {
		ls.timer.Stop()
	}
	ls.timer = time.AfterFunc(after, do)
}

// each does something to every listener, and returns what went wrong.
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
