package fakeopenai

// Down refuses connections until [Server.Up], as a server does that is not
// running: a dial fails with ECONNREFUSED. Idle connections are closed; streams
// that are open go on. Use it to see what a client does in an outage that begins
// between two requests.
func (s *Server) Down() {
	s.replies.expectRefusal()
	s.tb.test.Helper()
	if err := s.core.Down(); err != nil {
		s.tb.errorf("fakeopenai: Down: %v", err)
	}
}

// Up accepts connections again, at the same address. It fails the test if
// another process has taken that address in the meantime.
func (s *Server) Up() {
	s.tb.test.Helper()
	if err := s.core.Up(); err != nil {
		s.tb.errorf("fakeopenai: Up: %v", err)
	}
}
