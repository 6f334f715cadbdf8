package limits

import (
	"cmp"
	"slices"
	"time"
)

// window is what one API key has spent of one limit.
type window struct {
	rule   Rule
	events []event // events are the requests in the window, the oldest first.
	last   int64   // last is the number of the event that came last; 0 if none did.
	tokens int     // tokens is the sum of those of the events.
	open   int     // open counts the answers that go on.
}

// event is a request that was let in. There are thousands of them, so it holds no
// pointer, which a time.Time does.
type event struct {
	at     time.Duration // at is when it was let in, since the limiter was made.
	tokens int
	number int64
}

// slide lets the events go that are older than the window is long: one that is
// exactly as old counts no more, so that waiting for as long as was asked suffices.
func (w *window) slide(now time.Duration) {
	for len(w.events) > 0 && now-w.events[0].at >= w.rule.Period() {
		w.dropOldest()
	}
}

func (w *window) dropOldest() {
	w.tokens -= w.events[0].tokens
	w.events = w.events[1:]
}

// enter counts a request. What is only told of is not counted beyond the limit, so
// that a server without limits remembers no more requests than it tells of. The number
// is that of the event, 0 if only open answers are counted.
func (w *window) enter(now time.Duration, tokens int) (number int64) {
	w.open++
	if !w.rule.counts() {
		return 0
	}
	if w.rule.Told && len(w.events) >= w.rule.RPM {
		w.dropOldest()
	}
	w.last++
	w.events = append(w.events, event{at: now, tokens: tokens, number: w.last})
	w.tokens += tokens
	return w.last
}

// find is where the event of a number is, if it is in the window still. Mostly none
// between was removed, and the numbers follow each other.
func (w *window) find(number int64) (i int, ok bool) {
	if len(w.events) > 0 {
		i = int(number - w.events[0].number)
	}
	if 0 <= i && i < len(w.events) && w.events[i].number == number {
		return i, true
	}
	return slices.BinarySearchFunc(w.events, number, func(e event, number int64) int { return cmp.Compare(e.number, number) })
}

func (w *window) spend(number int64, tokens int) {
	if i, ok := w.find(number); ok {
		w.events[i].tokens += tokens
		w.tokens += tokens
	}
}

func (w *window) remove(number int64) {
	if i, ok := w.find(number); ok {
		w.tokens -= w.events[i].tokens
		w.events = slices.Delete(w.events, i, i+1)
	}
}

// refuse says why a request cannot be let in now; nil if it can.
func (w *window) refuse(now time.Duration, prompt int) *Refusal {
	rule := &w.rule
	if rule.Told {
		return nil
	}
	var refusal *Refusal
	beyond := func(unit Unit, limit, used, requested int, wait time.Duration) {
		r := &Refusal{Of: rule.Of, Unit: unit, Limit: limit, Used: used, Requested: requested, Wait: wait}
		if limit > 0 && used+requested > limit && (refusal == nil || r.longerThan(refusal)) {
			refusal = r
		}
	}
	beyond(Concurrent, rule.Concurrent, w.open, 1, concurrentPause)
	beyond(Requests, rule.RPM, len(w.events), 1, w.untilRequest(now))
	beyond(Tokens, rule.TPM, w.tokens, prompt, w.untilTokens(now, prompt))
	return refusal
}

// untilRequest is how long it is until one more request fits into the window.
func (w *window) untilRequest(now time.Duration) time.Duration {
	last := len(w.events) - w.rule.RPM
	if w.rule.RPM == 0 || last < 0 {
		return 0
	}
	return w.untilGone(w.events[last], now)
}

// untilTokens is how long it is until so many tokens fit into the window, or
// forever if they never do.
func (w *window) untilTokens(now time.Duration, tokens int) time.Duration {
	if w.rule.TPM == 0 {
		return 0
	}
	if tokens > w.rule.TPM {
		return forever
	}
	used := w.tokens
	for _, e := range w.events {
		if used+tokens <= w.rule.TPM {
			break
		}
		if used -= e.tokens; used+tokens <= w.rule.TPM {
			return w.untilGone(e, now)
		}
	}
	return 0
}

func (w *window) untilGone(e event, now time.Duration) time.Duration {
	return e.at + w.rule.Period() - now
}
