package recording

import (
	"regexp"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// placeholderPattern matches the placeholders of redacted secrets. In a condition, a placeholder
// matches any text.
var placeholderPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`redacted-[a-z]+-[0-9a-f]{6}`) })

// textIs is the condition that a text equals the given one, in which placeholders match any
// text. A text that looks like a template becomes a regular expression, so that it is not
// taken for a template.
func textIs(text string) *scenarios.TextMatch {
	if isPlain(text) {
		return &scenarios.TextMatch{Equals: &text}
	}
	return &scenarios.TextMatch{Matches: regexp.MustCompile("(?s)^" + pattern(text) + "$")}
}

// Containing is the condition that a text contains the given one, in which a
// placeholder of the [Redactor] stands for any text.
func Containing(text string) *scenarios.TextMatch {
	if isPlain(text) {
		return &scenarios.TextMatch{Contains: &text}
	}
	return &scenarios.TextMatch{Matches: regexp.MustCompile("(?s)" + pattern(text))}
}

// pattern is a regular expression for a text, in which placeholders match any text.
func pattern(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range placeholderPattern().FindAllStringIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[at:m[0]]) + ".+")
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(text[at:]))
	return b.String()
}

// isPlain reports whether a text has no placeholder and does not look like a template.
func isPlain(text string) bool {
	return !strings.Contains(text, "{{") && !placeholderPattern().MatchString(text)
}
