package scenarios

import "strings"

// EscapeActions returns a template whose rendering is the given text, even if the
// text contains {{ }}.
func EscapeActions(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// IsTemplate reports whether the text holds template actions, so that it depends
// on the request.
func (t Text) IsTemplate() bool { return !t.Literal && strings.Contains(t.Source, "{{") }
