package fakeopenai

import (
	"fmt"
	"os"
)

// holdVariable names the environment variable that makes NewServer serve on an
// address and go no further, for a person who wants to look.
const holdVariable = "FAKEOPENAI_HOLD"

// holdForever serves until the process is stopped.
func (s *Server) holdForever() {
	fmt.Fprintf(os.Stderr, "fakeopenai: %s is held open at %s because %s is set; interrupt to go on\n", s.tb.tb.Name(), s.BaseURL, holdVariable)
	err := s.http.Serve(s.listener)
	s.tb.tb.Fatalf("fakeopenai: serve: %v", err)
}
