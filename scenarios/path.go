package scenarios

import (
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

var groupName = regexp.MustCompile(`^[A-Za-z_]\w*$`)

// OtherPathParts are the parts of paths as other programs write them: :id and <id>, which is {id} here.
var OtherPathParts = regexp.MustCompile(`/[:<]([A-Za-z_]\w*)>?`)

// CheckPath returns the error for a text that is no pattern of paths; see [When.Path].
func CheckPath(pattern string) error {
	_, _, err := readPath(pattern)
	return err
}

// escapedInPart are the characters of a path that stay escaped when it is decoded: a slash inside a part is none
// between parts.
var escapedInPart = strings.NewReplacer("%", "%25", "/", "%2F")

// DecodePath decodes a path of a URL, but for the slashes and percent signs that are escaped in it.
func DecodePath(escaped string) (string, error) {
	parts := strings.Split(escaped, "/")
	for i, part := range parts {
		plain, err := decodePart(part)
		if err != nil {
			return "", err
		}
		parts[i] = escapedInPart.Replace(plain)
	}
	return strings.Join(parts, "/"), nil
}

func decodePart(part string) (string, error) {
	plain, err := url.PathUnescape(part)
	return strings.ToValidUTF8(plain, string(utf8.RuneError)), err
}

// PathPattern is the pattern that fits this decoded path alone.
func PathPattern(decoded string) string {
	return strings.NewReplacer("*", "%2A", "{", "%7B", "}", "%7D", "?", "%3F", "#", "%23", "/:", "/%3A", "/<", "/%3C").Replace(decoded)
}

// readPath turns a pattern of paths into a regular expression for decoded paths, and lists the names in it.
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
	const anyInPart = `(?:[^/%]|%..)` // a character, escaped or not
	out := `^`
	for rest := pattern; rest != ""; {
		switch at := strings.IndexAny(rest, "*{}"); {
		case at != 0:
			if at < 0 {
				at = len(rest)
			}
			plain, err := DecodePath(rest[:at])
			if err != nil {
				return "", nil, fmt.Errorf("%w; %% itself is %%25 in a path", err)
			}
			out, rest = out+regexp.QuoteMeta(plain), rest[at:]
		case strings.HasPrefix(rest, "**"):
			out, rest = out+`(?:[^%]|%..)*`, strings.TrimLeft(rest, "*")
		case rest[0] == '*':
			out, rest = out+anyInPart+`*`, rest[1:]
		default:
			name, after, ok := strings.Cut(rest[1:], "}")
			if rest[0] == '}' || !ok || !groupName.MatchString(name) {
				return "", nil, errors.New("in a path, { and } stand around a name such as {id}")
			}
			if slices.Contains(names, name) {
				return "", nil, fmt.Errorf("the path has {%s} twice", name)
			}
			names = append(names, name)
			out, rest = out+`(?P<`+name+`>`+anyInPart+`+)`, after
		}
	}
	return `(?s)` + out + `$`, names, nil
}

// pathCondition is the condition that the path of a request fits one of the patterns. A pattern that is none, of
// which the check tells, fits no path.
func (w *When) pathCondition() condition {
	var fits TextMatch
	for _, pattern := range w.Path {
		if expression, _, err := readPath(pattern); err == nil {
			fits.AnyOf = append(fits.AnyOf, TextMatch{Matches: regexp.MustCompile(expression)})
		}
	}
	names, wanted := w.pathNames(), strings.Join(w.Path, " or ")
	return condition{
		word:        "path",
		captures:    names,
		description: private("the path fits " + wanted),
		weight:      100, // a scenario for another path is nearest to no request
		holds: func(r *Request, t *trial) bool {
			if len(fits.AnyOf) == 0 || !fits.holdsForOne([]string{r.Path, r.APIPath}, t) {
				return false
			}
			for i := 0; i < len(names) && t != nil && t.found != nil; i++ {
				t.found[names[i]], _ = decodePart(t.found[names[i]])
			}
			return true
		},
		reason: func(r *Request) string {
			if r.Surface != SurfaceOther {
				return "the request is for the surface " + r.Surface
			}
			return fmt.Sprintf("the path is %s, which %s does not match", diag.Quote(r.Path), wanted)
		},
	}
}

// methodCondition is the condition on the HTTP method, which holds where that is left open.
func (w *When) methodCondition() condition {
	wanted := strings.Join(w.Method, " or ")
	return condition{
		word:        "method",
		description: private("the method is " + wanted),
		weight:      50,
		holds: func(r *Request, _ *trial) bool {
			return r.method() == "" || slices.Contains(w.Method, r.method())
		},
		reason: func(r *Request) string { return fmt.Sprintf("the method is %s, not %s", r.method(), wanted) },
	}
}

// method is the method of a request; "" leaves it open. Requests to APIs do not name theirs.
func (r *Request) method() string {
	if r.Method == "" && r.Surface != "" && r.Surface != SurfaceOther {
		return "POST"
	}
	return r.Method
}

func (w *When) pathNames() (names []string) {
	for _, pattern := range w.Path {
		_, of, _ := readPath(pattern)
		names = append(names, of...)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// ExamplePath is a path of a URL for which the condition on the path holds.
func (w *When) ExamplePath() string {
	if len(w.Path) == 0 {
		return ""
	}
	parts := strings.Split(strings.NewReplacer("**", "x", "*", "x", "{", "", "}", "").Replace(w.Path[0]), "/")
	for i := range parts {
		plain, _ := decodePart(parts[i])
		parts[i] = url.PathEscape(plain)
	}
	return strings.Join(parts, "/")
}

// checkPaths finds conditions of a scenario on paths and methods that can never hold.
func checkPaths(s *Scenario) (diags diag.List) {
	for i := range s.Replies {
		reply := &s.Replies[i].When
		onPath := len(s.When.Path)+len(reply.Path) > 0
		for _, w := range []*When{&s.When, reply} {
			diags = append(diags, w.checkPath(s, onPath)...)
		}
	}
	return diags.Unique()
}

// checkPath does for one condition what checkPaths does for all; onPath says that this condition or one that must
// hold beside it has a path.
func (w *When) checkPath(s *Scenario, onPath bool) (diags diag.List) {
	problem := func(hint, format string, args ...any) {
		diags = append(diags, diag.Problem{Pos: w.Pos, Message: fmt.Sprintf("scenario %q: ", s.Name) + fmt.Sprintf(format, args...), Hint: hint})
	}
	for _, path := range w.Path {
		if err := CheckPath(path); err != nil && s.Pos.File == "" {
			problem("", "%v", err)
		}
	}
	if !onPath {
		if len(w.Method) > 0 {
			problem("write path beside it, as in path: /v1/files", "the condition method needs a path: each API has one method")
		}
		return diags
	}
	for _, c := range w.conditions() {
		if c.ofAPI {
			problem("leave one of them out; body asks for a place in the body", "%s and path exclude each other: a request to another path has no %s", c.word, c.word)
		}
	}
	return diags
}

type pathsKey struct{}

// AnswersPath reports whether a reply of the set has a condition on the path that holds for the
// request, and can answer the method of the request. A request without a method stands for any.
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
			if w := &e.scenario.Replies[i].When; len(own.Path)+len(w.Path) > 0 {
				of, within := own.Test(), (&When{Path: w.Path, Method: w.Method}).Test()
				tests = append(tests, func(r *Request) bool { return of(r) && within(r) })
			}
		}
	}
	return tests
}
