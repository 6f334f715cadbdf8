package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// groupName is what a part of a path can be called.
var groupName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// OtherPathParts are the parts of paths as other programs write them: :id and <id>, which is {id} here.
var OtherPathParts = regexp.MustCompile(`/[:<]([A-Za-z_]\w*)>?`)

// CheckPath returns the error for a text that is no pattern of paths; see [When.Path].
func CheckPath(pattern string) error {
	_, _, err := readPath(pattern)
	return err
}

// readPath turns a pattern of paths into a regular expression, and lists the names in it.
func readPath(pattern string) (expression string, names []string, err error) {
	if !strings.HasPrefix(pattern, "/") {
		return "", nil, errors.New("a path begins with /")
	}
	if strings.ContainsAny(pattern, "?#") {
		return "", nil, errors.New("a path ends before the query; the parameters of a query are places of body")
	}
	if other := OtherPathParts.FindStringSubmatch(pattern); other != nil {
		return "", nil, fmt.Errorf("%s is {%s} in a path", other[0][1:], other[1])
	}
	out := `^`
	for rest := pattern; rest != ""; {
		switch at := strings.IndexAny(rest, "*{}"); {
		case at < 0:
			out, rest = out+regexp.QuoteMeta(rest), ""
		case at > 0:
			out, rest = out+regexp.QuoteMeta(rest[:at]), rest[at:]
		case strings.HasPrefix(rest, "**"):
			out, rest = out+`.*`, strings.TrimLeft(rest, "*")
		case rest[0] == '*':
			out, rest = out+`[^/]*`, rest[1:]
		default:
			name, after, ok := strings.Cut(rest[1:], "}")
			if rest[0] == '}' || !ok || !groupName.MatchString(name) {
				return "", nil, errors.New("in a path, { and } stand around a name such as {id}")
			}
			if slices.Contains(names, name) {
				return "", nil, fmt.Errorf("the path has {%s} twice", name)
			}
			names = append(names, name)
			out, rest = out+`(?P<`+name+`>[^/]+)`, after
		}
	}
	return out + `$`, names, nil
}

// pathCondition is the condition that the path of a request fits the pattern, and that it has the method. Of
// a pattern that is none, the check tells; it holds for no request.
func (w *When) pathCondition() condition {
	var fits TextMatch
	if expression, _, err := readPath(w.Path); err == nil {
		fits.Matches = regexp.MustCompile(expression)
	}
	wanted := strings.TrimSpace(w.Method + " " + w.Path)
	return condition{
		description: "the request is " + wanted,
		holds: func(r *Request, found map[string]string) bool {
			return fits.Matches != nil && (w.Method == "" || w.Method == r.Method) && fits.holdsForOne([]string{r.Path, r.APIPath}, found)
		},
		reason: func(r *Request) string {
			if r.Surface != SurfaceOther {
				return "the request is for the surface " + r.Surface
			}
			return fmt.Sprintf("the request is %s %s, which %s does not match", r.Method, diag.Quote(r.Path), wanted)
		},
	}
}

// pathNames are the names in the pattern of paths.
func (w *When) pathNames() []string {
	if w.Path == "" {
		return nil
	}
	_, names, _ := readPath(w.Path)
	return names
}

// ExamplePath is a path for which the condition on the path holds.
func (w *When) ExamplePath() string {
	return strings.NewReplacer("**", "x", "*", "x", "{", "", "}", "").Replace(w.Path)
}

// checkPaths finds conditions of a scenario on paths and methods that can never hold.
func checkPaths(s *Scenario) (diags diag.List) {
	check := func(w, other *When) {
		path := w.Path
		if path == "" {
			path = other.Path
		}
		problem := func(hint, format string, args ...any) {
			diags = append(diags, diag.Problem{Pos: w.Pos, Message: fmt.Sprintf("scenario %q: ", s.Name) + fmt.Sprintf(format, args...), Hint: hint})
		}
		if err := CheckPath(w.Path); w.Path != "" && err != nil && s.Pos.File == "" {
			problem("", "%v", err)
		}
		if w.Method != "" && path == "" {
			problem("write path beside it, as in path: /v1/files", "the condition method needs a path: each API has one method")
		}
		if path == "" {
			return
		}
		for _, of := range []struct {
			word    string
			written bool
		}{
			{"surface", w.Surface != ""}, {"user", w.User != nil}, {"system", w.System != nil}, {"messages", w.Messages != nil}, {"tools", len(w.Tools) > 0},
			{"tool_result", len(w.ToolResults) > 0}, {"turn", w.Turn != 0}, {"prompt_tokens", w.PromptTokens != nil},
		} {
			if of.written {
				problem("leave one of them out; body asks for a place in the body", "%s and path exclude each other: a request to another path has no %s", of.word, of.word)
			}
		}
	}
	check(&s.When, &When{})
	for i := range s.Replies {
		check(&s.Replies[i].When, &s.When)
	}
	return diags
}

// pathsKey is the key under which a set keeps its conditions on paths.
type pathsKey struct{}

// AnswersPath reports whether a reply of the set has a condition on the path that holds for the request, and
// none on the method that does not.
func (set *Set) AnswersPath(req *Request) bool {
	if set.Len() == 0 {
		return false
	}
	tests := set.Keep(pathsKey{}, func() any { return set.pathTests() }).([]func(*Request) bool)
	return slices.ContainsFunc(tests, func(holds func(*Request) bool) bool { return holds(req) })
}

func (set *Set) pathTests() (tests []func(*Request) bool) {
	entries := set.conditional
	if !set.deferred { // deferred scenarios have no conditions
		entries = set.all()
	}
	for _, e := range entries {
		own := When{Path: e.scenario.When.Path, Method: e.scenario.When.Method}
		for i := range e.scenario.Replies {
			if w := &e.scenario.Replies[i].When; own.Path != "" || w.Path != "" {
				of, within := own.Test(), (&When{Path: w.Path, Method: w.Method}).Test()
				tests = append(tests, func(r *Request) bool { return of(r) && within(r) })
			}
		}
	}
	return tests
}
