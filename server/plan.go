package server

import (
	"context"
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Plan is what an answer would send, and when. Its times are those of the scenario, without
// [Config.Speed], and count from the request, as if no stream waited at a hold.
type Plan struct {
	Status int // Status is the HTTP status; 0 if the connection ends without an answer.
	Header http.Header
	Start  time.Duration // Start is when the header is sent.
	Frames []PlannedFrame
	// End is "" for a body that ends in order; otherwise cut, reset, stall, linger, refuse
	// or refuse_reset.
	End   string
	EndAt time.Duration // EndAt is when the answer ends.
}

// PlannedFrame is bytes that are due at one time, or a hold.
type PlannedFrame struct {
	At    time.Duration // At is when the frame is due.
	Kind  string        // Kind is the name that damage has for the frame: content, finish, comment …
	Hold  string        // Hold is the hold to wait at; the frame has no bytes then.
	Bytes []byte
	More  bool // More says that the next frame has the rest of the same event.
}

// WithPlan returns a context for requests whose answers are planned and not played. Such an
// answer is selected, counted and made as any other; its plan is passed to take, and the
// body is empty. Requests that are refused are answered as usual.
func WithPlan(ctx context.Context, take func(Plan)) context.Context {
	return context.WithValue(ctx, planKey{}, take)
}

type planKey struct{}

// takePlan passes the plan of an answer to the function of [WithPlan]. It returns false if ctx has
// none, and the answer must be played.
func takePlan(ctx context.Context, a *answer.Answer) bool {
	take, ok := ctx.Value(planKey{}).(func(Plan))
	if !ok {
		return false
	}
	p := Plan{Status: a.Status, Header: a.Header.Clone(), Start: a.Program.HeaderDelay, End: a.Program.Ending.Kind.String()}
	start := p.Start
	for f, due := range a.Program.All() {
		frame := PlannedFrame{At: start + due, Kind: f.Kind, Hold: f.Hold, More: f.More}
		if f.Hold != "" {
			start = frame.At
		} else {
			frame.Bytes = f.Append(nil, a.Values)
		}
		p.Frames = append(p.Frames, frame)
	}
	p.EndAt = start + a.Program.Ending.Due
	if n := len(p.Frames); n > 0 {
		p.EndAt = max(p.EndAt, p.Frames[n-1].At) // the ending of a body in one piece may be due before the body
	}
	if kind := a.Program.Ending.Kind; kind == player.EndStall || kind == player.EndLinger {
		p.EndAt += a.Program.Ending.For
	}
	if a.Program.Ending.Refuses() {
		p.Status = 0
	}
	take(p)
	return true
}
