package span

import (
	"context"
	"testing"
	"testing/synctest"
)

// counter counts how often it is told that the server closes.
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

func TestNobodyIsToldOfAServerThatClosesAfterTheEnd(t *testing.T) {
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
