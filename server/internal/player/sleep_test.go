package player

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// leftDuringAWrite is a sink whose reader leaves during the nth write.
type leftDuringAWrite struct {
	tape
	nth   int
	leave func()
}

func (l *leftDuringAWrite) Write(p []byte, w *Write) (int, error) {
	if l.nth--; l.nth == 0 {
		l.leave()
	}
	return l.tape.Write(p, w)
}

// When the context ends, it fires the timer on which a stream waits. It may end before the timer
// is set, or while no stream waits on it.
func TestAStreamStopsWhenItsContextEndsDuringAWrite(t *testing.T) {
	t.Parallel()
	frames := []Frame{frame(0, "a"), frame(time.Second, "b"), frame(time.Hour, "c"), frame(2*time.Hour, "d")}
	for nth, after := range []time.Duration{0, time.Second, time.Hour} {
		for name, slow := range map[string]time.Duration{"at once": 0, "the news comes first": time.Minute} {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					ctx, cancel := context.WithCancel(t.Context())
					defer cancel()
					sink := &leftDuringAWrite{tape{start: time.Now()}, nth + 1, func() { cancel(); time.Sleep(slow) }}
					report := Play(ctx, &Program{Frames: frames}, new(Values), sink, nil, 1)
					if took := time.Since(sink.start); !errors.Is(report.Err, context.Canceled) || report.Frames != nth+1 || took != after+slow {
						t.Errorf("report %+v after %v, want %d frames and the end after %v", report, took, nth+1, after+slow)
					}
				})
			})
		}
	}
}

func TestAHeaderDelayEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		if err := Pause(ctx, &Program{HeaderDelay: time.Second}, 1); err != nil || time.Since(start) != time.Second {
			t.Errorf("%v after %v, want no error after 1s", err, time.Since(start))
		}
		if err := Pause(ctx, &Program{HeaderDelay: time.Hour}, 1); !errors.Is(err, context.DeadlineExceeded) || time.Since(start) != time.Minute {
			t.Errorf("%v after %v, want the deadline after 1m0s", err, time.Since(start))
		}
	})
}
