package scenarios

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/internal/textindex"
)

// NoDefault in place of the name of a default scenario says that there is none.
const NoDefault = "-"

// Match picks the reply for a request. The counter knows what was given before;
// nil gives every reply without limit. Match uses nothing up. Seed is for
// scenarios that have none.
//
// A scenario that the request asks for by name answers alone, and its own
// conditions need not hold. Otherwise scenarios with conditions are tried in
// order, then those without. With a defaultName it is that scenario, and no
// other without conditions, that is tried last; with [NoDefault] it is none. In a scenario the first reply
// that fits and is not used up is picked; if there is none, the search goes on.
//
// Of Selection and NoMatch exactly one is nil.
func (set *Set) Match(req *Request, counter Counter, defaultName string, seed int64) (*Selection, *NoMatch) {
	if set.Len() == 0 {
		return nil, &NoMatch{Reason: "there are no scenarios"}
	}
	m := matcher{req: req, counter: counter, seed: seed}
	if req.Scenario != "" {
		return set.matchNamed(&m, req.Scenario, nil)
	}
	if req.Model == "fake:" {
		return nil, &NoMatch{Reason: fmt.Sprintf(`the model "fake:" names no scenario; ask for one by its name, such as %q`, "fake:"+set.names()[0])}
	}
	for e := range set.candidates(req, new(candidateLists)) {
		if sel := m.matchScenario(e, false); sel != nil {
			return sel, nil
		}
	}
	if defaultName == NoDefault {
		if len(set.conditional) == 0 {
			return nil, &NoMatch{Reason: fmt.Sprintf("no scenario has a condition, and there is no default; ask for one by its name, such as %q", "fake:"+set.names()[0])}
		}
		m.lookAt(set.conditional, false)
		return nil, m.noMatch()
	}
	if defaultName != "" {
		return set.matchNamed(&m, defaultName, set.conditional)
	}
	for _, e := range set.withoutConditions() {
		if sel := m.matchScenario(e, false); sel != nil {
			return sel, nil
		}
	}
	m.lookAt(set.conditional, false)
	m.lookAt(set.withoutConditions(), false)
	return nil, m.noMatch()
}

// matchNamed picks a reply of the scenario of that name, after those that were
// tried without success.
func (set *Set) matchNamed(m *matcher, name string, tried []*entry) (*Selection, *NoMatch) {
	e := set.entry(name)
	if e == nil {
		near := diag.Nearest(name, set.names())
		reason := fmt.Sprintf("there is no scenario named %q", name)
		if near != "" {
			reason += fmt.Sprintf("; did you mean %q?", near)
		}
		return nil, &NoMatch{Scenario: near, Reason: reason}
	}
	if sel := m.matchScenario(e, true); sel != nil {
		return sel, nil
	}
	m.lookAt(tried, false)
	m.lookAt([]*entry{e}, true)
	return nil, m.noMatch()
}

// index has the positions of a set's scenarios with conditions, by a condition that few
// of them have: of thousands of scenarios only those are tried that it lets through.
type index struct {
	users   map[string][]int // users are by the whole text of the last user message.
	models  map[string][]int // models are by the model, of conditions without a wildcard.
	headers []headerIndex
	texts   []textindex.Index // texts are by texts that messages must hold; in the order of indexedTexts.
	rest    []int             // rest have no such condition.
}

// headerIndex is for conditions that a field of the header has one certain value.
type headerIndex struct {
	name   string
	values map[string][]int
}

// maxHeaders bounds for how many fields there is an index: each is looked up for each
// request.
const maxHeaders = 4

// indexedTexts are the conditions on texts for which there is an index, and the texts of
// a request that they are about.
var indexedTexts = []struct {
	of    func(*When) *TextMatch
	texts func(*Request) []string
}{
	{func(w *When) *TextMatch { return w.User }, lastUserText},
	{func(w *When) *TextMatch { return w.System }, func(r *Request) []string { return r.texts("system", "developer") }},
	{func(w *When) *TextMatch { return w.Messages }, func(r *Request) []string { return r.texts() }},
}

// few is how many scenarios may have the same condition for them to be told apart by it,
// and how many conditions on texts are sooner tried than looked for.
const few = 16

func (set *Set) buildIndex() {
	x := &set.index
	x.users, x.models = map[string][]int{}, map[string][]int{}
	var common []int // common are those whose text of the user, model or value of a field many have.
	for i, e := range set.conditional {
		switch values, value := x.byValue(&e.scenario.When); {
		case values != nil && len(values[value]) < few:
			values[value] = append(values[value], i)
		default:
			common = append(common, i)
		}
	}
	x.texts, common = set.indexTexts(common)
	for _, i := range common {
		values, value := x.byValue(&set.conditional[i].scenario.When)
		if values == nil {
			x.rest = append(x.rest, i)
			continue
		}
		values[value] = append(values[value], i)
	}
}

// indexTexts are the indexes over the conditions on texts of scenarios, and the
// scenarios that they do not have.
func (set *Set) indexTexts(positions []int) (indexes []textindex.Index, rest []int) {
	if len(positions) <= few {
		return nil, positions
	}
	builders := make([]textindex.Builder, len(indexedTexts))
	for _, i := range positions {
		added := false
		for j, kind := range indexedTexts {
			m := kind.of(&set.conditional[i].scenario.When)
			if added = m != nil && builders[j].Add(textindex.Condition{Equals: m.Equals, Contains: m.Contains, Matches: m.Matches}, i); added {
				break
			}
		}
		if !added {
			rest = append(rest, i)
		}
	}
	indexes = make([]textindex.Index, len(builders))
	for j := range builders {
		indexes[j] = builders[j].Index()
	}
	return indexes, rest
}

// byValue are the scenarios by the first of these that a condition names: the whole text
// of the last user message, the model, a value of a field of the header; and the value.
// It is nil for a condition that names no value.
func (x *index) byValue(when *When) (values map[string][]int, value string) {
	if when.User != nil && when.User.Equals != nil {
		return x.users, *when.User.Equals
	}
	if when.Model != "" && !strings.ContainsAny(when.Model, "*?") {
		return x.models, when.Model
	}
	for _, h := range when.Header {
		if h.Match == nil || h.Match.Equals == nil {
			continue
		}
		i := slices.IndexFunc(x.headers, func(known headerIndex) bool { return strings.EqualFold(known.name, h.Name) })
		if i < 0 && len(x.headers) == maxHeaders {
			continue
		}
		if i < 0 {
			i = len(x.headers)
			x.headers = append(x.headers, headerIndex{h.Name, map[string][]int{}})
		}
		return x.headers[i].values, *h.Match.Equals
	}
	return nil, ""
}

// Candidates are the scenarios with conditions that may hold for a request, in order;
// those of the others do not. They must not be changed.
func (set *Set) Candidates(req *Request) iter.Seq[*Scenario] {
	return func(yield func(*Scenario) bool) {
		for e := range set.candidates(req, new(candidateLists)) {
			if !yield(e.scenario) {
				return
			}
		}
	}
}

// candidates are the scenarios with conditions that may hold for a request, in order.
func (set *Set) candidates(req *Request, lists *candidateLists) iter.Seq[*entry] {
	return func(yield func(*entry) bool) { set.merge(set.lists(req, lists), yield) }
}

// candidateLists is room for the lists of most requests, so that these need no memory of
// their own: the rest, the model, the user's text, a value of each field and a text of
// each of the indexedTexts.
type candidateLists [3 + maxHeaders + 3][]int

// merge yields the scenarios at the positions of rising lists, in order and each once.
func (set *Set) merge(lists [][]int, yield func(*entry) bool) {
	for {
		first := -1
		for _, list := range lists {
			if len(list) > 0 && (first < 0 || list[0] < first) {
				first = list[0]
			}
		}
		if first < 0 || !yield(set.conditional[first]) {
			return
		}
		for i, list := range lists {
			if len(list) > 0 && list[0] == first {
				lists[i] = list[1:]
			}
		}
	}
}

// lists are the positions of the scenarios that may answer a request. Each list rises.
func (set *Set) lists(req *Request, room *candidateLists) [][]int {
	set.indexOnce.Do(set.buildIndex)
	x := &set.index
	lists := append(room[:0], x.rest, x.models[req.Model])
	if len(x.users) > 0 {
		for _, text := range lastUserText(req) {
			lists = append(lists, x.users[text])
		}
	}
	for i := range x.headers {
		for _, value := range req.HeaderValues(x.headers[i].name) {
			lists = append(lists, x.headers[i].values[value])
		}
	}
	for i := range x.texts {
		if x.texts[i].IsEmpty() {
			continue
		}
		for _, text := range indexedTexts[i].texts(req) {
			if found := x.texts[i].Find(text); len(found) > 0 {
				lists = append(lists, found)
			}
		}
	}
	return lists
}

// A matcher tries scenarios on one request.
type matcher struct {
	req     *Request
	counter Counter
	seed    int64
	nearest *failure // nearest is set by lookAt.
}

// matchScenario is the reply that the scenario gives to the request, or nil. If
// the request asks for the scenario by name, the scenario's own conditions need
// not hold; they only capture.
func (m *matcher) matchScenario(e *entry, named bool) *Selection {
	for i := range e.when {
		if !named && !e.when[i].holds(m.req, nil) {
			return nil
		}
	}
	for i := range e.replies {
		found, ok := m.matchReply(e, i)
		if !ok {
			continue
		}
		return &Selection{
			Scenario: e.scenario, Reply: &e.scenario.Replies[i], Index: i, Request: m.req,
			Match: found, Manner: e.replies[i].manner, Seed: e.scenario.seedOr(m.seed),
		}
	}
	return nil
}

// matchReply is what the conditions captured, and whether the reply can be given. A
// group that took no part in a match is "".
func (m *matcher) matchReply(e *entry, i int) (found map[string]string, ok bool) {
	r := &e.replies[i]
	if len(r.groups) > 0 {
		found = make(map[string]string, len(r.groups))
		for _, name := range r.groups {
			found[name] = ""
		}
		for j := range e.when {
			e.when[j].holds(m.req, found)
		}
	}
	for j := range r.when {
		if !r.when[j].holds(m.req, found) {
			return nil, false
		}
	}
	limit := e.scenario.Replies[i].Times
	return found, limit <= 0 || m.counter == nil || m.counter.Available(m.req.APIKey, e.scenario.Name, i, limit)
}

func (s *Scenario) seedOr(fallback int64) int64 {
	if s.Seed != nil {
		return *s.Seed
	}
	return fallback
}
