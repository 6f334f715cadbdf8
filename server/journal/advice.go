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

// AdviceIn returns the advice in an answer's header; nil if there is none. It reads the pause as
// the official clients do, and ignores one that they cannot read. Now is the clock for a date in
// Retry-After.
func AdviceIn(h http.Header, now func() time.Time) *RetryAdvice {
	var a RetryAdvice
	if text := h.Get("X-Should-Retry"); text == "true" || text == "false" {
		a.ShouldRetry = new(text == "true")
	}
	if text := h.Get("Retry-After"); text != "" {
		if seconds, err := strconv.ParseFloat(text, 64); err == nil {
			a.RetryAfter = inUnits(seconds, time.Second)
		} else if at, err := http.ParseTime(text); err == nil {
			a.RetryAfter = new(max(0, at.Sub(now())))
		}
	}
	if text := h.Get("Retry-After-Ms"); text != "" {
		if ms, err := strconv.ParseFloat(text, 64); err == nil {
			a.RetryAfter = inUnits(ms, time.Millisecond)
		}
	}
	if a == (RetryAdvice{}) {
		return nil
	}
	return new(a)
}

// inUnits returns the duration of n units; nil if it is negative, too long or not a number.
func inUnits(n float64, unit time.Duration) *time.Duration {
	const longest = 1e9 * float64(time.Second)
	if d := n * float64(unit); d >= 0 && d <= longest {
		return new(time.Duration(d))
	}
	return nil
}
