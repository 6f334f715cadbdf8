package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Set is a collection of scenarios that were checked together and prepared for
// matching. It is immutable and safe for concurrent use.
type Set struct {
	names         []string // names is the names of the scenarios, in order.
	entries       map[string]func() *entry
	conditional   []*entry // conditional is the scenarios with conditions, in order, and all that were laid over others.
	unconditional []string // unconditional is the names of the scenarios without conditions, in order.
	deferred      bool     // deferred says that the scenarios are read when their entries are asked for.
	faults        []*Faults
	under         *Set // under is the set that a set with faults is to be laid over; it may be nil.
	checked       *Set // checked is the set whose problems count for this one, too: itself, or the set that this one was made from; nil if there is no check.

	kept sync.Map // kept holds the values of Keep, by key.
}

// Keep calls make the first time that it is called with the key, and returns the value
// of that first call ever after. With it other packages cache what they derive from the
// set, for all users of the set and as long as the set lives. Each package uses keys of
// a type of its own.
func (set *Set) Keep(key any, make func() any) any {
	once, _ := set.kept.LoadOrStore(key, sync.OnceValue(make))
	return once.(func() any)()
}

// An entry is a scenario of a set, with its conditions in the form in which they are
// tried.
type entry struct {
	scenario *Scenario
	// inherited is the quirks of extended scenarios. They allow breaches of rules, but
	// it is no mistake if the breaches do not occur.
	inherited []Quirk
	when      []condition
	replies   []replyEntry
}

type replyEntry struct {
	forms []condition // forms are the conditions that follow from the form of the reply: see formConditions.
	when  []condition
	// unasked says that the scenario has no condition, and the reply none but that on the attempt.
	unasked bool
	// groups is the names of the groups that the conditions of the scenario and of the
	// reply can capture.
	groups []string
	manner *Manner   // manner is the scenario's manner with the reply's laid over it.
	under  []*Manner // under are the manners that words of the reply or of its scenario are laid over.
}

// NewSet checks scenarios together and prepares them for matching: names must be
// unique, extended scenarios must exist, and every reply must be reachable. The error
// is a [diag.List] with all problems.
//
// Templates and the rules of the protocol are not checked here, but by the server
// that plays the set.
//
// Scenarios that are documents of faults are not among the scenarios of the set: see [Set.Faults].
//
// The scenarios are copied; changing them later does not change the set.
func NewSet(list ...*Scenario) (*Set, error) {
	copies := make([]*Scenario, len(list))
	for i, s := range list {
		copies[i] = s.Clone()
	}
	set, problems := Build(nil, copies...)
	if err := problems.Err(); err != nil {
		return nil, err
	}
	return set, nil
}

// Build is [NewSet] without copies, for callers that check further: it returns a set even if
// there are problems, which has the scenarios whose names and extends are right. They can also
// extend scenarios of base, which may be nil, for [Set.Over] to lay them over it. Several sets
// can have the same scenarios, which nobody may change any more.
func Build(base *Set, list ...*Scenario) (*Set, diag.List) {
	var faults []*Scenario
	if slices.ContainsFunc(list, isFaults) {
		faults = slices.DeleteFunc(slices.Clone(list), func(s *Scenario) bool { return !isFaults(s) })
		list = slices.DeleteFunc(slices.Clone(list), isFaults)
	}
	named, diags := uniquelyNamed(list)
	entries, problems := resolveExtends(named, base)
	diags = append(diags, problems...)
	built := newSet(len(entries), nil)
	built.checked = built
	if len(faults) > 0 {
		built.under = base
		built.faults, problems = PrepareFaults(faults...)
		diags = append(diags, problems...)
	}
	var names []string
	if base != nil {
		names = slices.Clone(base.names)
	}
	for _, s := range named {
		names = append(names, s.Name)
	}
	for _, e := range entries {
		diags = append(diags, checkScenario(e.scenario)...)
		diags = append(diags, e.scenario.checkWaits(names)...)
		built.append(e)
	}
	diags = append(diags, built.CheckEffects()...)
	diags.Sort()
	return built, diags.Unique()
}

// Over returns the set laid over base: its scenarios, also those without conditions, are
// tried before those of base, which may be nil, and replace those of the same name. Neither
// set is changed. The result is taken to be correct: the caller must have checked both sets
// with [Set.CheckOnce].
func (set *Set) Over(base *Set) *Set {
	result := newSet(set.Len()+base.Len(), nil)
	result.takeOver(set)
	if base != nil {
		result.conditional = append(result.conditional, result.entriesNamed(result.unconditional)...)
		result.unconditional = nil
	}
	result.takeOver(base)
	return result
}

// takeOver adds the scenarios of another set, which may be nil, but for those whose names
// the set has.
func (set *Set) takeOver(from *Set) {
	if from == nil {
		return
	}
	has := func(name string) bool { return set.entries[name] != nil }
	set.conditional = append(set.conditional, slices.DeleteFunc(slices.Clone(from.conditional), func(e *entry) bool { return has(e.scenario.Name) })...)
	set.unconditional = append(set.unconditional, slices.DeleteFunc(slices.Clone(from.unconditional), has)...)
	for _, name := range from.names {
		if !has(name) {
			set.names, set.entries[name] = append(set.names, name), from.entries[name]
		}
	}
	set.deferred = set.deferred || from.deferred
}

// Deferred returns a set whose scenarios are read on first use. The scenarios are not
// checked, so they must be known to be correct, and they must have no conditions.
// Several goroutines may call read, but it is called only once for each name.
func Deferred(names []string, read func(name string) *Scenario) *Set {
	set := newSet(len(names), nil)
	set.names, set.unconditional, set.deferred = names, names, true
	for _, name := range names {
		set.entries[name] = sync.OnceValue(func() *entry {
			s := read(name)
			if base := set.entry(s.Extends); base != nil {
				return base.extendedBy(s)
			}
			return newEntry(s, nil)
		})
	}
	return set
}

func newSet(size int, checked *Set) *Set {
	return &Set{entries: make(map[string]func() *entry, size), checked: checked}
}

// entry returns the scenario of that name, or nil. A deferred one is read.
func (set *Set) entry(name string) *entry {
	if set == nil || set.entries[name] == nil {
		return nil
	}
	return set.entries[name]()
}

// all returns the scenarios in order. Deferred ones are read.
func (set *Set) all() []*entry {
	if set == nil {
		return nil
	}
	return set.entriesNamed(set.names)
}

func (set *Set) entriesNamed(names []string) []*entry {
	list := make([]*entry, len(names))
	for i, name := range names {
		list[i] = set.entry(name)
	}
	return list
}

// Len is the number of scenarios.
func (set *Set) Len() int {
	if set == nil {
		return 0
	}
	return len(set.names)
}

// IsDeferred reports whether the scenarios are read on first use, so that a loop over
// all of them has to read them all.
func (set *Set) IsDeferred() bool { return set != nil && set.deferred }

// checkKey is the key under which a set keeps the problems that [Set.CheckOnce] has found.
type checkKey struct{}

// CheckOnce runs a check of another package on the set and returns its problems. Only
// the first call runs its check; later calls return the problems of that one. A set
// made by [Set.With] or [Set.Only] shares the problems of the set that it was made
// from, because it holds no other scenarios, and a set made by [Set.Over] has none.
func (set *Set) CheckOnce(check func(*Set) diag.List) diag.List {
	if set == nil || set.checked == nil {
		return nil
	}
	return set.checked.Keep(checkKey{}, func() any { return check(set) }).(diag.List)
}

func newEntry(given *Scenario, inherited []Quirk) *entry {
	s := new(*given)
	s.Replies = slices.Clone(s.Replies) // the check of the server writes to them: see [Reply.RefusedOn]
	e := &entry{scenario: s, inherited: inherited, when: s.When.conditions(), replies: make([]replyEntry, 0, len(s.Replies))}
	for i := range s.Replies {
		r := &s.Replies[i]
		r.found = nil
		r.found = r.find()
		when := r.When.conditions()
		e.replies = append(e.replies, replyEntry{
			forms:   r.formConditions(s),
			when:    when,
			unasked: len(e.when) == 0 && len(when) == countTrue(r.When.Attempt != 0),
			groups:  slices.Concat(s.When.GroupNames(), r.When.GroupNames()),
			manner:  s.Manner.Overlay(&r.Manner),
			under:   []*Manner{&s.Manner},
		})
	}
	return e
}

func (set *Set) append(e *entry) {
	name := e.scenario.Name
	set.names = append(set.names, name)
	set.entries[name] = func() *entry { return e }
	if len(e.when) > 0 {
		set.conditional = append(set.conditional, e)
	} else {
		set.unconditional = append(set.unconditional, name)
	}
}

// Scenarios returns the scenarios in order, with extends resolved. The caller must not
// change them.
func (set *Set) Scenarios() []*Scenario {
	list := make([]*Scenario, set.Len())
	for i, e := range set.all() {
		list[i] = e.scenario
	}
	return list
}

// Lookup returns the scenario of that name, or nil.
func (set *Set) Lookup(name string) *Scenario {
	if e := set.entry(name); e != nil {
		return e.scenario
	}
	return nil
}

// InheritedQuirks returns the quirks that a scenario takes over from the scenarios
// that it extends; nil if there is no scenario of that name. They allow breaches of
// rules, but it is no mistake if the breaches do not occur.
func (set *Set) InheritedQuirks(name string) []Quirk {
	if e := set.entry(name); e != nil {
		return e.inherited
	}
	return nil
}

var namePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`) })

// uniquelyNamed returns the scenarios whose names are valid and unique, and the
// problems of the others.
func uniquelyNamed(list []*Scenario) ([]*Scenario, diag.List) {
	var named []*Scenario
	var diags diag.List
	first := map[string]*Scenario{}
	for _, s := range list {
		switch other := first[s.Name]; {
		case s.Name == "":
			diags = append(diags, diag.Problem{Pos: s.Pos, Message: "the scenario has no name", Hint: "add a line such as name: weather"})
		case !namePattern().MatchString(s.Name):
			diags = append(diags, diag.Problem{Pos: s.Pos, Message: fmt.Sprintf("%q cannot be the name of a scenario", s.Name), Hint: "use letters, digits, dots, dashes and underscores"})
		case other != nil:
			hint := "the first is " + describePlace(other.Pos)
			if s.Pos.File != other.Pos.File {
				hint += "; rename one, or leave one of the files out"
			}
			diags = append(diags, diag.Problem{Pos: s.Pos, Message: fmt.Sprintf("there are two scenarios named %q", s.Name), Hint: hint})
		default:
			first[s.Name] = s
			named = append(named, s)
		}
	}
	return named, diags
}

func describePlace(p diag.Pos) string {
	if p.File == "" {
		return "made in Go"
	}
	return fmt.Sprintf("at %s:%d", diag.OneLine(p.File), p.Line)
}

// AnyQuirk is a [Quirk] that allows breaches of all rules. It is for short streams made
// in Go; in a file each rule has to be named.
const AnyQuirk = "*"

// With returns a set of the same scenarios with a manner laid over that of each reply
// for which where returns true; it gets the scenario's name and the reply's position
// from 0. A nil where selects all replies. The set itself is not changed.
func (set *Set) With(over Manner, where func(scenario string, reply int) bool) *Set {
	result := newSet(set.Len(), set.checked)
	for _, own := range set.all() {
		e := *own
		e.replies = make([]replyEntry, len(e.replies))
		for i, r := range own.replies {
			if where == nil || where(e.scenario.Name, i) {
				r.manner = r.manner.Overlay(&over)
			}
			e.replies[i] = r
		}
		result.append(&e)
	}
	return result
}

// Only returns a set with just the scenario of that name, or an empty set if there is
// none.
func (set *Set) Only(name string) *Set {
	result := newSet(1, set.checked)
	if e := set.entry(name); e != nil {
		result.append(e)
	}
	return result
}
