package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Set is a collection of scenarios that were checked and made ready to play. It
// is immutable and safe for concurrent use.
type Set struct {
	list          []*Scenario // list are the scenarios, with what they extend filled in.
	byName        map[string]*entry
	conditional   []*entry // conditional are the scenarios with conditions, in order.
	unconditional []*entry // unconditional are the scenarios without conditions, in order.

	deferred *deferred // deferred are the scenarios that are read later, in place of those above; nil for none.
	checked  *checkResult

	index     index // index is over conditional.
	indexOnce sync.Once
	kept      sync.Map // kept is what others made of the set, by their keys.
}

// Keep is what make makes of the set, the first time that it is called with the key;
// later calls get the same. Other packages keep by it what is the same for all who
// play the set. A key has a type of its own. It lives as long as the set.
func (set *Set) Keep(key any, make func() any) any {
	once, _ := set.kept.LoadOrStore(key, sync.OnceValue(make))
	return once.(func() any)()
}

// An entry is a scenario of a set with its conditions ready to be tried.
type entry struct {
	scenario *Scenario
	// inherited are taken over quirks: they silence rules, but need not occur.
	inherited []Quirk
	when      []condition
	replies   []replyEntry
}

type replyEntry struct {
	when []condition
	// groups are what the conditions of the scenario and of the reply can
	// capture.
	groups []string
	manner *Manner // manner is the scenario's, with the reply's laid over it.
}

// NewSet checks scenarios together and makes them ready to be matched: names must
// be unique, what scenarios extend must be there, and every reply must be
// reachable. The error is a [diag.List] with all problems.
//
// What a set cannot see by itself, templates and the rules of the protocol, is
// checked by the server that plays it.
//
// The scenarios are copied; changing them later does not change the set.
func NewSet(list ...*Scenario) (*Set, error) {
	set, problems := Build(list...)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return set, nil
}

// Build is [NewSet] for those who look for further problems: it returns a set
// also if there are problems, with the scenarios whose names and extends are
// right.
func Build(list ...*Scenario) (*Set, diag.List) {
	copies := make([]*Scenario, len(list))
	for i, s := range list {
		copies[i] = s.Clone()
	}
	return (*Set)(nil).Adopt(copies...)
}

// Adopt is [Build] without copies, for scenarios that are to be laid over those of the
// set: they can extend these, too. They belong to the new set, which has no others, and
// must not be changed any more. See [Set.Over].
func (set *Set) Adopt(list ...*Scenario) (*Set, diag.List) {
	named, diags := uniquelyNamed(list)
	resolved, problems := resolveExtends(named, set)
	diags = append(diags, problems...)
	built := &Set{byName: make(map[string]*entry, len(resolved)), checked: new(checkResult)}
	for _, s := range resolved {
		diags = append(diags, checkScenario(s.Scenario)...)
		built.addResolved(s)
	}
	diags.Sort()
	return built, diags.Unique()
}

// Over is the set laid over another one: its scenarios are tried before those of
// the base, and come in place of those of the same name. Neither set is changed.
// What [Set.CheckOnce] found in the two must be looked at before.
func (set *Set) Over(base *Set) *Set {
	result := &Set{byName: map[string]*entry{}}
	for _, s := range set.all() {
		result.append(set.entry(s.Name))
	}
	for _, s := range base.all() {
		if result.byName[s.Name] == nil {
			result.append(base.entry(s.Name))
		}
	}
	return result
}

// Deferred is a set of scenarios each of which is read when it is first asked for. They
// must be known to be right, for they are not checked, and have no conditions. Read may
// be called by several goroutines, once for each name.
func Deferred(names []string, read func(name string) *Scenario) *Set {
	set := &Set{deferred: &deferred{names: names, entries: make(map[string]func() *entry, len(names))}}
	for _, name := range names {
		set.deferred.entries[name] = sync.OnceValue(func() *entry {
			resolved := &resolvedScenario{Scenario: read(name)}
			if base := set.entry(resolved.Extends); base != nil {
				resolved = (&resolvedScenario{base.scenario, base.inherited}).extendedBy(resolved.Scenario)
			}
			return newEntry(resolved)
		})
	}
	return set
}

// deferred are scenarios that are read when they are first asked for.
type deferred struct {
	names   []string
	entries map[string]func() *entry
}

// entry is the scenario of that name, or nil.
func (set *Set) entry(name string) *entry {
	if set.deferred == nil {
		return set.byName[name]
	}
	if read := set.deferred.entries[name]; read != nil {
		return read()
	}
	return nil
}

// all are the scenarios in order. A deferred one is read.
func (set *Set) all() []*Scenario {
	switch {
	case set == nil:
		return nil
	case set.deferred == nil:
		return set.list
	}
	list := make([]*Scenario, len(set.deferred.names))
	for i, name := range set.deferred.names {
		list[i] = set.entry(name).scenario
	}
	return list
}

// withoutConditions are the scenarios without conditions, in order.
func (set *Set) withoutConditions() []*entry {
	if set.deferred == nil {
		return set.unconditional
	}
	var list []*entry
	for _, name := range set.deferred.names {
		list = append(list, set.entry(name))
	}
	return list
}

// Len is how many scenarios there are.
func (set *Set) Len() int {
	switch {
	case set == nil:
		return 0
	case set.deferred == nil:
		return len(set.list)
	}
	return len(set.deferred.names)
}

// IsDeferred reports whether the scenarios are read when they are first asked for, so
// that to look at all of them takes its time.
func (set *Set) IsDeferred() bool { return set != nil && set.deferred != nil }

// checkResult is what a check of another package has found in a set.
type checkResult struct {
	once sync.Once
	list diag.List
}

// CheckOnce runs a check of another package on the set and returns what it
// finds. It runs only the first check that it is given, once, and returns the
// same problems ever after; a set made by [Set.With] or [Set.Only] has the
// problems of the set that it was made of, for it says nothing new, and one made
// by [Set.Over] has none.
func (set *Set) CheckOnce(check func(*Set) diag.List) diag.List {
	if set == nil || set.checked == nil {
		return nil
	}
	set.checked.once.Do(func() { set.checked.list = check(set) })
	return set.checked.list
}

func (set *Set) addResolved(resolved *resolvedScenario) {
	set.append(newEntry(resolved))
}

func newEntry(resolved *resolvedScenario) *entry {
	s := resolved.Scenario
	e := &entry{scenario: s, inherited: resolved.inherited, when: s.When.conditions(), replies: make([]replyEntry, 0, len(s.Replies))}
	for i := range s.Replies {
		r := &s.Replies[i]
		e.replies = append(e.replies, replyEntry{
			when:   r.When.conditions(),
			groups: slices.Concat(s.When.GroupNames(), r.When.GroupNames()),
			manner: s.Manner.overlaid(&r.Manner),
		})
	}
	return e
}

func (set *Set) append(e *entry) {
	set.list = append(set.list, e.scenario)
	set.byName[e.scenario.Name] = e
	if len(e.when) > 0 {
		set.conditional = append(set.conditional, e)
	} else {
		set.unconditional = append(set.unconditional, e)
	}
}

// Scenarios are the scenarios in order, together with what they take over from
// others. They must not be changed.
func (set *Set) Scenarios() []*Scenario {
	return slices.Clone(set.all())
}

// Lookup is the scenario of that name, or nil.
func (set *Set) Lookup(name string) *Scenario {
	if set == nil || set.entry(name) == nil {
		return nil
	}
	return set.entry(name).scenario
}

// InheritedQuirks are the quirks that a scenario takes over from the one that it
// extends; nil if there is no scenario of that name. They silence rules, but
// need not occur.
func (set *Set) InheritedQuirks(name string) []Quirk {
	if set == nil || set.entry(name) == nil {
		return nil
	}
	return set.entry(name).inherited
}

func (set *Set) names() []string {
	if set.deferred != nil {
		return set.deferred.names
	}
	names := make([]string, len(set.list))
	for i, s := range set.list {
		names[i] = s.Name
	}
	return names
}

var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`) })

// uniquelyNamed are the scenarios whose names are right, and the problems of the
// others.
func uniquelyNamed(list []*Scenario) ([]*Scenario, diag.List) {
	var named []*Scenario
	var diags diag.List
	first := map[string]*Scenario{}
	for _, s := range list {
		switch other := first[s.Name]; {
		case s.Name == "":
			diags = append(diags, diag.Problem{Pos: s.Pos, Message: "the scenario has no name", Hint: "add a line such as name: weather"})
		case !namePattern().MatchString(s.Name):
			diags = append(diags, diag.Problem{Pos: s.Pos, Message: fmt.Sprintf("%q is no name for a scenario", s.Name), Hint: "use letters, digits, dots, dashes and underscores"})
		case other != nil:
			diags = append(diags, diag.Problem{Pos: s.Pos, Message: fmt.Sprintf("there are two scenarios named %q", s.Name), Hint: "the first is " + describePlace(other.Pos)})
		default:
			first[s.Name] = s
			named = append(named, s)
		}
	}
	return named, diags
}

// describePlace says where a scenario comes from.
func describePlace(p diag.Pos) string {
	if p.File == "" {
		return "made in Go"
	}
	return fmt.Sprintf("at %s:%d", p.File, p.Line)
}

// AnyQuirk stands for all rules in the place of a rule's name. It is for short
// streams made in Go; a file names each quirk.
const AnyQuirk = "*"

// With is a set of the same scenarios with a manner laid over their own. Where
// says in which replies, by the scenario's name and the reply's position from 0;
// nil is in all of them. The set itself is not changed.
func (set *Set) With(over Manner, where func(scenario string, reply int) bool) *Set {
	list := set.all()
	result := &Set{byName: make(map[string]*entry, len(list)), checked: set.checked}
	for _, s := range list {
		own := set.entry(s.Name)
		e := *own
		e.replies = make([]replyEntry, len(e.replies))
		for i, r := range own.replies {
			if where == nil || where(s.Name, i) {
				manner := r.manner.Overlay(over)
				r.manner = &manner
			}
			e.replies[i] = r
		}
		result.append(&e)
	}
	return result
}

// Only is a set with just the scenario of that name, or an empty one if there is
// none.
func (set *Set) Only(name string) *Set {
	result := &Set{byName: map[string]*entry{}, checked: set.checked}
	if e := set.entry(name); e != nil {
		result.append(e)
	}
	return result
}
