package sweep

import (
	"cmp"
	"context"
	"iter"
)

// Each plays cases, at most jobs at a time, and passes the results to take, in the order of the cases. After
// an error of play or take it cancels the other runs and returns that error. No run outlives the call.
func Each[C, R any](ctx context.Context, jobs int, cases iter.Seq[C], play func(context.Context, C) (R, error), take func(R) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	type outcome struct {
		result R
		err    error
	}
	runs := make(chan chan outcome, max(1, jobs)-1) // one more is with the loop below
	go func() {
		defer close(runs)
		for c := range cases {
			if ctx.Err() != nil {
				return
			}
			run := make(chan outcome, 1)
			runs <- run
			go func() {
				result, err := play(ctx, c)
				run <- outcome{result, err}
			}()
		}
	}()
	var failure error
	for run := range runs {
		done := <-run
		if failure = cmp.Or(failure, done.err); failure == nil {
			failure = take(done.result)
		}
		if failure != nil {
			cancel()
		}
	}
	return cmp.Or(failure, ctx.Err()) // if the caller's context ended, the runs did with it
}
