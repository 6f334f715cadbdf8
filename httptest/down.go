package fakeopenai

// Down makes dials fail with ECONNREFUSED until [Server.Up], as if no server were
// running. Idle connections are closed; open streams go on. Use it to test what a
// client does in an outage that begins between two requests.
func (s *Server) Down() {
	s.replies.Refuse()
	s.tb.test.Helper()
	if err := s.core.Down(); err != nil {
		s.tb.errorf("fakeopenai: Down: %v", err)
	}
}

// Up accepts connections again at the same address. It fails the test if another
// process has taken the address in the meantime.
func (s *Server) Up() {
	s.tb.test.Helper()
	if err := s.core.Up(); err != nil {
		s.tb.errorf("fakeopenai: Up: %v", err)
	}
}
