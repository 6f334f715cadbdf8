package fakeopenai

import (
	"fmt"
	"os"
)

// debugVariable is the name of the environment variable with the address at which
// NewServer serves without returning, so that a person can send requests.
const debugVariable = "FAKEOPENAI_HOLD"

// serveForever serves until the process is stopped.
func (s *Server) serveForever() {
	fmt.Fprintf(os.Stderr, "fakeopenai: %s is held open at %s because %s is set; interrupt to go on\n", s.tb.test.Name(), s.BaseURL, debugVariable)
	err := s.http.Serve(s.listener)
	s.tb.test.Fatalf("fakeopenai: serve: %v", err)
}
