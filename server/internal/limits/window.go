package limits

import "time"

// window is what one API key has spent of one rule.
type window struct {
	rule   Rule
	events []*event // events are the requests in the window, the oldest first.
	tokens int      // tokens is the sum of the tokens of all events.
	open   int      // open counts the open answers.
}

// event is a request that was let in, in one window.
type event struct {
	window *window
	at     time.Duration // at is the time from when the limiter was made to the request.
	tokens int
	gone   bool // gone says that the event is not among the events of the window.
}

// slide drops the events that are as old as the window is long, or older. A client that
// waits exactly as long as it was told is therefore let in.
func (w *window) slide(now time.Duration) {
	for len(w.events) > 0 && now-w.events[0].at >= w.rule.Period() {
		w.tokens -= w.events[0].tokens
		w.events[0].gone = true
		w.events = w.events[1:]
	}
}

// enter counts a request and returns its event, which is among those of the window unless the
// rule counts only open answers.
func (w *window) enter(now time.Duration, tokens int) *event {
	w.open++
	e := &event{window: w, at: now, tokens: tokens, gone: w.rule.RPM == 0 && w.rule.TPM == 0}
	if !e.gone {
		w.events = append(w.events, e)
		w.tokens += tokens
	}
	return e
}

// refuse returns why the request cannot be let in now; nil if it can.
func (w *window) refuse(now time.Duration, prompt int) *Refusal {
	rule := &w.rule
	var refusal *Refusal
	beyond := func(unit Unit, limit, used, requested int, wait time.Duration) {
		if limit > 0 && used+requested > limit && (refusal == nil || wait > refusal.Wait) {
			refusal = &Refusal{Of: rule.Of, Unit: unit, Limit: limit, Used: used, Requested: requested, Wait: wait}
		}
	}
	beyond(Concurrent, rule.Concurrent, w.open, 1, concurrentPause)
	beyond(Requests, rule.RPM, len(w.events), 1, w.untilRequest(now))
	beyond(Tokens, rule.TPM, w.tokens, prompt, w.untilTokens(now, prompt))
	return refusal
}

func (w *window) untilRequest(now time.Duration) time.Duration {
	last := len(w.events) - w.rule.RPM
	if w.rule.RPM == 0 || last < 0 {
		return 0
	}
	return w.untilGone(w.events[last], now)
}

// untilTokens is the time until a number of tokens fits into the window; forever if it never
// does.
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

func (w *window) untilGone(e *event, now time.Duration) time.Duration {
	return e.at + w.rule.Period() - now
}
