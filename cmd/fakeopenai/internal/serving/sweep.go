package serving

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
)

// Sweep runs a command under the variants of a sweep.
type Sweep struct {
	console.ServerFlags
	Set  *scenarios.Set
	Args []string // Args are the command and its arguments.
	// Environ is the command's environment, before those variables are added that
	// direct clients to the server.
	Environ   []string
	Preset    string        // Preset names the variables to add; see Environment.
	Timeout   time.Duration // Timeout is the time without traffic after which the command hangs.
	Truncated bool          // Truncated also ends answers after and inside each event.
	Stride    int           // Stride also ends answers after every Stride bytes; 0 does not.
	Held      bool          // Held also lets answers stand still in the middle.
	Jobs      int           // Jobs is the number of commands that run at a time.
	Log       *slog.Logger
}

// Run runs all cases and adds the results to the report. The scenario as written comes
// first; if the command fails with that, Run stops, because the variants would prove
// nothing. An error means that a command could not be run.
func (s *Sweep) Run(ctx context.Context, cases []sweep.Case, report *SweepReport) error {
	first, answers, err := s.play(ctx, sweep.AsWritten())
	if err != nil {
		return err
	}
	if err := report.add(first); err != nil || first.Failed {
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

// points returns the variants that end an answer too early.
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

// all runs the cases, at most Jobs at a time, and passes the results to take in the
// order of the cases. After an error it cancels the other runs.
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
	for _, next := range outcomes { // also after an error, so that no run outlives this call
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
