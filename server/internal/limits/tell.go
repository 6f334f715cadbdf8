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
	Reset     time.Duration // Reset is how long it is until all of it is there again.
}

// Status is what an API key is told of its limits: for requests and for tokens
// that of the rule of which least remains. Rules that are only told of stand in
// where there is no other.
type Status struct{ Requests, Tokens Level }

// Status is how far an API key has used what the rules limit. It counts nothing.
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

// narrowestLevels are the levels of which least remains, of several windows.
type narrowestLevels struct{ requests, tokens narrowest }

func (n *narrowestLevels) take(w *window, now time.Duration) {
	n.requests.take(w.requestLevel(now), w.rule.Told)
	n.tokens.take(w.tokenLevel(now), w.rule.Told)
}

func (n *narrowestLevels) status() Status { return Status{n.requests.Level, n.tokens.Level} }

// narrowest is the level of which least remains.
type narrowest struct {
	Level
	told bool // told says that nobody is refused by it, so that any other comes first.
}

func (n *narrowest) take(level Level, told bool) {
	first := n.Limit == 0 || n.told && !told
	if level.Limit > 0 && (first || n.told == told && level.Remaining < n.Remaining) {
		n.Level, n.told = level, told
	}
}

// peek is the account of an API key, an empty one if it has none.
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

// completed fills in what follows of a level. Limits that are only told of speak
// as those of the real service, which fill up evenly: after one of 10,000 requests
// a minute all are there again in 6ms.
func (w *window) completed(level Level) Level {
	level.Remaining = max(0, level.Limit-level.Used)
	if w.rule.Told && level.Limit > 0 {
		level.Reset = time.Duration(float64(w.rule.Period()) * float64(level.Used) / float64(level.Limit))
	}
	return level
}

// Tell sets the fields of a header that tell the status, as the real service does, or
// as Azure, which does not say when a limit is whole again.
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
	all := string(text) // one piece of memory for all fields
	set("X-Ratelimit-Limit-Requests", all[:ends[0]])
	set("X-Ratelimit-Limit-Tokens", all[ends[0]:ends[1]])
	set("X-Ratelimit-Remaining-Requests", all[ends[1]:ends[2]])
	set("X-Ratelimit-Remaining-Tokens", all[ends[2]:ends[3]])
	if !azure {
		set("X-Ratelimit-Reset-Requests", all[ends[3]:ends[4]])
		set("X-Ratelimit-Reset-Tokens", all[ends[4]:])
	}
}

// Duration writes a length of time as the real service does: 6m0s, 18.642s, 120ms,
// 0s. Parts of a millisecond are rounded up, so that waiting for it suffices.
func Duration(d time.Duration) string { return Milliseconds(d).String() }

// Milliseconds is d in whole milliseconds, rounded up.
func Milliseconds(d time.Duration) time.Duration {
	if rest := d % time.Millisecond; rest > 0 {
		d += time.Millisecond - rest
	}
	return d
}
