package fakeopenai

import "github.com/fakeopenai/fakeopenai/server/journal"

// reportRetries fails the test for the wrong retries.
func (s *Server) reportRetries() {
	if !s.failRetries {
		return
	}
	for _, f := range journal.Judge(s.core.Journal(), false) {
		e := f.Entry.Masked()
		s.tb.errorf("fakeopenai: request %d: %s %s: %s", e.ID, e.Method, e.Path, e.Problem)
	}
}

// Calls returns the requests so far, each grouped with its retries, with the pauses
// between them and the pauses that the answers asked for. [journal.Call] says which
// requests belong together. The field Request of an attempt is the [Request.ID] of a
// request. While an attempt is being answered it has not failed, so a request after it
// counts as a call of its own; use [Server.AwaitEnd] first.
func (s *Server) Calls() []journal.Call { return s.core.Calls() }
