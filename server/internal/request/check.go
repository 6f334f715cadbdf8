// Package request reads and checks the bodies of requests: what all surfaces have
// in common, and the means by which each surface says which members its requests
// have. Its errors are OpenAI's, word for word.
package request

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Rule is a check that goes beyond single members.
type Rule func(*scenarios.Request) *Error

// Check is the first error of a request, or nil: something missing before
// something unknown, then types, bounds, and the rules in their order, which are
// tried on requests whose members are right.
func Check(r *scenarios.Request, members []Member, rules []Rule) *Error {
	return check(r, members, rules, (*Checker).reportAllUnknown)
}

// CheckNamed is like [Check], but names the first unknown member of the body alone,
// as newer APIs do.
func CheckNamed(r *scenarios.Request, members []Member, rules []Rule) *Error {
	return check(r, members, rules, func(c *Checker, body ojson.Value, members []Member) { c.reportUnknown("", body, members) })
}

func check(r *scenarios.Request, members []Member, rules []Rule, unknown func(*Checker, ojson.Value, []Member)) *Error {
	var c Checker
	c.checkMembers("", r.Body, members)
	unknown(&c, r.Body, members)
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

// A phase is a round of checks; the problem of an earlier phase wins.
type phase int

const (
	missingPhase phase = iota
	unknownPhase
	typePhase
	boundsPhase
	phases
)

// Checker checks the members of a request's body. It keeps the first problem of
// each phase.
type Checker struct {
	firstErrors [phases]*Error
}

func (c *Checker) report(p phase, err *Error) {
	if c.firstErrors[p] == nil {
		c.firstErrors[p] = err
	}
}

// reportAllUnknown reports the unknown members of the body together, in the words
// of an older check.
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
	for _, m := range members {
		if m.name == name {
			return true
		}
	}
	return false
}

// ValueCheck checks the value at a place of the body; path names the place.
type ValueCheck func(c *Checker, path string, v ojson.Value)

// Member is a member that an object of the body can have.
type Member struct {
	name     string
	required bool
	check    ValueCheck
}

// Need is a member that must be there.
func Need(name string, check ValueCheck) Member { return Member{name, true, check} }

// May is a member that may be left out.
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
