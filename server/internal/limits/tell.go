package limits

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

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

// statusOf has the levels of the windows of which least remains.
func statusOf(windows []*window, now time.Duration) (s Status) {
	for _, w := range windows {
		requests, tokens := w.levels(now)
		s.Requests, s.Tokens = narrower(s.Requests, requests), narrower(s.Tokens, tokens)
	}
	return Status{cmp.Or(s.Requests, Unlimited.Requests), cmp.Or(s.Tokens, Unlimited.Tokens)}
}

// narrower is the level of which less remains, of those that are limited.
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
