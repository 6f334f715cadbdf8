package sweep_test

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// TestEachKeepsTheOrder plays cases of which the earlier take longer.
func TestEachKeepsTheOrder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var open, most atomic.Int64
		play := func(_ context.Context, n int) (int, error) {
			most.Store(max(most.Load(), open.Add(1)))
			time.Sleep(time.Duration(10-n) * time.Second)
			open.Add(-1)
			return n, nil
		}
		var got []int
		err := sweep.Each(t.Context(), 3, slices.Values([]int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), play, func(n int) error {
			got = append(got, n)
			return nil
		})
		if err != nil || !slices.IsSorted(got) || len(got) != 10 || most.Load() != 3 {
			t.Errorf("%v, %v, at most %d at a time", got, err, most.Load())
		}
	})
}

func TestEachEndsWithTheFirstError(t *testing.T) {
	t.Parallel()
	broken := errors.New("broken")
	endless := func(yield func(int) bool) {
		for n := 0; yield(n); n++ {
		}
	}
	for name, fails := range map[string]struct{ play, take bool }{"play": {true, false}, "take": {false, true}} {
		var open atomic.Int64
		err := sweep.Each(t.Context(), 4, endless, func(ctx context.Context, n int) (int, error) {
			defer open.Add(-1)
			if open.Add(1); fails.play && n == 5 {
				return 0, broken
			}
			if n > 5 {
				<-ctx.Done() // the failure of case 5 ends it
			}
			return n, ctx.Err()
		}, func(n int) error {
			if fails.take && n == 5 {
				return broken
			}
			return nil
		})
		if !errors.Is(err, broken) || open.Load() != 0 {
			t.Errorf("%s: %v, and %d runs are left", name, err, open.Load())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := sweep.Each(ctx, 1, endless, func(context.Context, int) (int, error) { return 0, nil }, func(int) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Errorf("a run whose context has ended returns %v", err)
	}
}
