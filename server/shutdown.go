package server

import (
	"context"
	"errors"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// shutdownGrace is how long a client may take to read a shutdown event, or what
// was sent before it.
const shutdownGrace = time.Second

// sendShutdown sends the answer's shutdown event if the server shuts down, after
// the rest of the event that the stream stands in. It reports whether the body can
// end as it should.
func (x *exchange) sendShutdown(a *answer.Answer, out *sink, report player.Report) bool {
	if len(a.Shutdown) == 0 || report.Inside || a.Program.Ending.Refuses() || !errors.Is(context.Cause(x.ctx), errClosed) {
		return false
	}
	last := append(a.Program.Rest(report.Pieces, a.Values), a.Shutdown...)
	_, err := out.Write(last)
	return err == nil
}
