package scenarios

import (
	"fmt"
	"regexp"
	"slices"
)

// Set is a collection of scenarios that were checked and made ready to play. It
// is immutable and safe for concurrent use.
type Set struct {
	list   []*Scenario // extends resolved
	byName map[string]*entry
	asking []*entry // scenarios with conditions, in order
	others []*entry // scenarios without
}

// An entry is a scenario with its conditions ready to be tried.
type entry struct {
	scenario *Scenario
	when     []condition
	replies  []replyEntry
}

type replyEntry struct {
	when   []condition
	groups []string // what the conditions of the scenario and the reply can capture
	manner Manner   // the scenario's, with the reply's laid over it
}

// NewSet checks scenarios and makes them ready to play: names are unique, what
// is taken over from other scenarios is filled in, templates compile, every
// reply can be reached, and every stream is what OpenAI can send or says in its
// quirks how it is not. The error is a [Diagnostics] with all problems.
//
// The scenarios are copied; changing them later does not change the set.
func NewSet(list ...*Scenario) (*Set, error) {
	set, diags := buildSet(list)
	if err := diags.Err(); err != nil {
		return nil, err
	}
	return set, nil
}

func buildSet(list []*Scenario) (*Set, Diagnostics) {
	named, diags := uniquelyNamed(list)
	resolved, problems := resolveExtends(named)
	diags = append(diags, problems...)
	set := &Set{byName: make(map[string]*entry, len(resolved))}
	for _, s := range resolved {
		diags = append(diags, checkScenario(s)...)
		set.add(s.Scenario)
	}
	diags.Sort()
	return set, diags.unique()
}

// checkScenario finds what is wrong with one scenario whose extends is resolved.
func checkScenario(s *resolvedScenario) Diagnostics {
	diags := checkReplies(s.Scenario)
	diags = append(diags, unreachableReplies(s.Scenario)...)
	diags = append(diags, checkFarewells(s.Scenario)...)
	diags = append(diags, prepareTexts(s.Scenario)...)
	return append(diags, lint(s)...)
}

func (set *Set) add(s *Scenario) {
	e := &entry{scenario: s, when: s.When.conditions()}
	for i := range s.Replies {
		r := &s.Replies[i]
		e.replies = append(e.replies, replyEntry{
			when:   r.When.conditions(),
			groups: slices.Concat(s.When.groupNames(), r.When.groupNames()),
			manner: s.Manner.under(r.Manner),
		})
	}
	set.take(e)
}

func (set *Set) take(e *entry) {
	set.list = append(set.list, e.scenario)
	set.byName[e.scenario.Name] = e
	if len(e.when) > 0 {
		set.asking = append(set.asking, e)
	} else {
		set.others = append(set.others, e)
	}
}

// Scenarios are the scenarios in order. What they take over from others is
// filled in. They must not be changed.
func (set *Set) Scenarios() []*Scenario {
	if set == nil {
		return nil
	}
	return slices.Clone(set.list)
}

// Lookup is the scenario of that name, or nil.
func (set *Set) Lookup(name string) *Scenario {
	if set == nil || set.byName[name] == nil {
		return nil
	}
	return set.byName[name].scenario
}

func (set *Set) names() []string {
	names := make([]string, len(set.list))
	for i, s := range set.list {
		names[i] = s.Name
	}
	return names
}

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`)

// uniquelyNamed are copies of the scenarios whose names are right, and the
// problems of the others.
func uniquelyNamed(list []*Scenario) ([]*Scenario, Diagnostics) {
	var named []*Scenario
	var diags Diagnostics
	first := map[string]*Scenario{}
	for _, s := range list {
		switch other := first[s.Name]; {
		case s.Name == "":
			diags = append(diags, Diagnostic{Pos: s.Pos, Message: "the scenario has no name", Hint: "add a line such as name: weather"})
		case !namePattern.MatchString(s.Name):
			diags = append(diags, Diagnostic{Pos: s.Pos, Message: fmt.Sprintf("%q is no name for a scenario", s.Name), Hint: "use letters, digits, dots, dashes and underscores"})
		case other != nil:
			diags = append(diags, Diagnostic{Pos: s.Pos, Message: fmt.Sprintf("there are two scenarios named %q", s.Name), Hint: "the first is " + place(other.Pos)})
		default:
			first[s.Name] = s
			named = append(named, clone(s))
		}
	}
	return named, diags
}

// place says where a scenario comes from.
func place(p Pos) string {
	if p.File == "" {
		return "made in Go"
	}
	return fmt.Sprintf("at %s:%d", p.File, p.Line)
}

// checkReplies finds replies that say nothing, or more than one thing. The
// reader sees to that in files, so only scenarios made in Go are checked.
func checkReplies(s *Scenario) Diagnostics {
	if s.Pos.File != "" {
		return nil
	}
	if len(s.Replies) == 0 {
		return Diagnostics{{Message: fmt.Sprintf("scenario %q has no replies", s.Name)}}
	}
	var diags Diagnostics
	for i, r := range s.Replies {
		if says := count(r.Message != nil, r.Stream != nil, r.Error != nil); r.Pos.File == "" && says != 1 {
			diags = append(diags, Diagnostic{Message: fmt.Sprintf("reply %d of scenario %q has %d of Message, Stream and Error, it must have one", i+1, s.Name, says)})
		}
	}
	return diags
}

func count(conditions ...bool) int {
	n := 0
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}
