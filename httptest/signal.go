package fakeopenai

import "sync"

// signal wakes goroutines that wait for an event, like a condition variable that can
// be used in a select. The zero signal is ready to use.
type signal struct {
	mu sync.Mutex
	// next is closed by the next announcement; guarded by mu, nil while no goroutine
	// waits.
	next chan struct{}
}

// wait returns a channel that the next announcement closes.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

// announce wakes all waiting goroutines.
func (s *signal) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
