package limits

import (
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

// unlimited is the status of an API key without limits: that of a large account of the real
// service after its first small request. Limits refill evenly there: after one of 10,000
// requests a minute, the time until nothing is used is 6ms.
var unlimited = Status{
	Requests: Level{Limit: apierror.RequestsPerMinute, Used: 1, Remaining: apierror.RequestsPerMinute - 1, Reset: 6 * time.Millisecond},
	Tokens:   Level{Limit: apierror.TokensPerMinute, Used: 8, Remaining: apierror.TokensPerMinute - 8, Reset: time.Millisecond},
}

// Status returns how far an API key has used the rules. It counts no request.
func (l *Limiter) Status(apiKey string, rules []Rule) Status {
	if len(rules) == 0 {
		return unlimited
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a, ok := l.accounts.Get(nameOf(apiKey))
	if !ok {
		a = new(account)
	}
	var s Status
	for i := range rules {
		w := a.find(rules[i].Of)
		if w == nil {
			w = &window{}
		}
		w.rule = rules[i]
		w.slide(now)
		s.narrow(w, now)
	}
	return s.orUnlimited()
}

// narrow takes the levels of a window of which less remains.
func (s *Status) narrow(w *window, now time.Duration) {
	s.Requests = narrower(s.Requests, w.requestLevel(now))
	s.Tokens = narrower(s.Tokens, w.tokenLevel(now))
}

// orUnlimited is the status with the levels of unlimited where no rule limits requests or
// tokens.
func (s Status) orUnlimited() Status {
	if s.Requests.Limit == 0 {
		s.Requests = unlimited.Requests
	}
	if s.Tokens.Limit == 0 {
		s.Tokens = unlimited.Tokens
	}
	return s
}

// narrower is the level of which less remains.
func narrower(a, b Level) Level {
	if a.Limit == 0 || b.Limit > 0 && b.Remaining < a.Remaining {
		return b
	}
	return a
}

func (w *window) requestLevel(now time.Duration) Level {
	level := Level{Limit: w.rule.RPM, Used: len(w.events)}
	if n := len(w.events); n > 0 {
		level.Reset = w.untilGone(w.events[n-1], now)
	}
	level.Remaining = max(0, level.Limit-level.Used)
	return level
}

func (w *window) tokenLevel(now time.Duration) Level {
	level := Level{Limit: w.rule.TPM, Used: w.tokens}
	for _, e := range slices.Backward(w.events) {
		if e.tokens > 0 {
			level.Reset = w.untilGone(e, now)
			break
		}
	}
	level.Remaining = max(0, level.Limit-level.Used)
	return level
}

// Tell sets the X-Ratelimit header fields of the real service, or of Azure, which has none
// for Reset. Their values may be shared: never change them.
func (s Status) Tell(h http.Header, azure bool) {
	values := unlimitedFields
	if s != unlimited {
		values = s.fields()
	}
	names := fieldNames[:]
	if azure {
		names = fieldNames[:azureFields]
	}
	for i, name := range names {
		h[name] = values[i : i+1 : i+1]
	}
}

// unlimitedFields has the values for [unlimited], so that most answers share them.
var unlimitedFields = unlimited.fields()

// fieldNames are the header fields that Tell sets. Azure has the first azureFields of them.
var fieldNames = [...]string{
	"X-Ratelimit-Limit-Requests", "X-Ratelimit-Limit-Tokens",
	"X-Ratelimit-Remaining-Requests", "X-Ratelimit-Remaining-Tokens",
	"X-Ratelimit-Reset-Requests", "X-Ratelimit-Reset-Tokens",
}

const azureFields = 4

// fields are the values of fieldNames.
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
