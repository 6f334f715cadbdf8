package span

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

// counter counts the calls of ServerCloses.
type counter struct{ told int }

func (c *counter) ServerCloses() { c.told++ }

func isDone(s *Span) bool {
	select {
	case <-s.Done():
		return true
	default:
		return false
	}
}

func TestASpanEndsWithItsRequestAndWithTheServer(t *testing.T) {
	t.Parallel()
	for _, waited := range []bool{false, true} {
		for _, tt := range []struct {
			name   string
			end    func(spans *Spans, leave func(), s *Span)
			closed bool
			told   int
		}{
			{"the client leaves", func(_ *Spans, leave func(), _ *Span) { leave() }, false, 0},
			{"the server closes", func(spans *Spans, _ func(), _ *Span) { spans.Close() }, true, 1},
			{"the server closes twice", func(spans *Spans, _ func(), _ *Span) { spans.Close(); spans.Close() }, true, 1},
			{"the client leaves first", func(spans *Spans, leave func(), _ *Span) { leave(); spans.Close() }, false, 0},
		} {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				synctest.Test(t, func(t *testing.T) {
					var spans Spans
					var s Span
					var told counter
					request, leave := context.WithCancel(t.Context())
					defer leave()
					spans.Begin(&s, request, &told)
					if waited && isDone(&s) || s.Err() != nil || s.Closed() {
						t.Fatal("it is over at once")
					}
					tt.end(&spans, leave, &s)
					synctest.Wait()
					if !isDone(&s) || s.Err() == nil || s.Closed() != tt.closed || told.told != tt.told {
						t.Errorf("done: %t, error: %v, closed: %t, told: %d", isDone(&s), s.Err(), s.Closed(), told.told)
					}
					s.End()
					if len(spans.open) != 0 || s.Closed() != tt.closed {
						t.Errorf("%d are open, closed: %t", len(spans.open), s.Closed())
					}
				})
			})
		}
	}
}

func TestASpanThatEndedIsNotToldThatTheServerCloses(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var spans Spans
		var before, after Span
		var told counter
		spans.Begin(&before, t.Context(), &told)
		done := before.Done()
		before.End()
		<-done
		spans.Close()
		synctest.Wait()
		if told.told != 0 || before.Closed() {
			t.Errorf("told %d times, closed: %t", told.told, before.Closed())
		}
		spans.Begin(&after, t.Context(), &told)
		if told.told != 1 || after.Err() == nil || !isDone(&after) {
			t.Errorf("what begins later: told %d times, error: %v", told.told, after.Err())
		}
		after.End()
	})
}

func TestFunctionsAfterTheEndOfASpanAreCalledOnce(t *testing.T) {
	t.Parallel()
	for name, end := range map[string]func(spans *Spans, leave func(), s *Span){
		"the client leaves": func(_ *Spans, leave func(), _ *Span) { leave() },
		"the server closes": func(spans *Spans, _ func(), _ *Span) { spans.Close() },
		"it is over":        func(_ *Spans, _ func(), s *Span) { s.End() },
		"one after another": func(spans *Spans, leave func(), s *Span) { leave(); spans.Close(); s.End() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var spans Spans
				var s Span
				request, leave := context.WithCancel(t.Context())
				defer leave()
				spans.Begin(&s, request, &counter{})
				var first, second, stopped, late atomic.Int32
				s.AfterFunc(func() { first.Add(1) })
				stop := s.AfterFunc(func() { stopped.Add(1) })
				stopSecond := context.AfterFunc(&s, func() { second.Add(1) })
				if synctest.Wait(); first.Load()+second.Load() != 0 || !stop() || stop() {
					t.Fatal("called before the end, or not stopped once")
				}
				end(&spans, leave, &s)
				synctest.Wait()
				s.AfterFunc(func() { late.Add(1) })
				synctest.Wait()
				if first.Load() != 1 || second.Load() != 1 || stopped.Load() != 0 || late.Load() != 1 || stopSecond() {
					t.Errorf("called %d, %d and %d times, what was stopped %d times", first.Load(), second.Load(), late.Load(), stopped.Load())
				}
			})
		})
	}
}
