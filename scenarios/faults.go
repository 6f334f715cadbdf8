package scenarios

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// Fault is what goes wrong with answers, whichever scenario gives them: an error in place of the
// answer, or a manner laid over that of the answer. It is a [Reply] without a message or a stream.
type Fault struct {
	Reply
	After Span   // After is what passes before the fault can strike; zero is nothing.
	For   Span   // For is how long the fault can strike from then on; zero is without end.
	Of    string // Of is the name of the preset that has the fault; "" is none.
}

// Span is a time, or a number of requests of an API key.
type Span struct {
	Time     time.Duration
	Requests int
}

// What names the fault in a word: the status of an error, an ending, a damage, or the section of the manner.
func (f *Fault) What() string {
	switch {
	case f.Error != nil && f.Error.Status != 0:
		return strconv.Itoa(f.Error.Status)
	case f.Error != nil:
		return cmp.Or(f.Error.Code.Value.Source, "error")
	case f.End.Kind != "":
		return string(f.End.Kind)
	case len(f.Damage) > 0:
		return f.Damage[0].Op
	case !saysNothing(&Manner{Wire: f.Wire}):
		return "wire"
	}
	return "pace"
}

// Withholds reports whether a client that the fault strikes gets no whole answer, so that the reply
// below is not used up.
func (f *Fault) Withholds() bool {
	return f.Error != nil || f.End.Kind != "" && f.End.Kind != EndLinger
}

// IsOpen reports whether the fault can strike the request with a number of an API key, counted from 1,
// so long after the faults began to hold.
func (f *Fault) IsOpen(passed time.Duration, number int) bool {
	begun := passed >= f.After.Time && number > f.After.Requests
	over := f.For.Time > 0 && passed >= f.After.Time+f.For.Time || f.For.Requests > 0 && number > f.After.Requests+f.For.Requests
	return begun && !over
}

// Over returns a selection with the fault laid over its reply.
func (f *Fault) Over(sel *Selection) *Selection {
	laid, reply := *sel, *sel.Reply
	laid.Manner = sel.Manner.Overlay(&f.Manner)
	if f.Error != nil {
		reply.Message, reply.Stream, reply.Error, laid.Manner = nil, nil, f.Error, &f.Manner
	}
	laid.Reply = &reply
	return &laid
}

// Lacks returns why a word of the fault has no effect on the selected answer; "" if all words have an effect. Surface
// and stream say on which API the answer is given, and whether it is streamed.
func (f *Fault) Lacks(laid *Selection, surface string, stream bool) string {
	reply := *laid.Reply
	reply.When.Surface, reply.When.Stream = surface, &stream
	own := &carrier{scenario: &Scenario{}, reply: &Reply{}, Manner: &f.Manner}
	on := &carrier{scenario: laid.Scenario, reply: &reply, index: laid.Index, Manner: laid.Manner, struck: true}
	for i := range effects() {
		of := &effects()[i]
		if !of.written(own) {
			continue
		}
		if !of.written(on) {
			return of.word + " has no effect here: a WebSocket message has no lines and no header"
		}
		if why, _ := of.lacks(on); why != "" {
			return of.word + " has no effect here: " + why
		}
	}
	return ""
}

// Faults is a document of faults, prepared for matching. It is immutable.
type Faults struct {
	// Name is the name of the document; a document without one is called faults, with a number behind it.
	Name    string
	List    []Fault
	written string // written is the name of the document; "" if it has none.
	entry   *entry // entry has the faults as replies, each with a chance, so that all are drawn.
}

// Faults returns the documents of faults of the set, in order.
func (set *Set) Faults() []*Faults { return set.faults }

// Struck returns the scenarios that the faults of the set can strike: its own, and those below them.
func (set *Set) Struck() *Set {
	if set.under == nil {
		return set
	}
	return set.Over(set.under)
}

func isFaults(s *Scenario) bool { return s.Faults != nil }

// PrepareFaults prepares documents of faults: scenarios that have Faults. It reports names that are not
// valid or not unique, and faults that never strike.
func PrepareFaults(docs ...*Scenario) ([]*Faults, diag.List) {
	var list []*Faults
	named := make([]*Scenario, len(docs))
	for i, doc := range docs {
		s := *doc
		if s.Name == "" {
			s.Name = "faults"
			if i > 0 {
				s.Name = fmt.Sprint("faults-", i+1)
			}
		}
		s.Replies, s.Faults = nil, slices.Clone(doc.Faults)
		for j := range s.Faults {
			r := s.Faults[j].Reply
			r.Chance = cmp.Or(r.Chance, new(1.0))
			s.Replies = append(s.Replies, r)
		}
		named[i] = &s
	}
	unique, wrong := uniquelyNamed(named)
	for _, s := range unique {
		wrong = append(append(wrong, checkPaths(s)...), unreadBodies(s)...)
		list = append(list, &Faults{s.Name, s.Faults, docs[slices.Index(named, s)].Name, newEntry(s, nil)})
	}
	return list, append(wrong, neverDrawn(docs)...)
}

// neverDrawn finds faults behind one that strikes every request that they could strike.
func neverDrawn(docs []*Scenario) (list diag.List) {
	var always []*Fault
	var taken [][]string // taken are the conditions of the faults in always.
	for _, doc := range docs {
		for i := range doc.Faults {
			f := &doc.Faults[i]
			own := append(doc.When.Conditions(), f.When.Conditions()...)
			if k := slices.IndexFunc(taken, func(c []string) bool { return isSubset(c, own) }); k >= 0 {
				list = append(list, diag.Problem{
					Pos:     f.Pos,
					Message: fmt.Sprintf("fault %d (%s) strikes nothing: the %s before it strikes every request that it could strike", i+1, f.What(), always[k].What()),
					Hint:    fmt.Sprintf("give the %s a chance, times, a when or a for, or put it last", always[k].What()),
				})
			} else if f.Error != nil && f.Chance == nil && f.Times == 0 && f.After == (Span{}) && f.For == (Span{}) {
				always, taken = append(always, f), append(taken, own)
			}
		}
	}
	return list
}

// Describe names a fault of the document in the journal and in reports: what it is and, if it has one, the
// name of its preset or document, such as "503 of brownout".
func (d *Faults) Describe(fault int) string {
	f := &d.List[fault]
	if of := cmp.Or(f.Of, d.written); of != "" {
		return f.What() + " of " + of
	}
	return f.What()
}

// AsScenario returns the document as a scenario whose replies are the faults, for checks.
func (d *Faults) AsScenario() *Scenario { return d.entry.scenario }

// Match selects the first fault that fits the request, is not used up, and is drawn by the counter. The
// selection has the position of the fault in List as its Index; it is nil if there is none, and soon
// after ctx has ended.
func (d *Faults) Match(ctx context.Context, req *Request, counter Counter, seed int64) *Selection {
	m := matcher{req: req, trial: trial{ctx: ctx}, counter: counter, seed: seed, first: d.entry.scenario.Name}
	return m.matchScenario(d.entry, false)
}
