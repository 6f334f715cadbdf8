package limits

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

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

// Level is how far a limit is used.
type Level struct {
	Limit     int
	Used      int
	Remaining int
	Reset     time.Duration // Reset is the time until nothing of the limit is used.
}

// Status is what header fields show of an API key's limits: for requests and for tokens the
// level of the rule of which least remains, or where no rule limits them, constants.
type Status struct{ Requests, Tokens Level }

// Unlimited is the status of an API key without limits: that of a large account of the real
// service after its first small request. Limits refill evenly there: after one of 10,000
// requests a minute, the time until nothing is used is 6ms.
var Unlimited = Status{
	Requests: Level{Limit: apierror.RequestsPerMinute, Used: 1, Remaining: apierror.RequestsPerMinute - 1, Reset: 6 * time.Millisecond},
	Tokens:   Level{Limit: apierror.TokensPerMinute, Used: 8, Remaining: apierror.TokensPerMinute - 8, Reset: time.Millisecond},
}

// Status returns how far an API key has used the rules. It counts no request.
func (l *Limiter) Status(apiKey string, rules []Rule) Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a, ok := l.accounts.Get(NameOf(apiKey))
	if !ok {
		a = new(account)
	}
	windows := make([]*window, len(rules))
	for i := range rules {
		w := a.find(rules[i].Of)
		if w == nil {
			w = new(window)
		}
		w.rule = rules[i]
		w.slide(now)
		windows[i] = w
	}
	return statusOf(windows, now)
}

// statusOf returns the levels of the windows in which least remains.
func statusOf(windows []*window, now time.Duration) (s Status) {
	for _, w := range windows {
		requests, tokens := w.levels(now)
		s.Requests, s.Tokens = narrower(s.Requests, requests), narrower(s.Tokens, tokens)
	}
	return Status{cmp.Or(s.Requests, Unlimited.Requests), cmp.Or(s.Tokens, Unlimited.Tokens)}
}

// narrower returns the level of which less remains. A level without a limit is never the narrower one.
func narrower(a, b Level) Level {
	if b.Limit == 0 || a.Limit > 0 && a.Remaining <= b.Remaining {
		return a
	}
	return b
}

// levels are how far the window's rule is used, in requests and in tokens.
func (w *window) levels(now time.Duration) (requests, tokens Level) {
	requests = Level{Limit: w.rule.RPM, Used: len(w.events), Remaining: max(0, w.rule.RPM-len(w.events))}
	tokens = Level{Limit: w.rule.TPM, Used: w.tokens, Remaining: max(0, w.rule.TPM-w.tokens)}
	for i, e := range slices.Backward(w.events) {
		until := w.untilGone(e, now)
		if i == len(w.events)-1 {
			requests.Reset = until
		}
		if e.tokens > 0 {
			tokens.Reset = until
			break
		}
	}
	return requests, tokens
}

// Tell sets the X-Ratelimit header fields of the real service, or of Azure, which has none
// for Reset. Their values may be shared: never change them.
func (s Status) Tell(h http.Header, azure bool) {
	values := unlimitedFields
	if s != Unlimited {
		values = s.fields()
	}
	for i, name := range fieldNames {
		if azure && i >= azureFields {
			return
		}
		h[name] = values[i : i+1 : i+1]
	}
}

// unlimitedFields has the values for [Unlimited], so that most answers share them.
var unlimitedFields = Unlimited.fields()

// fieldNames are the header fields that Tell sets. Azure has the first azureFields of them.
var fieldNames = [...]string{
	"X-Ratelimit-Limit-Requests", "X-Ratelimit-Limit-Tokens",
	"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Remaining-Tokens",
	"X-Ratelimit-Reset-Requests", "X-Ratelimit-Reset-Tokens",
}

const azureFields = 4

func (s Status) fields() []string {
	return []string{
		strconv.Itoa(s.Requests.Limit), strconv.Itoa(s.Tokens.Limit),
		strconv.Itoa(s.Requests.Remaining), strconv.Itoa(s.Tokens.Remaining),
		Duration(s.Requests.Reset), Duration(s.Tokens.Reset),
	}
}

// Duration writes a duration as the real service does: 6m0s, 18.642s, 120ms, 0s. It rounds
// up to whole milliseconds, so that a client which waits that long waits long enough.
func Duration(d time.Duration) string { return Milliseconds(d).String() }

// Milliseconds is d in whole milliseconds, rounded up.
func Milliseconds(d time.Duration) time.Duration {
	if rest := d % time.Millisecond; rest > 0 {
		d += time.Millisecond - rest
	}
	return d
}
