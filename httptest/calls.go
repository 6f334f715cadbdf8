package fakeopenai

import "github.com/fakeopenai/fakeopenai/server/journal"

// Calls are the requests so far, each grouped with its retries, with the gaps
// between them and what the answers asked for. See [journal.Call] for what
// belongs together. The Request of an attempt is the [Request.ID] of one of
// [Server.Requests]. An attempt that is still being answered has not failed yet,
// so what follows it is a call of its own until it has; [Server.AwaitEnd] waits.
func (s *Server) Calls() []journal.Call { return s.core.Calls() }
