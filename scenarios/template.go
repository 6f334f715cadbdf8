package scenarios

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// FromRequest reports whether what is generated depends on the request.
func (f *Fake) FromRequest() bool { return f.JSONSchema != nil && f.JSONSchema.FromRequest }

// FromRequest reports whether the arguments depend on the request.
func (a *Arguments) FromRequest() bool {
	return a.Fake || a.Text.Value.IsTemplate() || a.Value != nil && ValueIsTemplate(*a.Value)
}

// EscapeActions is a template that is rendered to the given text, whatever
// actions that text seems to hold.
func EscapeActions(text string) string { return strings.ReplaceAll(text, "{{", `{{ "{{" }}`) }

// IsTemplate reports whether the text depends on the request.
func (t Text) IsTemplate() bool { return !t.Literal && hasAction(t.Source) }

// hasAction reports whether a text holds a template action.
func hasAction(source string) bool { return strings.Contains(source, "{{") }

// ValueIsTemplate reports whether a text inside v depends on the request.
func ValueIsTemplate(v ojson.Value) bool {
	found := false
	eachAction(v, func(string) { found = true })
	return found
}

// eachAction calls visit with each text inside v that holds a template action.
func eachAction(v ojson.Value, visit func(source string)) {
	if v.Kind() == ojson.StringKind && hasAction(v.Text()) {
		visit(v.Text())
	}
	for _, item := range v.Items() {
		eachAction(item, visit)
	}
	for _, m := range v.Members() {
		eachAction(m.Value, visit)
	}
}

// Bounds of what templates and generated texts may grow to, in bytes: MaxText is
// that of one text, MaxReply of all texts of a reply together.
const (
	MaxText  = 64 << 20
	MaxReply = 256 << 20
)
