package server

import (
	"context"
	"errors"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
)

// errReacts ends the playing of an answer whose rest is to be made anew.
var errReacts = errors.New("what follows depends on what the client has sent")

// reactingGate is the gate of an answer that waits for messages of the client.
type reactingGate struct {
	player.Gate
	x *exchange
}

// Pass implements [player.Gate].
func (g reactingGate) Pass(ctx context.Context, hold string, step int) error {
	if err := g.Gate.Pass(ctx, hold, step); err != nil {
		return err
	}
	asked := g.x.entry.Made.(*answer.Asked)
	_, message := g.x.gate.Passed()
	if g.x.reacted = asked.React(step, message, g.x.steered.isQueued()); g.x.reacted != nil {
		return errReacts
	}
	return nil
}

// goOn plays the rest of an answer that is made anew after each message that it depends on.
func (x *exchange) goOn(so *player.Report, gate player.Gate) *player.Report {
	for errors.Is(so.Err, errReacts) {
		asked, maker := x.reacted, x.server.catalogOf(x.entry.APIKey).maker
		asked.Context = x.ctx
		a, err := maker.Make(asked)
		asked.Context = nil
		if err != nil {
			so.Err = err
			x.fail(makingFailed(err))
			return so
		}
		x.made.Release()
		x.made, x.entry.Made = a, asked
		x.entry.Delivery.Planned, _, _ = countFrames(a.Program)
		if x.kept != nil {
			x.kept.Abandon()
			x.kept = x.server.store.Keep(stored.Made{Maker: maker, Asked: asked, ID: a.ID, Created: a.Created, Lane: x.lane})
			x.steered.remade(x.kept)
		}
		holds, _ := x.gate.Passed()
		so = player.Resume(x.ctx, a.Program, a.Program.AfterHold(holds), a.Values, x.sinkOf(a), gate, x.server.config.Speed, *so)
	}
	return so
}
