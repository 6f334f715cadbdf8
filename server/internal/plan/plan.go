// Package plan tells what a program is going to send, and when, in place of sending
// it or before.
package plan

import (
	"context"
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Plan is what an answer sends and when, as written; no speed of a server is in it.
// All times count from the request, as if every hold was passed at once.
type Plan struct {
	Status int // Status is 0 if the connection ends before there is an answer.
	Header http.Header
	Start  time.Duration // Start is when there is anything of the answer.
	Frames []Frame
	// End is "" for a body that ends in order, or else how it ends: cut, reset,
	// stall, linger, refuse or refuse_reset.
	End   string
	EndAt time.Duration
}

// Frame is bytes that are sent at one time, or a hold.
type Frame struct {
	At    time.Duration
	Kind  string // Kind is what damage calls it: content, finish, comment …
	Hold  string // Hold is the hold to wait at; the frame has no bytes then.
	Bytes []byte
	More  bool // More says that the next frame is the rest of the same event.
}

// With makes a context for requests whose answers are not played: selected,
// counted and made as any other, they are handed to take, and the body is empty.
// Requests that are refused are answered as ever.
func With(ctx context.Context, take func(Plan)) context.Context {
	return context.WithValue(ctx, key{}, take)
}

type key struct{}

// endings are the names of endings in a [Plan].
var endings = map[player.EndingKind]string{
	player.EndCut: "cut", player.EndReset: "reset", player.EndStall: "stall", player.EndLinger: "linger",
	player.EndRefuse: "refuse", player.EndRefuseReset: "refuse_reset",
}

// Take hands the answer's plan to who asked for it in place of playing it, and reports
// whether anybody did.
func Take(ctx context.Context, a *answer.Answer) bool {
	take, ok := ctx.Value(key{}).(func(Plan))
	if !ok {
		return false
	}
	p := Plan{Status: a.Status, Header: a.Header.Clone(), Start: a.Program.HeaderDelay, End: endings[a.Program.Ending.Kind]}
	start := p.Start
	for f, due := range a.Program.All() {
		frame := Frame{At: start + due, Kind: f.Kind, Hold: f.Hold, More: f.More}
		if f.Hold != "" {
			start = frame.At
		} else {
			frame.Bytes = f.Append(nil, a.Values)
		}
		p.Frames = append(p.Frames, frame)
	}
	p.EndAt = start + a.Program.Ending.Due
	if kind := a.Program.Ending.Kind; kind == player.EndStall || kind == player.EndLinger {
		p.EndAt += a.Program.Ending.For
	}
	if a.Program.Ending.Refuses() {
		p.Status = 0
	}
	take(p)
	return true
}
