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
	if text := req.LastUser; len(text) > longText {
		w.Messages = Containing(text[wholeBefore(text, len(text)-partOfText):])
	}
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

// equalAt are the conditions that there is a value at a path: one condition or, if the value is long or
// contains a text that is not plain, one for each of its parts. Of a long list these are the first and the
// last item, and the length.
func equalAt(at ojson.Path, v ojson.Value) []scenarios.BodyMatch {
	here := scenarios.BodyMatch{Path: scenarios.Path{Path: at}}
	switch text := v.String(); {
	case isPlain(text) && len(text) <= longText:
		here.Equals = &v
		return []scenarios.BodyMatch{here}
	case v.Kind() == ojson.StringKind:
		here.Match = textIs(v.Text())
		return []scenarios.BodyMatch{here}
	}
	var list []scenarios.BodyMatch
	items := v.Items()
	isLong := len(v.String()) > longText && len(items) > 2
	for i, item := range items {
		if !isLong || i == 0 || i == len(items)-1 {
			list = append(list, equalAt(below(at, i), item)...)
		}
	}
	if isLong {
		no := false
		list = append(list, scenarios.BodyMatch{Path: scenarios.Path{Path: below(at, len(items))}, Exists: &no})
	}
	for _, m := range v.Members() {
		if !placeholderPattern().MatchString(m.Name) { // A path cannot contain a placeholder.
			list = append(list, equalAt(append(slices.Clone(at), ojson.PathElement{Name: m.Name}), m.Value)...)
		}
	}
	return list
}

// below is the path to an item of the list at a path.
func below(at ojson.Path, i int) ojson.Path {
	return append(slices.Clone(at), ojson.PathElement{Index: i, IsIndex: true})
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
// members that one of the requests has. Of a file the name comes first, then its bytes; of a long value, what is
// there where the other request first has something else.
func bodyRefinements(own, other *scenarios.Request) []refinement {
	var names []string
	for _, m := range slices.Concat(own.Body.Members(), other.Body.Members()) {
		if !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	var list []refinement
	for _, name := range names {
		at := ojson.Path{{Name: name}}
		for _, of := range []string{"filename", "sha256"} {
			list = append(list, func(w *scenarios.When, req *scenarios.Request) {
				at := append(slices.Clone(at), ojson.PathElement{Name: of})
				if v := req.Body.Find(at); req.Surface == scenarios.SurfaceOther && !v.IsAbsent() {
					w.Body = append(slices.Clone(w.Body), equalAt(at, v)...)
				}
			})
		}
		for _, around := range excerpts {
			list = append(list, func(w *scenarios.When, req *scenarios.Request) {
				v, others := req.Body.Get(name), other.Body.Get(name)
				switch isLong := len(v.String()) > longText; {
				case isLong && !others.IsAbsent():
					w.Body = replaced(w.Body, differenceAt(at, v, others, around))
				case around == excerpts[0]:
					w.Body = append(slices.Clone(w.Body), equalIn(req, name)...)
				}
			})
		}
	}
	return list
}

// placeholderPattern matches the placeholders of redacted secrets. In a condition, a placeholder
// matches any text.
var placeholderPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`redacted-[a-z]+-[0-9a-f]{6}`) })

// textIs is the condition that a text equals the given one, in which placeholders match any
// text. A text that looks like a template becomes a regular expression, so that it is not
// taken for a template. Of a long one that has the beginning alone, because an expression takes long for the rest.
func textIs(text string) *scenarios.TextMatch {
	switch {
	case len(text) > longText:
		return &scenarios.TextMatch{Matches: regexp.MustCompile("(?s)^" + pattern(text[:wholeBefore(text, partOfText)]))}
	case isPlain(text):
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
