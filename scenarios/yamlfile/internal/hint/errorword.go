package hint

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// codeLike matches words that look like a code or a type of an error.
var codeLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`) })

// statusFirst matches a text that begins with an HTTP status.
var statusFirst = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:http |status |error )?([45][0-9][0-9])\b`) })

// statusWords are names of statuses: those of RFC 9110, and others that people use.
var statusWords = map[string]int{
	"bad request": 400, "unauthorized": 401, "forbidden": 403, "not found": 404, "unprocessable entity": 422,
	"too many requests": 429, "bad gateway": 502, "service unavailable": 503, "gateway timeout": 504,
	"rate limit": 429, "rate limited": 429, "ratelimit": 429, "throttled": 429, "overloaded": 503, "unavailable": 503,
}

// ErrorWord returns the YAML that was probably meant by an error that is only a text: a
// code, a type, a status or its name, or a way in which a connection fails. For any other
// text it returns "". Silence is the YAML for a time-out.
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
	if status := statusWords[words]; status > 0 {
		return fmt.Sprintf("error: { status: %d }", status)
	}
	if m := statusFirst().FindStringSubmatch(words); m != nil {
		return fmt.Sprintf("error: { status: %s }", m[1])
	}
	switch {
	case !codeLike().MatchString(text):
		return ""
	case strings.HasSuffix(text, "_error"):
		return fmt.Sprintf("error: { type: %s }", text)
	}
	return fmt.Sprintf("error: { code: %s }", text)
}
