package recording

import (
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// Matching selects the conditions that recorded scenarios get.
type Matching string

// The ways to match.
const (
	// MatchTurn sets conditions on the model, the turn and the text of the last user
	// message, and on more if recorded requests agree in these. It is the default.
	MatchTurn Matching = "turn"
	// MatchLast sets conditions on the text of the last user message and the results of
	// tool calls, and on more if recorded requests agree in these.
	MatchLast Matching = "last"
	// MatchExact sets a condition on the whole body.
	MatchExact Matching = "exact"
)

// addressed is the condition on the API of a request or, if it is for none, on its path and method.
func addressed(req *scenarios.Request) (w scenarios.When) {
	switch req.Surface {
	case scenarios.DefaultSurface:
	case scenarios.SurfaceOther:
		w.Path, w.Method = []string{pathOf(req)}, []string{req.Method}
	default:
		w.Surface = req.Surface
	}
	return w
}

// pathOf is a pattern that fits the path of a request, with any prefix of OpenAI's API if the path has one. A
// placeholder stands for any text.
func pathOf(req *scenarios.Request) string {
	path := req.Path
	if prefix, _ := request.CutPrefix(path); prefix != "" {
		path = req.APIPath
	}
	return placeholderPattern().ReplaceAllLiteralString(scenarios.PathPattern(path), "*")
}

// basic is the condition that is derived from one request, without the others.
func basic(req *scenarios.Request, how Matching) scenarios.When {
	w := addressed(req)
	if how == MatchExact {
		for _, m := range req.Body.Members() {
			w.Body = append(w.Body, equalIn(req, m.Name)...)
		}
		return w
	}
	if how != MatchLast {
		w.Model = glob(req.Model)
	}
	if !streams(req.Surface) {
		if req.Surface != scenarios.SurfaceOther {
			w.Body = equalIn(req, "input")
		}
		return w
	}
	if how != MatchLast {
		w.Turn = req.Turn
	}
	if req.LastUser != "" {
		w.User = textIs(req.LastUser)
	}
	w.ToolResults = lastResults(req)
	return w
}

// glob is a pattern that matches only this name of a model, nil without a name; a placeholder
// in the name matches any text. Names of models contain no star.
func glob(model string) []string {
	if model == "" {
		return nil
	}
	return []string{placeholderPattern().ReplaceAllString(strings.ReplaceAll(model, "*", "?"), "*")}
}

// lastResults are conditions on the results of calls at the end of a request.
func lastResults(req *scenarios.Request) []scenarios.ToolResultMatch {
	var list []scenarios.ToolResultMatch
	for _, m := range slices.Backward(req.Messages) {
		if m.ToolCallID == "" {
			break
		}
		list = append(list, scenarios.ToolResultMatch{ID: m.ToolCallID})
	}
	slices.Reverse(list)
	return list
}

// equalIn are the conditions that a member of the body has the value that it has in a
// request, or that it is absent as there. Conversations get other ids when a recording is played,
// so that any will do.
func equalIn(req *scenarios.Request, member string) []scenarios.BodyMatch {
	at, v := ojson.Path{{Name: member}}, req.Body.Get(member)
	isThere := !v.IsAbsent()
	if isThere && (member != "conversation" || v.IsNull() || !speaksItems(req.Surface)) {
		return equalAt(at, v)
	}
	return []scenarios.BodyMatch{{Path: scenarios.Path{Path: at}, Exists: &isThere}}
}

// equalAt are the conditions that there is a value at a path: one condition or, if the
// value contains a text that is not plain, one for each of its parts.
func equalAt(at ojson.Path, v ojson.Value) []scenarios.BodyMatch {
	var list []scenarios.BodyMatch
	here := scenarios.BodyMatch{Path: scenarios.Path{Path: at}}
	switch {
	case isPlain(v.String()):
		here.Equals = &v
		return []scenarios.BodyMatch{here}
	case v.Kind() == ojson.StringKind:
		here.Match = textIs(v.Text())
		return []scenarios.BodyMatch{here}
	}
	for i, item := range v.Items() {
		list = append(list, equalAt(append(slices.Clone(at), ojson.PathElement{Index: i, IsIndex: true}), item)...)
	}
	for _, m := range v.Members() {
		if !placeholderPattern().MatchString(m.Name) { // A path cannot contain a placeholder.
			list = append(list, equalAt(append(slices.Clone(at), ojson.PathElement{Name: m.Name}), m.Value)...)
		}
	}
	return list
}

// refinement adds a condition on a further property of the request.
type refinement func(w *scenarios.When, req *scenarios.Request)

// refinements are tried in this order until a condition matches only one of two requests.
// The most readable come first.
var refinements = []refinement{
	func(w *scenarios.When, req *scenarios.Request) { w.Turn = req.Turn },
	func(w *scenarios.When, req *scenarios.Request) { w.Stream = &req.Stream },
	func(w *scenarios.When, req *scenarios.Request) { w.Model = glob(req.Model) },
	func(w *scenarios.When, req *scenarios.Request) {
		for _, t := range req.Tools {
			w.Tools = append(w.Tools, t.Name)
		}
	},
	func(w *scenarios.When, req *scenarios.Request) {
		for _, m := range req.Messages {
			if m.Role == "system" || m.Role == "developer" {
				w.System = textIs(m.Text)
			}
		}
	},
	func(w *scenarios.When, req *scenarios.Request) {
		results := w.ToolResults
		w.ToolResults = nil
		for _, r := range results {
			for _, m := range req.Messages {
				if m.ToolCallID == r.ID {
					r.Content = textIs(m.Text)
				}
			}
			w.ToolResults = append(w.ToolResults, r)
		}
	},
}

// bodyRefinements add a condition on the value of one member of the body each, for all
// members that one of the requests has. Of a file the name comes first, then its bytes.
func bodyRefinements(requests ...*scenarios.Request) []refinement {
	var names []string
	for _, r := range requests {
		for _, m := range r.Body.Members() {
			if !slices.Contains(names, m.Name) {
				names = append(names, m.Name)
			}
		}
	}
	var list []refinement
	for _, name := range names {
		for _, of := range []string{"filename", "sha256"} {
			list = append(list, func(w *scenarios.When, req *scenarios.Request) {
				at := ojson.Path{{Name: name}, {Name: of}}
				if v := req.Body.Find(at); req.Surface == scenarios.SurfaceOther && !v.IsAbsent() {
					w.Body = append(slices.Clone(w.Body), equalAt(at, v)...)
				}
			})
		}
		list = append(list, func(w *scenarios.When, req *scenarios.Request) {
			w.Body = append(slices.Clone(w.Body), equalIn(req, name)...)
		})
	}
	return list
}

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
