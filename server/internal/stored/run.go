package stored

import (
	"context"
	"math"
	"slices"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// Reserve takes one of the maxRunning places for responses in the background; false says that
// none is free. [Response.Run] and Unreserve give the place back.
func (s *Store) Reserve() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running >= maxRunning {
		return false
	}
	s.running++
	return true
}

// Unreserve gives a reserved place back.
func (s *Store) Unreserve() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// failed reports whether the response ends with the status failed, or cannot be made.
func (r *Response) failed() bool {
	rec, err := r.recorded(nil, true)
	return err != nil || rec.Last(math.MaxInt).Get("status").Text() == "failed"
}

// Prepare readies the response to be made in the background, until ctx ends or a client cancels
// or forgets it. A call of [Response.Run] must follow.
func (r *Response) Prepare(ctx context.Context) error {
	rec, err := r.recorded(nil, true)
	if err != nil {
		return err
	}
	r.mu.Lock()
	r.making, r.cancel = context.WithCancel(ctx)
	r.record = rec
	r.mu.Unlock()
	r.store.grow(r.name, r, rec.Program.Size())
	return nil
}

// Run makes the response in the background: each frame is counted when it is due. Run returns
// when the response is over. It waits at holds in gate; speed is that of [player.Play].
func (r *Response) Run(gate player.Gate, speed float64) {
	defer r.store.Unreserve()
	defer r.cancel()
	program := r.record.Program
	report := player.Play(r.making, program, new(player.Values), background{r}, passing{gate, r}, speed)
	if report.Err == nil {
		r.advance(math.MaxInt)
	}
	r.finish(false)
	r.mu.Lock()
	r.record = nil // it is made again when needed
	r.mu.Unlock()
	r.store.grow(r.name, r, -program.Size())
}

// stop ends a response that is being made in the background. Cancelled says that a client
// cancelled it.
func (r *Response) stop(cancelled bool) {
	r.mu.Lock()
	cancel := r.cancel
	r.mu.Unlock()
	if cancel != nil && r.finish(cancelled) {
		cancel()
	}
}

func (r *Response) end() { r.stop(false) }

// background is the sink of a response in the background. It drops the bytes and counts the
// frames.
type background struct{ r *Response }

// Write implements [player.Sink].
func (b background) Write(p []byte, w *player.Write) (int, error) {
	b.r.advance(w.Frames)
	return len(p), nil
}

// End implements [player.Sink].
func (background) End(player.EndingKind) error { return nil }

// passing is the gate of a response in the background. It counts the holds that were passed,
// for the streams that follow the response.
type passing struct {
	player.Gate
	r *Response
}

// Pass implements [player.Gate].
func (p passing) Pass(ctx context.Context, hold string, step int) error {
	if err := p.Gate.Pass(ctx, hold, step); err != nil {
		return err
	}
	p.r.mu.Lock()
	defer p.r.mu.Unlock()
	p.r.holds++
	p.r.notify()
	return nil
}

// Follower is the gate of a stream that sends a response to its client while it is being made
// in the background. The stream waits at a hold until the response has passed it.
type Follower struct {
	r      *Response
	passed int // passed is the number of holds that the stream has reached.
}

// Follow returns the gate for a stream that begins with the first event.
func (r *Response) Follow() *Follower { return &Follower{r: r} }

// Pass implements [player.Gate]. It fails if the response ended at this hold.
func (f *Follower) Pass(ctx context.Context, _ string, _ int) error {
	f.passed++
	passed := false
	err := f.r.await(ctx, func() bool {
		passed = f.r.holds >= f.passed
		return f.r.over || passed
	})
	if err == nil && !passed {
		return context.Canceled // the response ended at this hold
	}
	return err
}

// AwaitLast waits until the last event of the response is made, or ctx ends.
func (r *Response) AwaitLast(ctx context.Context) {
	_ = r.await(ctx, func() bool {
		if r.over || r.record == nil || len(r.record.Events) == 0 {
			return true
		}
		return r.played >= r.record.Events[len(r.record.Events)-1].Frame
	})
}

// WhileMade returns a context that also ends when a client cancels or forgets the response
// while it is being made in the background. The function releases it.
func (r *Response) WhileMade(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(r.making, func() {
		if r.Cancelled() {
			cancel()
		}
	})
	return ctx, func() {
		stop()
		cancel()
	}
}

// Cancelled reports whether the response ended before it was complete, for whatever reason.
func (r *Response) Cancelled() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.over && r.played < math.MaxInt
}

// await waits until the condition holds, or ctx ends. The condition is called with the mutex
// held.
func (r *Response) await(ctx context.Context, so func() bool) error {
	for {
		r.mu.Lock()
		done, changed := so(), r.changed
		r.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Replay is an event stream of a kept response, from its first event or a later one.
type Replay struct {
	r      *Response
	events []answer.Event // events are the events that are still to be sent.
}

// Replay returns the stream of the events with a sequence number greater than after; -1 is all.
// Include adds what these values of include do. With padded false, no event has obfuscation.
func (r *Response) Replay(after int64, padded bool, include []string) (*Replay, error) {
	rec, err := r.recorded(include, padded)
	if err != nil {
		return nil, err
	}
	begin := slices.IndexFunc(rec.Events, func(e answer.Event) bool { return e.Number > after })
	if begin < 0 {
		begin = len(rec.Events)
	}
	return &Replay{r: r, events: rec.Events[begin:]}, nil
}

// Len is the number of events that are still to be sent if the response completes.
func (p *Replay) Len() int { return len(p.events) }

// Next waits until the next event is made, and returns its bytes; nil at the end of the stream.
// It fails when ctx ends.
func (p *Replay) Next(ctx context.Context) ([]byte, error) {
	if len(p.events) == 0 {
		return nil, p.r.await(ctx, func() bool { return p.r.over })
	}
	e := &p.events[0]
	if err := p.r.await(ctx, func() bool { return p.r.over || p.r.played >= e.Frame }); err != nil {
		return nil, err
	}
	p.r.mu.Lock()
	played := p.r.played
	p.r.mu.Unlock()
	if played < e.Frame {
		return nil, nil
	}
	p.events = p.events[1:]
	return e.Bytes(), nil
}
