package cli

import (
	"context"
	"log/slog"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/sweep"
	"github.com/fakeopenai/fakeopenai/server"
)

// sweeper runs a command under one variant after the other.
type sweeper struct {
	serverFlags
	set       *scenarios.Set
	args      []string // the command
	environ   []string // its environment, without the variables that lead to a server
	timeout   time.Duration
	truncated bool // end answers after and inside each event
	stride    int  // end answers after each so many bytes; 0 does not
	jobs      int  // how many commands run at a time
	log       *slog.Logger
}

// run runs all cases. The scenario as it is written comes first: while the
// command fails with it, all others say nothing.
func (s *sweeper) run(ctx context.Context, variants []sweep.Variant, report *sweepReport) error {
	first, records, err := s.play(ctx, sweepCase{variant: sweep.Variants()[0]})
	if err != nil {
		return err
	}
	if err := report.add(first); err != nil || first.failed() {
		return err
	}
	var cases []sweepCase
	for _, v := range variants {
		if v.YAML != "" {
			cases = append(cases, sweepCase{variant: v})
		}
	}
	cases = append(cases, s.truncations(records)...)
	return s.all(ctx, cases, report.add)
}

// truncations are the cases in which answers end too early, one reply at a time.
func (s *sweeper) truncations(records []server.Record) []sweepCase {
	var cases []sweepCase
	var known []sweepCase
	for _, r := range records {
		c := sweepCase{truncates: true, scenario: r.Scenario, reply: r.Reply, whole: r.Transcript}
		if r.Scenario == "" || r.Status >= 400 || slices.ContainsFunc(known, func(k sweepCase) bool { return k.concerns(r) }) {
			continue
		}
		known = append(known, c)
		var points []sweep.Variant
		if s.truncated {
			points = sweep.Truncations(r.Transcript)
		}
		if s.stride > 0 {
			points = append(points, sweep.TruncationsInBytes(r.Transcript, s.stride)...)
		}
		for _, c.variant = range points {
			cases = append(cases, c)
		}
	}
	return cases
}

// all plays the cases, some at a time, and hands on the results in their order.
func (s *sweeper) all(ctx context.Context, cases []sweepCase, take func(sweepResult) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		result sweepResult
		err    error
	}
	slots := make(chan struct{}, s.jobs)
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
