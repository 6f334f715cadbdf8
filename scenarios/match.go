package scenarios

import (
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/internal/textindex"
)

// NoDefault is the name of the default scenario where there is none.
const NoDefault = "-"

// Match picks the reply for a request. The counter tells which replies are used up;
// with a nil counter none is. Match itself counts nothing. Seed is the seed of
// scenarios that have none.
//
// If the request names a scenario, only that scenario is tried, and its own
// conditions need not hold. Otherwise the scenarios with conditions are tried in
// order, and after them: with an empty defaultName those without conditions, with
// [NoDefault] no other, with any other name the scenario of that name. In a scenario
// the first reply that fits and is not used up is picked; if there is none, the next
// scenario is tried.
//
// Exactly one of the results is nil.
func (set *Set) Match(req *Request, counter Counter, defaultName string, seed int64) (*Selection, *NoMatch) {
	if set.Len() == 0 {
		return nil, &NoMatch{Reason: "there are no scenarios"}
	}
	m := matcher{req: req, counter: counter, seed: seed}
	if req.Scenario != "" {
		return set.matchNamed(&m, req.Scenario, nil)
	}
	if req.Model == "fake:" {
		return nil, &NoMatch{Reason: fmt.Sprintf(`the model "fake:" names no scenario; ask for one by its name, such as %q`, "fake:"+set.names[0])}
	}
	for e := range set.candidates(req, new(candidateLists)) {
		if sel := m.matchScenario(e, false); sel != nil {
			return sel, nil
		}
	}
	if defaultName == NoDefault {
		if len(set.conditional) == 0 {
			return nil, &NoMatch{Reason: fmt.Sprintf("no scenario has a condition, and there is no default; ask for one by its name, such as %q", "fake:"+set.names[0])}
		}
		m.lookAt(set.conditional, false)
		return nil, m.noMatch()
	}
	if defaultName != "" {
		return set.matchNamed(&m, defaultName, set.conditional)
	}
	for _, name := range set.unconditional {
		if sel := m.matchScenario(set.entry(name), false); sel != nil {
			return sel, nil
		}
	}
	m.lookAt(set.conditional, false)
	m.lookAt(set.named(set.unconditional), false)
	return nil, m.noMatch()
}

// matchNamed picks a reply of the scenario of that name. Tried are the scenarios that
// did not answer before it; the reason in a NoMatch may be about one of them.
func (set *Set) matchNamed(m *matcher, name string, tried []*entry) (*Selection, *NoMatch) {
	e := set.entry(name)
	if e == nil {
		near := diag.Nearest(name, set.names)
		reason := fmt.Sprintf("there is no scenario named %q", name)
		if near != "" {
			reason += fmt.Sprintf("; did you mean %q?", near)
		} else {
			reason += fmt.Sprintf("; ask for one that is loaded, such as %q", set.names[0])
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

// index finds the scenarios that may hold for a request, so that of thousands only a
// few have to be tried. It holds positions in [Set.conditional]. Each scenario is in one
// of the fields, by one of its conditions that few other scenarios share.
type index struct {
	users   map[string][]int // users has scenarios by the whole text that the last user message must have.
	models  map[string][]int // models has scenarios by the model, for conditions without a wildcard.
	headers []headerIndex
	texts   []textindex.Index // texts has scenarios by conditions on texts; its order is that of indexedTexts.
	rest    []int             // rest is the scenarios without such a condition.
}

// headerIndex has scenarios by the value that a header field must have.
type headerIndex struct {
	name   string
	values map[string][]int
}

// maxHeaders is the largest number of header fields with an index. It is small because
// each is looked up for each request.
const maxHeaders = 4

// indexedTexts is the conditions on texts for which there is an index. The function of
// returns the condition, and texts the texts of a request that it is about.
var indexedTexts = []struct {
	of    func(*When) *TextMatch
	texts func(*Request) []string
}{
	{func(w *When) *TextMatch { return w.User }, lastUserText},
	{func(w *When) *TextMatch { return w.System }, func(r *Request) []string { return r.texts("system", "developer") }},
	{func(w *When) *TextMatch { return w.Messages }, func(r *Request) []string { return r.texts() }},
}

// few is the number of scenarios that may share a condition for it to be worth an entry
// in the index, and the number of conditions on texts that are faster tried than indexed.
const few = 16

func (set *Set) buildIndex() {
	x := &set.index
	x.users, x.models = map[string][]int{}, map[string][]int{}
	var common []int // common is the scenarios whose user text, model or header value many others have too.
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

// indexTexts returns the indexes over the conditions on texts of the scenarios at the
// positions, and the positions of the scenarios that are in none of them.
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

// byValue returns the map in which a scenario with the condition belongs, and its key
// there: the whole text of the last user message, else the model, else the value of a
// header field. The map is nil if the condition names none of these.
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

// Candidates yields, in order, the scenarios with conditions that may hold for the
// request; the conditions of all others do not hold. The caller must not change them.
func (set *Set) Candidates(req *Request) iter.Seq[*Scenario] {
	return func(yield func(*Scenario) bool) {
		for e := range set.candidates(req, new(candidateLists)) {
			if !yield(e.scenario) {
				return
			}
		}
	}
}

// candidates is [Set.Candidates] with the memory for the lists.
func (set *Set) candidates(req *Request, lists *candidateLists) iter.Seq[*entry] {
	return func(yield func(*entry) bool) { set.merge(set.lists(req, lists), yield) }
}

// candidateLists is the backing array of the lists of a request. It is large enough for
// most requests, so that these allocate none: rest, the model, the user's text, one
// value of each header field and one text of each of the indexedTexts.
type candidateLists [3 + maxHeaders + 3][]int

// merge yields the scenarios at the positions in sorted lists, in order and each once.
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

// lists returns the positions of the scenarios that may hold for a request, as several
// sorted lists.
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
	nearest *failure // nearest is the failure that a NoMatch tells; lookAt sets it.
}

// matchScenario returns the reply that the scenario gives to the request, or nil. With
// named, the request has named the scenario: the scenario's own conditions need not
// hold then, but their groups still capture.
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

// matchReply returns what the conditions of the scenario and of its reply i captured,
// and whether the reply can be given. A group that took no part in a match is "".
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
