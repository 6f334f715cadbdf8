// Package sweeping runs a command once for each case of a sweep, and reports how
// each run ended. Package scenarios/sweep says what the cases are and what to
// think of a run.
package sweeping

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/setting"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
)

// Sweep runs a command under one variant after the other.
type Sweep struct {
	setting.Server
	Set  *scenarios.Set
	Args []string // Args are the command and its arguments.
	// Environ is the command's environment, without the variables that lead to a
	// server.
	Environ   []string
	Preset    string // Preset is the clients that the command has: see [child.Environment].
	Timeout   time.Duration
	Truncated bool // Truncated also ends answers after and inside each event.
	Stride    int  // Stride also ends answers after each so many bytes; 0 does not.
	Held      bool // Held also lets answers stand still in the middle.
	Jobs      int  // Jobs is how many commands run at a time.
	Log       *slog.Logger
}

// Run runs all cases. The scenario as it is written comes first: while the
// command fails with it, all others say nothing.
func (s *Sweep) Run(ctx context.Context, cases []sweep.Case, report *Report) error {
	first, answers, err := s.play(ctx, sweep.AsWritten())
	if err != nil {
		return err
	}
	if err := report.add(first); err != nil || first.verdict.Bad() {
		return err
	}
	held, err := s.held(ctx, cases, answers, report)
	if err != nil || report.Failed() > 0 {
		return err
	}
	again := func(c sweep.Case) bool { return c.Variant.YAML == "" }
	cases = slices.Concat(slices.DeleteFunc(slices.Clone(cases), again), held, sweep.Truncate(answers, s.points))
	return s.all(ctx, cases, report.add)
}

// points are where an answer is to end too early.
func (s *Sweep) points(whole []byte) []sweep.Variant {
	var list []sweep.Variant
	if s.Truncated {
		list = sweep.Truncations(whole)
	}
	if s.Stride > 0 {
		list = append(list, sweep.TruncationsInBytes(whole, s.Stride)...)
	}
	return list
}

// all plays the cases, some at a time, and hands on the results in their order.
func (s *Sweep) all(ctx context.Context, cases []sweep.Case, take func(result) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		result result
		err    error
	}
	slots := make(chan struct{}, s.Jobs)
	outcomes := make([]chan outcome, len(cases))
	for i := range cases {
		outcomes[i] = make(chan outcome, 1)
	}
	go func() {
		for i, c := range cases {
			slots <- struct{}{}
			go func() {
				result, _, err := s.play(ctx, c)
				outcomes[i] <- outcome{result, err}
				<-slots
			}()
		}
	}()
	var failure error
	for _, next := range outcomes { // all of them, so that nothing runs on behind
		done := <-next
		if failure == nil {
			failure = done.err
		}
		if failure == nil {
			failure = take(done.result)
		}
		if failure != nil {
			cancel()
		}
	}
	return failure
}
