package sweeping

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// errShown is why a command is killed that has shown something of an answer that
// never goes on.
var errShown = errors.New("the command has shown a part of the answer")

// held are the cases in which an answer stands still in its middle, if they are
// asked for. The scenario as it is written comes first here, too, and is played.
func (s *Sweep) held(ctx context.Context, cases []sweep.Case, answers []sweep.Answer, report *Report) ([]sweep.Case, error) {
	if !s.Held {
		return nil, nil
	}
	answer, ok := sweep.HeldAnswer(answers)
	if !ok {
		return nil, errors.New("--held needs a command that asks for a stream, and an answer of at least two events before its finish")
	}
	written := func(c sweep.Case) bool { return c.Variant.YAML == "" }
	cases = slices.DeleteFunc(slices.Clone(cases), written)
	list, err := sweep.Hold(answer, slices.Insert(cases, 0, sweep.AsWritten()))
	if err != nil {
		return nil, err
	}
	first, _, err := s.play(ctx, list[0])
	if err == nil {
		err = report.add(first)
	}
	return list[1:], err
}

// quickestHeld is the highest speed at which an answer stands still for long enough.
const quickestHeld = 100

// heldSpeed is the speed for a case that holds: at any higher one the silence
// would end.
func heldSpeed(speed float64) float64 {
	if speed == scenarios.Instant || speed > quickestHeld {
		return quickestHeld
	}
	return speed
}

// watchHeld calls done when the command has shown something of an answer that
// stands still. To stop it is to wait for its end.
func watchHeld(c sweep.Case, fake *server.Server, shown *gauge, done func()) (stop func()) {
	const pause = 10 * time.Millisecond
	over := make(chan struct{})
	var watching sync.WaitGroup
	held := func(e journal.Entry) bool {
		return e.Delivery.Ended == journal.EndedOpen && e.Scenario != "" && c.Plays(e.Scenario, e.Reply)
	}
	watching.Go(func() {
		ticks := time.NewTicker(pause)
		defer ticks.Stop()
		for {
			select {
			case <-over:
				return
			case <-ticks.C:
			}
			if shown.grown() && slices.ContainsFunc(fake.Journal(), held) {
				done()
				return
			}
		}
	})
	return func() { close(over); watching.Wait() }
}

// judgeHeld says what to think of a run in which an answer stood still.
func (r *result) judgeHeld(c sweep.Case, hung, shown bool, answers []sweep.Answer) {
	r.verdict = c.JudgeHeld(shown, answers)
	r.detail = r.verdict.Reason()
	if hung || shown {
		r.exit = -1
	}
	if r.verdict == sweep.HeldBack {
		r.detail = "it printed nothing on its standard output " + r.detail
	}
}

// gauge measures an output since the last answer began. It is safe for concurrent
// use.
type gauge struct {
	mu    sync.Mutex
	total int // total is the bytes written; it is guarded by mu.
	begun int // begun is the total when the last answer began; it is guarded by mu.
}

// Write implements [io.Writer].
func (g *gauge) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.total += len(p)
	return len(p), nil
}

// mark says that an answer begins.
func (g *gauge) mark() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun = g.total
}

// grown reports whether something was written since an answer began.
func (g *gauge) grown() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.total > g.begun
}
