package server

import (
	"context"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/compare"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Plan is what an answer would send, and when.
type Plan = journal.Plan

// PlannedFrame is bytes that are due at one time, or a hold.
type PlannedFrame = journal.PlannedFrame

// Difference is one difference of an answer from another one.
type Difference = compare.Difference

// Compare returns how answer b differs from answer a in the terms of the protocol: in status and headers, in the kinds of
// events and their order, in the members of their JSON, and in framing. Ids, times, counts of tokens and the cuts of texts
// do not count; texts do if they are asked for.
func Compare(a, b Plan, texts bool) []Difference { return compare.Plans(a, b, texts) }

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
	take(planOf(a))
	return true
}

// planOf is the plan of an answer that was made.
func planOf(a *answer.Answer) Plan {
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
	return p
}
