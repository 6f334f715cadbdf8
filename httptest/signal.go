package fakeopenai

import "sync"

// signal announces that something has happened to all who wait for the next
// time. The zero signal is ready.
type signal struct {
	mu sync.Mutex
	// next is closed by the next announcement; guarded by mu, nil while nobody
	// waits.
	next chan struct{}
}

// wait gives a channel that the next announcement closes.
func (s *signal) wait() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next == nil {
		s.next = make(chan struct{})
	}
	return s.next
}

// announce wakes all who wait.
func (s *signal) announce() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next != nil {
		close(s.next)
		s.next = nil
	}
}
