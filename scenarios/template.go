package scenarios

import "strings"

// EscapeActions is a template that is rendered to the given text, whatever
// actions that text seems to hold.
func EscapeActions(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// IsTemplate reports whether the text holds template actions, so that it depends
// on the request.
func (t Text) IsTemplate() bool { return !t.Literal && strings.Contains(t.Source, "{{") }
