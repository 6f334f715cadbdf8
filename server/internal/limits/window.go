package limits

import (
	"cmp"
	"slices"
	"time"
)

// window is what one API key has spent of one rule.
type window struct {
	rule   Rule
	events []event // events are the requests in the window, the oldest first.
	last   int64   // last is the number of the newest event; 0 before the first.
	tokens int     // tokens is the sum of the tokens of all events.
	open   int     // open counts the open answers.
}

// event is a request that was let in. It has no pointers (a time.Time has one), because
// there may be many thousands.
type event struct {
	at     time.Duration // at is the time from when the limiter was made to the request.
	tokens int
	number int64
}

// slide drops the events that are as old as the window is long, or older. A client that
// waits exactly as long as it was told is therefore let in.
func (w *window) slide(now time.Duration) {
	for len(w.events) > 0 && now-w.events[0].at >= w.rule.Period() {
		w.tokens -= w.events[0].tokens
		w.events = w.events[1:]
	}
}

// enter counts a request and returns the number of its event; 0 if the rule counts only open
// answers.
func (w *window) enter(now time.Duration, tokens int) (number int64) {
	w.open++
	if !w.rule.counts() {
		return 0
	}
	w.last++
	w.events = append(w.events, event{at: now, tokens: tokens, number: w.last})
	w.tokens += tokens
	return w.last
}

// find returns the index of the event with the number, or false if the window does not have
// it any more. Mostly no event was removed, and the numbers are consecutive.
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

// refuse returns why the request cannot be let in now; nil if it can.
func (w *window) refuse(now time.Duration, prompt int) *Refusal {
	rule := &w.rule
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

// untilRequest is the time until one more request fits into the window.
func (w *window) untilRequest(now time.Duration) time.Duration {
	last := len(w.events) - w.rule.RPM
	if w.rule.RPM == 0 || last < 0 {
		return 0
	}
	return w.untilGone(w.events[last], now)
}

// untilTokens is the time until so many tokens fit into the window; forever if they never
// do.
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
