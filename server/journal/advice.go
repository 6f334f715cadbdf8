package journal

import (
	"net/http"
	"strconv"
	"time"
)

// RetryAdvice is what an answer says about trying again.
type RetryAdvice struct {
	// RetryAfter is the pause that Retry-After-Ms or, without that, Retry-After asks for,
	// the latter in seconds or as a date; nil if neither does.
	RetryAfter *time.Duration `json:"retry_after_ns,omitempty"`
	// ShouldRetry is X-Should-Retry; nil if the answer has none.
	ShouldRetry *bool `json:"should_retry,omitempty"`
}

// AdviceIn returns the advice in an answer's header; nil if there is none. Now is the clock
// for a date in Retry-After.
func AdviceIn(h http.Header, now func() time.Time) *RetryAdvice {
	a := RetryAdvice{RetryAfter: pauseIn(h, now)}
	switch h.Get("X-Should-Retry") {
	case "true":
		a.ShouldRetry = new(true)
	case "false":
		a.ShouldRetry = new(false)
	}
	if a == (RetryAdvice{}) {
		return nil
	}
	return new(a)
}

// pauseIn reads the pause as the official clients do. It returns nil for values that they
// cannot read.
func pauseIn(h http.Header, now func() time.Time) *time.Duration {
	if text := h.Get("Retry-After-Ms"); text != "" {
		if ms, err := strconv.ParseFloat(text, 64); err == nil {
			return inUnits(ms, time.Millisecond)
		}
	}
	text := h.Get("Retry-After")
	if text == "" {
		return nil
	}
	if s, err := strconv.ParseFloat(text, 64); err == nil {
		return inUnits(s, time.Second)
	}
	if at, err := http.ParseTime(text); err == nil {
		d := max(0, at.Sub(now()))
		return &d
	}
	return nil
}

// inUnits returns the duration of n units; nil if it is negative, too long or not a number.
func inUnits(n float64, unit time.Duration) *time.Duration {
	const longest = 1e9 * float64(time.Second)
	d := n * float64(unit)
	if !(d >= 0 && d <= longest) {
		return nil
	}
	pause := time.Duration(d)
	return &pause
}
