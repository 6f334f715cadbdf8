package scenarios

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// fromRequest reports whether what is generated depends on the request.
func (f *Fake) FromRequest() bool { return f.JSONSchema != nil && f.JSONSchema.FromRequest }

// fromRequest reports whether the arguments depend on the request.
func (a *Arguments) FromRequest() bool {
	return a.Fake || a.Text.Value.IsTemplate() || a.Value != nil && ValueIsTemplate(*a.Value)
}

// escapeActions is a template that comes out as text.
func EscapeActions(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// isTemplate reports whether the text depends on the request.
func (t Text) IsTemplate() bool { return !t.Literal && HasAction(t.Source) }

func HasAction(source string) bool { return strings.Contains(source, "{{") }

// valueIsTemplate reports whether a text inside v depends on the request.
func ValueIsTemplate(v ojson.Value) bool {
	if v.Kind() == ojson.StringKind {
		return HasAction(v.Text())
	}
	for _, item := range v.Items() {
		if ValueIsTemplate(item) {
			return true
		}
	}
	for _, m := range v.Members() {
		if ValueIsTemplate(m.Value) {
			return true
		}
	}
	return false
}

// Bounds of what templates and generated texts may grow to, in bytes: MaxText is
// that of one text, MaxReply of all texts of a reply together.
const (
	MaxText  = 64 << 20
	MaxReply = 256 << 20
)
