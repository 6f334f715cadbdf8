package hint

import (
	"fmt"
	"net/http"
	"regexp"
	"strings"
)

// codeLike are words as codes and types of errors have them.
var codeLike = regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`)

// statusWords are names of statuses beside the official ones.
var statusWords = map[string]int{
	"rate limit": 429, "rate limited": 429, "ratelimit": 429, "throttled": 429, "overloaded": 503, "unavailable": 503,
}

// ErrorWord is the YAML that is probably meant by a text that stands for a whole
// error: a code, a type, the name of a status, or a way in which a connection fails.
// It is "" for any other text. Silence is how a time-out is written.
func ErrorWord(text, silence string) string {
	words := strings.ToLower(strings.NewReplacer("_", " ", "-", " ").Replace(text))
	switch words {
	case "timeout", "time out", "timed out":
		return silence + " for silence, or error: { status: 504 }"
	case "reset", "connection reset":
		return "end: reset"
	case "disconnect", "disconnected", "connection closed":
		return "end: cut"
	case "refused", "connection refused":
		return "end: refuse"
	}
	if status := statusNamed(words); status > 0 {
		return fmt.Sprintf("error: { status: %d }", status)
	}
	switch {
	case !codeLike.MatchString(text):
		return ""
	case strings.HasSuffix(text, "_error"):
		return fmt.Sprintf("error: { type: %s }", text)
	}
	return fmt.Sprintf("error: { code: %s }", text)
}

// statusNamed is the status of an error that has this name, or 0.
func statusNamed(words string) int {
	if status := statusWords[words]; status > 0 {
		return status
	}
	for _, status := range []int{400, 401, 403, 404, 422, 429, 502, 503, 504} {
		if strings.EqualFold(http.StatusText(status), words) {
			return status
		}
	}
	return 0
}
