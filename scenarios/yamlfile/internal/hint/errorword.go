package hint

import (
	"fmt"
	"regexp"
	"strings"
	"sync"
)

// codeLike are words as codes and types of errors have them.
var codeLike = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z]+(_[a-z]+)+$`) })

// statusFirst is a text that begins with an HTTP status, or is nothing else.
var statusFirst = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^(?:http |status |error )?([45][0-9][0-9])\b`) })

// statusWords are names of statuses: those of RFC 9110, and others that people use.
var statusWords = map[string]int{
	"bad request": 400, "unauthorized": 401, "forbidden": 403, "not found": 404, "unprocessable entity": 422,
	"too many requests": 429, "bad gateway": 502, "service unavailable": 503, "gateway timeout": 504,
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
