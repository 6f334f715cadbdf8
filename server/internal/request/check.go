package request

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// CheckRequest is the error with which api.openai.com refuses a chat completions
// request, or nil if it takes it: members that it does not know, wrong types,
// values out of bounds, members and messages that do not go together, and what
// a model cannot do. Where several things are wrong it is the one that the real
// service finds first: something missing before something unknown, then types,
// bounds, what goes together, and what the model can do.
func Check(r *scenarios.Request) *Error {
	if r.Model == "" {
		return Bad("", "", "you must provide a model parameter")
	}
	var c requestChecker
	c.top(r.Body)
	for _, err := range c.first {
		if err != nil {
			return err
		}
	}
	for _, rule := range requestRules {
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

// A requestChecker keeps the first problem of each phase.
type requestChecker struct {
	first [phases]*Error
}

func (c *requestChecker) report(p phase, err *Error) {
	if c.first[p] == nil {
		c.first[p] = err
	}
}

// top checks the body itself. Its unknown members are reported together, in the
// words of an older check.
func (c *requestChecker) top(body ojson.Value) {
	members := requestMembers()
	c.members("", body, members)
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

func known(members []bodyMember, name string) bool {
	for _, m := range members {
		if m.name == name {
			return true
		}
	}
	return false
}

// A valueCheck checks the value at a place of the body.
type valueCheck func(c *requestChecker, path string, v ojson.Value)

// bodyMember is a member that an object of the body can have.
type bodyMember struct {
	name     string
	required bool
	check    valueCheck
}

func need(name string, check valueCheck) bodyMember { return bodyMember{name, true, check} }
func may(name string, check valueCheck) bodyMember  { return bodyMember{name, false, check} }

// members checks the members of an object, in the order of the table.
func (c *requestChecker) members(path string, v ojson.Value, members []bodyMember) {
	for _, m := range members {
		at := m.name
		if path != "" {
			at = path + "." + m.name
		}
		value := v.Get(m.name)
		switch {
		case !value.IsAbsent():
			m.check(c, at, value)
		case m.required:
			c.report(missingPhase, Bad(at, "missing_required_parameter", "Missing required parameter: '%s'.", at))
		}
	}
}

// unknown reports the first member of an object that is not in the table.
func (c *requestChecker) unknown(path string, v ojson.Value, members []bodyMember) {
	for _, m := range v.Members() {
		if !known(members, m.Name) {
			at := path + "." + m.Name
			c.report(unknownPhase, Bad(at, "unknown_parameter", "Unknown parameter: '%s'.", at))
			return
		}
	}
}
