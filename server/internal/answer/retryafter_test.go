package answer

import (
	"net/http"
	"testing"
	"time"
)

// If a client waits as long as Retry-After says, its next request is not refused.
func TestRetryAfterIsRoundedUp(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		0: "0 ", 2 * time.Second: "2 ", 1500 * time.Millisecond: "2 1500", 1500*time.Microsecond + 1: "1 2", time.Nanosecond: "1 1",
	} {
		h := http.Header{}
		retryAfter(h, d)
		if got := h.Get("Retry-After") + " " + h.Get("Retry-After-Ms"); got != want {
			t.Errorf("%s: got %q, want %q", d, got, want)
		}
	}
}
