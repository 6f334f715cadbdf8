package limits

import (
	"slices"
	"strconv"
	"time"
)

// Level is how far a limit is used.
type Level struct {
	Limit     int
	Used      int
	Remaining int
	Reset     time.Duration // Reset is the time until nothing of the limit is used.
}

// Status is what header fields show of an API key's limits: for requests and for tokens the
// level of the rule of which least remains. Rules that are only told count if there is no
// other.
type Status struct{ Requests, Tokens Level }

// Status returns how far an API key has used the rules. It counts no request.
func (l *Limiter) Status(apiKey string, rules []Rule) Status {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.now()
	a := l.peek(apiKey)
	var told narrowestLevels
	for i := range rules {
		w := a.find(rules[i].Of)
		if w == nil {
			w = &window{}
		}
		w.rule = rules[i]
		w.slide(now)
		told.take(w, now)
	}
	return told.status()
}

// narrowestLevels finds, among several windows, the levels of which least remains.
type narrowestLevels struct{ requests, tokens narrowest }

func (n *narrowestLevels) take(w *window, now time.Duration) {
	n.requests.take(w.requestLevel(now), w.rule.Told)
	n.tokens.take(w.tokenLevel(now), w.rule.Told)
}

func (n *narrowestLevels) status() Status { return Status{n.requests.Level, n.tokens.Level} }

// narrowest finds the level of which least remains.
type narrowest struct {
	Level
	told bool // told says that the level is of a rule that is only told; a level of another rule replaces it.
}

func (n *narrowest) take(level Level, told bool) {
	first := n.Limit == 0 || n.told && !told
	if level.Limit > 0 && (first || n.told == told && level.Remaining < n.Remaining) {
		n.Level, n.told = level, told
	}
}

// peek returns the account of an API key; an empty one if it has none.
func (l *Limiter) peek(apiKey string) *account {
	if e, ok := l.accounts[nameOf(apiKey)]; ok {
		return e.Value.(*account)
	}
	return &account{}
}

func (w *window) requestLevel(now time.Duration) Level {
	level := Level{Limit: w.rule.RPM, Used: len(w.events)}
	if n := len(w.events); n > 0 {
		level.Reset = w.untilGone(w.events[n-1], now)
	}
	return w.completed(level)
}

func (w *window) tokenLevel(now time.Duration) Level {
	level := Level{Limit: w.rule.TPM, Used: w.tokens}
	for _, e := range slices.Backward(w.events) {
		if e.tokens > 0 {
			level.Reset = w.untilGone(e, now)
			break
		}
	}
	return w.completed(level)
}

// completed computes Remaining and, for a rule that is only told, Reset. Limits of the real
// service refill evenly: after one of 10,000 requests a minute, Reset is 6ms.
func (w *window) completed(level Level) Level {
	level.Remaining = max(0, level.Limit-level.Used)
	if w.rule.Told && level.Limit > 0 {
		level.Reset = time.Duration(float64(w.rule.Period()) * float64(level.Used) / float64(level.Limit))
	}
	return level
}

// Tell sets the X-Ratelimit header fields of the real service, or of Azure, which has none
// for Reset.
func (s Status) Tell(set func(name, value string), azure bool) {
	const fields, size = 6, 64
	var room [size]byte
	var ends [fields]int
	text := room[:0]
	for i, n := range [...]int{s.Requests.Limit, s.Tokens.Limit, s.Requests.Remaining, s.Tokens.Remaining} {
		text = strconv.AppendInt(text, int64(n), 10)
		ends[i] = len(text)
	}
	for i, d := range [...]time.Duration{s.Requests.Reset, s.Tokens.Reset} {
		text = append(text, Duration(d)...)
		ends[i+4] = len(text)
	}
	all := string(text) // one allocation for all fields
	set("X-Ratelimit-Limit-Requests", all[:ends[0]])
	set("X-Ratelimit-Limit-Tokens", all[ends[0]:ends[1]])
	set("X-Ratelimit-Remaining-Requests", all[ends[1]:ends[2]])
	set("X-Ratelimit-Remaining-Tokens", all[ends[2]:ends[3]])
	if !azure {
		set("X-Ratelimit-Reset-Requests", all[ends[3]:ends[4]])
		set("X-Ratelimit-Reset-Tokens", all[ends[4]:])
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
