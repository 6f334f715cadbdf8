// Package request reads and checks the bodies of requests. It holds what all surfaces
// share, and the checks from which each surface composes the table of its members. Its
// errors have OpenAI's words.
package request

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Rule is a check across members.
type Rule func(*scenarios.Request) *Error

// Check returns the first error of a request; nil if it has none. Missing members come
// first, then unknown ones, wrong types, and bounds. The rules follow, in their order,
// if all members are valid.
func Check(r *scenarios.Request, members []Member, rules []Rule) *Error {
	var c Checker
	c.reportAllUnknown(r.Body, members)
	return c.check(r, members, rules)
}

// CheckNamed is like [Check], but reports only the first unknown member of the body,
// with its name as param, as newer APIs do.
func CheckNamed(r *scenarios.Request, members []Member, rules []Rule) *Error {
	var c Checker
	c.reportUnknown("", r.Body, members)
	return c.check(r, members, rules)
}

func (c *Checker) check(r *scenarios.Request, members []Member, rules []Rule) *Error {
	c.checkMembers("", r.Body, members)
	for _, err := range c.firstErrors {
		if err != nil {
			return err
		}
	}
	for _, rule := range rules {
		if err := rule(r); err != nil {
			return err
		}
	}
	return nil
}

// A phase is a round of checks. An error of an earlier phase wins.
type phase int

const (
	missingPhase phase = iota
	unknownPhase
	typePhase
	boundsPhase
	phases
)

// Checker checks the members of a request's body. It keeps the first error of each
// phase.
type Checker struct {
	firstErrors [phases]*Error
}

func (c *Checker) report(p phase, err *Error) {
	if c.firstErrors[p] == nil {
		c.firstErrors[p] = err
	}
}

// reportAllUnknown reports all unknown members of the body in one error, in the words
// of an older check of the real service.
func (c *Checker) reportAllUnknown(body ojson.Value, members []Member) {
	var unknown []string
	for _, m := range body.Members() {
		if !known(members, m.Name) {
			unknown = append(unknown, m.Name)
		}
	}
	switch len(unknown) {
	case 0:
	case 1:
		c.report(unknownPhase, Bad("", "", "Unrecognized request argument supplied: %s", unknown[0]))
	default:
		c.report(unknownPhase, Bad("", "", "Unrecognized request arguments supplied: %s", strings.Join(unknown, ", ")))
	}
}

func known(members []Member, name string) bool {
	return slices.ContainsFunc(members, func(m Member) bool { return m.name == name })
}

// ValueCheck checks a value of the body; path is its place.
type ValueCheck func(c *Checker, path string, v ojson.Value)

// Member is a member that an object of the body can have.
type Member struct {
	name     string
	required bool
	check    ValueCheck
}

// Need is a required member.
func Need(name string, check ValueCheck) Member { return Member{name, true, check} }

// May is an optional member.
func May(name string, check ValueCheck) Member { return Member{name, false, check} }

// checkMembers checks the members of an object, in the order of the table.
func (c *Checker) checkMembers(path string, v ojson.Value, members []Member) {
	for _, m := range members {
		value := v.Get(m.name)
		if value.IsAbsent() && !m.required {
			continue
		}
		at := m.name
		if path != "" {
			at = path + "." + m.name
		}
		if value.IsAbsent() {
			c.report(missingPhase, Bad(at, "missing_required_parameter", "Missing required parameter: '%s'.", at))
			continue
		}
		m.check(c, at, value)
	}
}

// reportUnknown reports the first member of an object that is not in the table.
func (c *Checker) reportUnknown(path string, v ojson.Value, members []Member) {
	for _, m := range v.Members() {
		if !known(members, m.Name) {
			at := strings.TrimPrefix(path+"."+m.Name, ".")
			c.report(unknownPhase, Bad(at, "unknown_parameter", "Unknown parameter: '%s'.", at))
			return
		}
	}
}
