package yamlfile

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Check parses files and checks all their scenarios together: what [Parse],
// [NewSet] and further find, sorted, each problem once. With problems there is no
// set. Further looks at the set for problems of its own; it may be nil.
func Check(further func(*scenarios.Set) diag.List, sources ...Source) (*scenarios.Set, diag.List) {
	var c checker
	var list []*scenarios.Scenario
	for _, src := range sources {
		f := parseFile(src.Name, src.Data)
		c.lost = c.lost || f.lost
		c.diags = append(c.diags, f.problems...)
		c.parsed = append(c.parsed, f.scenarios...)
	}
	for _, p := range c.parsed {
		list = append(list, p.Scenario)
	}
	set, problems := scenarios.Build(list...)
	if further != nil {
		problems = append(problems, set.Findings(further)...)
	}
	c.take(problems)
	c.diags.Sort()
	c.diags = c.diags.Unique()
	if len(c.diags) > 0 {
		return nil, c.diags
	}
	return set, nil
}

// checker brings together what is found while reading and after it. Of a
// scenario that could not be read in full, only those later findings count that
// the missing parts cannot have caused.
type checker struct {
	parsed []parsedScenario
	lost   bool
	diags  diag.List
}

func (c *checker) take(found diag.List) {
	for _, d := range found {
		if !c.doubtful(d) {
			c.diags = append(c.diags, d)
		}
	}
}

// doubtful reports whether a finding may be there only because something else
// could not be read.
func (c *checker) doubtful(d diag.Problem) bool {
	s := c.around(d.Pos)
	switch {
	case s == nil:
		return false
	case c.lost && s.Extends != "" && d.Pos == s.Scenario.Pos:
		return true // it may extend what was lost
	case s.whole:
		return false
	case d.Rule != "":
		return slices.Contains(rulesOfAbsence, d.Rule)
	}
	ofReply := func(r scenarios.Reply) bool { return r.Pos == d.Pos }
	ofQuirk := func(q scenarios.Quirk) bool { return q.Pos == d.Pos }
	return slices.ContainsFunc(s.Replies, ofReply) || slices.ContainsFunc(s.Quirks, ofQuirk)
}

// around is the scenario that a place is in, or nil.
func (c *checker) around(p diag.Pos) *parsedScenario {
	for i := len(c.parsed) - 1; i >= 0; i-- {
		s := &c.parsed[i]
		if s.Scenario.Pos.File == p.File && s.Scenario.Pos.Line <= p.Line {
			return s
		}
	}
	return nil
}

// rulesOfAbsence are the lint rules that a stream breaks by what it does not
// have. A step that could not be read makes it look so.
var rulesOfAbsence = []string{
	"missing-role", "missing-finish", "finish-does-not-fit", "empty-stream",
	"tool-fragment-before-start", "tool-index-gap", "choice-index-gap",
	"arguments-not-json", "arguments-not-object", "logprobs-do-not-spell-content",
}
