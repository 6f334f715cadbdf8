// Package condition derives the conditions of recorded scenarios from the requests
// that were recorded, and tells these requests apart.
package condition

import (
	"regexp"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Placeholder is the form of what stands in the place of a secret. Conditions take
// any text there.
var Placeholder = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`redacted-[a-z]+-[0-9a-f]{6}`) })

// Is is the condition that a text is this one. In the place of what was redacted
// stands any text. A text that looks like a template is said as a regular
// expression, so that nobody takes it for one.
func Is(text string) *scenarios.TextMatch {
	if isPlain(text) {
		return &scenarios.TextMatch{Equals: &text}
	}
	return &scenarios.TextMatch{Matches: regexp.MustCompile("(?s)^" + pattern(text) + "$")}
}

// Contains is the condition that a text contains this one, in the same way.
func Contains(text string) *scenarios.TextMatch {
	if isPlain(text) {
		return &scenarios.TextMatch{Contains: &text}
	}
	return &scenarios.TextMatch{Matches: regexp.MustCompile("(?s)" + pattern(text))}
}

// pattern is a text as a regular expression that takes any text in the place of what
// was redacted.
func pattern(text string) string {
	var b strings.Builder
	at := 0
	for _, m := range Placeholder().FindAllStringIndex(text, -1) {
		b.WriteString(regexp.QuoteMeta(text[at:m[0]]) + ".+")
		at = m[1]
	}
	b.WriteString(regexp.QuoteMeta(text[at:]))
	return b.String()
}

// isPlain reports whether a text can be asked for as it is.
func isPlain(text string) bool {
	return !strings.Contains(text, "{{") && !Placeholder().MatchString(text)
}
