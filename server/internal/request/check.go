// Package request reads and checks the bodies of requests. It holds what all surfaces
// share, and the checks from which each surface composes the table of its members. Its
// errors have OpenAI's words.
package request

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// Table has the members that a request can have, in the order in which the service looks at
// them, and the rules about several of them. The first error counts.
type Table struct {
	// First are the rules that come before all others.
	First []Rule
	// Older reports whether the answer to unknown members has the words of an older check.
	Older func(*scenarios.Request) bool
	// Moved says where the members of other APIs are to be found in this one.
	Moved   map[string]string
	Members []Member
	// Last are the rules for requests whose members are valid, in the order in which they are tried.
	Last []Rule
}

// Rule is a check of a request; nil if it holds.
type Rule func(*scenarios.Request) *Error

// Check returns the error with which the service refuses a request; nil if it does not.
func (t *Table) Check(r *scenarios.Request) *Error {
	if err := t.CheckMembers(r); err != nil {
		return err
	}
	return firstOf(t.Last, r)
}

// CheckMembers is Check without the last rules.
func (t *Table) CheckMembers(r *scenarios.Request) *Error {
	if err := firstOf(t.First, r); err != nil {
		return err
	}
	c := Checker{request: r}
	if c.missing(r.Body, t.Members); c.wrong != nil {
		return c.wrong
	}
	if unknown := c.unknown(r.Body, t.Members); len(unknown) > 0 {
		return t.unknown(r, unknown)
	}
	c.members(r.Body, t.Members)
	return c.wrong
}

// lenientCheckers spare each request the memory of a checker.
var lenientCheckers = sync.Pool{New: func() any { return &Checker{lenient: true} }}

// CheckTypes returns the error for a body in which a member that scenarios look at has the wrong
// type; nil for any other.
func (t *Table) CheckTypes(body ojson.Value) *Error {
	c := lenientCheckers.Get().(*Checker)
	c.members(body, t.Members)
	wrong := c.wrong
	c.wrong = nil
	lenientCheckers.Put(c)
	return wrong
}

func firstOf(rules []Rule, r *scenarios.Request) *Error {
	for _, rule := range rules {
		if err := rule(r); err != nil {
			return err
		}
	}
	return nil
}

// CheckValue checks one value; name is its place.
func CheckValue(name string, v ojson.Value, check ValueCheck) *Error {
	return checkValue(new(Checker), name, v, check)
}

// CheckTypesOf is [Table.CheckTypes] for one value; name is its place.
func CheckTypesOf(name string, v ojson.Value, check ValueCheck) *Error {
	return checkValue(&Checker{lenient: true}, name, v, check)
}

func checkValue(c *Checker, name string, v ojson.Value, check ValueCheck) *Error {
	c.checkAt(place{name: name}, v, check)
	return c.wrong
}

// Checker checks the values of a body, and keeps the first error.
type Checker struct {
	request *scenarios.Request
	lenient bool // lenient checks only the types, and only of members that scenarios look at.
	path    []place
	wrong   *Error
	probed  map[string][]string // probed is nil but for [Probe], as is all.
	all     []*Error
}

// Probe checks a value of which only the kinds are right, for the test that compares the tables with OpenAI's types. It returns
// the members that the objects in the value can have, by their places, without objects that can have any, and all mistakes.
func Probe(check ValueCheck, v ojson.Value) (members map[string][]string, wrong []*Error) {
	c := &Checker{request: &scenarios.Request{Body: v}, probed: map[string][]string{}}
	check(c, v)
	return c.probed, c.all
}

// place is a step of the way to a value: the name of a member or, without one, the number of an item.
type place struct {
	name string
	item int
}

// Path is the place of the value that is checked, such as messages[0].content.
func (c *Checker) Path() string {
	var path strings.Builder
	for _, at := range c.path {
		switch {
		case at.name == "":
			path.WriteString("[" + strconv.Itoa(at.item) + "]")
		case path.Len() > 0:
			path.WriteString("." + at.name)
		default:
			path.WriteString(at.name)
		}
	}
	return path.String()
}

// Fail reports an error. The param is the place of the value.
func (c *Checker) Fail(code, format string, args ...any) {
	if !c.lenient {
		c.report(Bad(c.Path(), code, format, args...))
	}
}

// FailType reports a value of the wrong type. Expected is that of [InvalidType].
func (c *Checker) FailType(expected string, got ojson.Value) {
	c.report(InvalidType(c.Path(), expected, got))
}

func (c *Checker) report(err *Error) {
	if c.probed != nil {
		c.all = append(c.all, err)
	} else if c.wrong == nil {
		c.wrong = err
	}
}

func (c *Checker) checkAt(p place, v ojson.Value, check ValueCheck) {
	if c.wrong == nil {
		c.path = append(c.path, p)
		check(c, v)
		c.path = c.path[:len(c.path)-1]
	}
}

// ValueCheck checks a value of the body.
type ValueCheck func(c *Checker, v ojson.Value)

// Member is a member that an object of the body can have.
type Member struct {
	name     string
	required bool
	seen     bool
	check    ValueCheck
	refused  func(r *scenarios.Request, name string) *Error
	unknown  func(*scenarios.Request) bool
}

// Need is a required member.
func Need(name string, check ValueCheck) Member {
	return Member{name: name, required: true, check: check}
}

// May is an optional member.
func May(name string, check ValueCheck) Member { return Member{name: name, check: check} }

// Seen says that scenarios look at the member, so that it has the right type in every request that
// is answered. Where requests are not checked strictly, null is as good as nothing.
func (m Member) Seen() Member { m.seen = true; return m }

// Refused adds a rule for values other than null of the right type. It comes before bounds.
func (m Member) Refused(rule func(r *scenarios.Request, name string) *Error) Member {
	m.refused = rule
	return m
}

// UnknownIf says for which requests the member is not in the table.
func (m Member) UnknownIf(is func(*scenarios.Request) bool) Member { m.unknown = is; return m }

func (c *Checker) member(m *Member, v ojson.Value) {
	value := v.Get(m.name)
	if value.IsAbsent() || c.lenient && value.IsNull() {
		return
	}
	c.checkAt(place{name: m.name}, value, m.check)
	if m.refused == nil || c.lenient || c.probed != nil || value.IsNull() || c.wrong != nil && c.wrong.Code == invalidType {
		return
	}
	if err := m.refused(c.request, m.name); err != nil {
		c.wrong = err
	}
}

func (c *Checker) members(v ojson.Value, members []Member) {
	for i := range members {
		if c.wrong == nil && (members[i].seen || !c.lenient) {
			c.member(&members[i], v)
		}
	}
}

// missing reports the first required member that an object has not.
func (c *Checker) missing(v ojson.Value, members []Member) {
	for _, m := range members {
		if m.required && !c.lenient && v.Get(m.name).IsAbsent() {
			c.checkAt(place{name: m.name}, v, func(c *Checker, _ ojson.Value) {
				c.Fail("missing_required_parameter", "Missing required parameter: '%s'.", c.Path())
			})
		}
	}
}

// unknown lists the members of an object that are not in the table.
func (c *Checker) unknown(v ojson.Value, members []Member) (names []string) {
	for _, got := range v.Members() {
		known := func(m Member) bool { return m.name == got.Name && (m.unknown == nil || !m.unknown(c.request)) }
		if !slices.ContainsFunc(members, known) {
			names = append(names, got.Name)
		}
	}
	return names
}

// unknown is the error for members of the body that are not in the table. It names up to two others that differ in
// one or two letters and that the body has not. Older checks name all unknown members.
func (t *Table) unknown(r *scenarios.Request, names []string) *Error {
	if t.Older != nil && t.Older(r) {
		plural := ""
		if len(names) > 1 {
			plural = "s"
		}
		return Bad("", "", "Unrecognized request argument%s supplied: %s", plural, strings.Join(names, ", "))
	}
	name, hint := names[0], ""
	if to := t.Moved[name]; to != "" {
		return Bad("", "unsupported_parameter", "Unsupported parameter: '%s'. In the Responses API, this parameter has moved to '%s'. Try again with the new parameter. "+
			"See the API documentation for more information: https://platform.openai.com/docs/api-reference/responses/create.", name, to)
	}
	var near []string
	for distance := 1; distance <= 2; distance++ {
		for _, m := range t.Members {
			if r.Body.Get(m.name).IsAbsent() && diag.TypingDistance(name, m.name, 2) == distance {
				near = append(near, "'"+m.name+"'")
			}
		}
	}
	if len(near) > 0 {
		hint = " Did you mean " + strings.Join(near[:min(2, len(near))], " or ") + "?"
	}
	return Bad(name, "unknown_parameter", "Unknown parameter: '%s'.%s", name, hint)
}

// Request is the request that is checked strictly; nil for any other.
func (c *Checker) Request() *scenarios.Request { return c.request }

// Error says what is wrong with a request, in the members of OpenAI's error
// object.
type Error = apierror.Error

// Bad is the error for a wrong value in the body. An empty param or code is null.
func Bad(param, code, format string, args ...any) *Error {
	return apierror.Bad(param, code, format, args...)
}

const invalidType = "invalid_type"

// InvalidType is the error for a value of the wrong type. Expected has the real
// service's words, such as "an integer".
func InvalidType(param, expected string, got ojson.Value) *Error {
	return Bad(param, invalidType, "Invalid type for '%s': expected %s, but got %s instead.", param, expected, got.TypeInWords())
}

// ArgumentsAreJSON returns the error for the arguments of a call that are not a text of JSON; nil if
// they are, and for the empty text, which models send for functions without parameters.
func ArgumentsAreJSON(path string, arguments ojson.Value) *Error {
	if arguments.Kind() != ojson.StringKind {
		return InvalidType(path, "a string", arguments)
	}
	// This checks the text and makes no values of it, which could be many.
	text := arguments.Text()
	if err := json.Unmarshal([]byte(text), new(json.RawMessage)); err != nil && text != "" {
		return Bad(path, apierror.CodeHistory, "Invalid '%s': the arguments are not JSON: %v.", path, err)
	}
	return nil
}
