package journal

import (
	"fmt"
	"net/http"
	"slices"
	"time"
)

// WrongRetries returns the requests that are wrong retries, and those that were not retried
// although they should have been. Problem of each says why. A retry is wrong if
//
//   - it came before the end of the pause for which the answer before it asked, or
//   - that answer had X-Should-Retry: false, or
//   - that answer had the status 200, or one of 400 to 499 other than 408, 409 and 429, which
//     the same request gets again, and not X-Should-Retry: true.
//
// A request should have been retried if it is the only attempt of its call, and failed with the
// status 429 or one from 500 without X-Should-Retry: false.
//
// The entries must be in order of arrival. [Call] says which of them belong together.
func WrongRetries(entries []Entry) (wrong []Entry) {
	calls, _ := group(entries)
	for _, c := range calls {
		report := c.report().Attempts
		for i := 1; i < len(report); i++ {
			if why := wrongRetry((*c)[i-1], &report[i]); why != "" {
				wrong = append(wrong, withProblem((*c)[i], why))
			}
		}
		if first := (*c)[0]; len(*c) == 1 && first.Failed && first.asksForRetry() {
			wrong = append(wrong, withProblem(first, fmt.Sprintf("there was no retry after the status %d", first.Status)))
		}
	}
	slices.SortFunc(wrong, func(a, b Entry) int { return int(a.ID - b.ID) })
	return wrong
}

func withProblem(e *Entry, why string) Entry {
	shown := e.shown()
	shown.Problem = why
	return shown
}

// wrongRetry says what is wrong with a retry after the answer of another attempt; "" if nothing.
func wrongRetry(before *Entry, retry *Attempt) string {
	should := before.shouldRetry()
	switch {
	case should != nil && !*should:
		return fmt.Sprintf("it is a retry after the status %d with X-Should-Retry: false", before.Status)
	case retry.Verdict == VerdictEarly:
		return fmt.Sprintf("it is a retry %s after the status %d, which asked for a pause of %s", retry.Gap.Round(time.Millisecond), before.Status, *retry.Asked)
	case should == nil && isFinal(before.Status):
		return fmt.Sprintf("it is a retry after the status %d, after which none is allowed", before.Status)
	}
	return ""
}

// isFinal reports whether a status means that the same request must not be sent again.
func isFinal(status int) bool {
	switch status {
	case http.StatusRequestTimeout, http.StatusConflict, http.StatusTooManyRequests:
		return false
	}
	return status >= http.StatusOK && status < http.StatusInternalServerError
}

// asksForRetry reports whether clients send the request again that got this answer.
func (e *Entry) asksForRetry() bool {
	should := e.shouldRetry()
	return (should == nil || *should) && (e.Status == http.StatusTooManyRequests || e.Status >= http.StatusInternalServerError)
}

// shouldRetry is X-Should-Retry of the answer; nil if it has none.
func (e *Entry) shouldRetry() *bool {
	if e.Advice == nil {
		return nil
	}
	return e.Advice.ShouldRetry
}
