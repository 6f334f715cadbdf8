package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// base has the scenarios that a hunt changes: those that answered, reduced to the replies
// that were played. It is immutable.
type base struct {
	docs    []*scenarios.Scenario
	streams []place // streams are the replies that can be changed.
	// expected is what the client has to do with the replies unchanged.
	expected scenarios.ExpectedError
}

// mustComplain is what is expected of an answer that no client can read.
var mustComplain = []scenarios.Expectation{{Error: scenarios.AnError}}

// place is where a reply stands in a base.
type place struct {
	doc, reply int
	answer     Answer // answer is the reply as it was sent.
}

// newBase returns the base of a hunt: the replies of the set that gave the answers, written as streams.
func newBase(check func(*scenarios.Set) diag.List, set *scenarios.Set, answers []Answer) (*base, error) {
	b := &base{expected: AsWritten().expected(set, answers)}
	var last error
	for _, s := range set.Scenarios() {
		if !slices.ContainsFunc(answers, func(a Answer) bool { return a.Scenario == s.Name }) {
			continue
		}
		doc := playedScenario(set, s)
		if b.expected == scenarios.AnError {
			doc.Expect = mustComplain
		}
		for i := range doc.Replies {
			at := slices.IndexFunc(answers, Answer{Scenario: s.Name, Reply: i}.sameReply)
			if at < 0 || answers[at].Status >= 400 {
				continue
			}
			if err := writeOut(doc, i, answers[at]); err != nil {
				last = err
				continue
			}
			b.streams = append(b.streams, place{len(b.docs), i, answers[at]})
		}
		var problems diag.List
		if doc.Quirks, problems = quirksOnItsSurface(check, doc); len(problems) > 0 {
			return nil, fmt.Errorf("the scenario %s, written as a stream: %w", s.Name, problems.Err())
		}
		b.docs = append(b.docs, doc)
	}
	if len(b.streams) == 0 {
		return nil, cmp.Or(last, errNoAnswer)
	}
	return b, nil
}

var errNoAnswer = fmt.Errorf("a hunt needs an answer that is no error, and it was not asked for one")

// writeOut makes a stream of a reply, as it answered.
func writeOut(doc *scenarios.Scenario, reply int, answer Answer) error {
	outcomes, err := (&place{reply: reply, answer: answer}).outcomes(doc)
	if err != nil {
		return err
	}
	text, err := server.AsStream(setOfReply(doc, reply), answer.Surface, answer.Header, answer.Body, 1)
	if err != nil {
		return err
	}
	list, problems := yamlfile.Parse(doc.Name, text)
	if err := problems.Err(); err != nil {
		return err
	}
	written := &doc.Replies[reply]
	written.Message, written.Stream = nil, list[0].Replies[0].Stream
	keepCounts(*written.Stream, &outcomes[0])
	written.Manner = *list[0].Manner.Overlay(&list[0].Replies[0].Manner)
	on := &doc.When
	if len(doc.Replies) > 1 {
		on = &written.When
	}
	on.Surface = cmp.Or(on.Surface, list[0].When.Surface)
	return nil
}

// setOfReply returns a set in which one reply answers its requests whatever was asked before. The conditions
// stay, because templates use what they capture, but for that on the API key, which is masked where requests are kept.
func setOfReply(doc *scenarios.Scenario, reply int) *scenarios.Set {
	only := *doc
	r := doc.Replies[reply]
	for _, when := range []*scenarios.When{&only.When, &r.When} {
		when.Attempt, when.APIKey = 0, nil
	}
	r.Times, r.Chance = 0, nil
	only.Replies = []scenarios.Reply{r}
	set, _ := scenarios.Build(nil, &only)
	return set
}

// outcomes returns what careful clients come to when they read the reply of a scenario.
func (at *place) outcomes(doc *scenarios.Scenario) ([]scenarios.Outcome, error) {
	o, err := server.Outcomes(setOfReply(doc, at.reply), at.answer.Surface, at.answer.Header, at.answer.Body, 1)
	return o.Careful, err
}

// keepsOutcome reports whether the changed scenario has the same outcomes for careful clients as doc or, with a
// fault, only errors.
func (at *place) keepsOutcome(doc, changed *scenarios.Scenario, fault bool) bool {
	after, err := at.outcomes(changed)
	if fault {
		return err == nil && (&scenarios.Outcomes{Careful: after}).MustFail()
	}
	before, unmade := at.outcomes(doc)
	return unmade != nil || err == nil && sameOutcomes(before, after)
}

func sameOutcomes(a, b []scenarios.Outcome) bool {
	lacks := func(list []scenarios.Outcome) func(scenarios.Outcome) bool {
		return func(o scenarios.Outcome) bool {
			return !slices.ContainsFunc(list, func(in scenarios.Outcome) bool { return o.Is(&in) })
		}
	}
	return !slices.ContainsFunc(a, lacks(b)) && !slices.ContainsFunc(b, lacks(a))
}

// keepCounts writes out how many tokens are counted for the answer of a scenario. They would be counted by its
// pieces, and changes of these must not change the usage.
func keepCounts(list steps, answer *scenarios.Outcome) {
	count := answer.Usage.Get("completion_tokens")
	for i := range list {
		if u := list[i].Usage; !count.IsAbsent() && u != nil && !u.Null && u.Object.Get("completion_tokens").IsAbsent() {
			list[i].Usage = &scenarios.Usage{Object: ojson.Object(append(u.Object.Members(), ojson.M("completion_tokens", count))...)}
		}
	}
}

// withChanges returns the base with changes in one of its streams. It returns false if a change cannot
// be made, if the stream without the dialects and faults among the changes were none that OpenAI sends, or if careful
// clients come to another outcome after all changes than before, or after a fault not to an error.
func (b *base) withChanges(check func(*scenarios.Set) diag.List, stream int, changes []Change) (*base, bool) {
	at := b.streams[stream]
	doc := b.docs[at.doc].Clone()
	d := &draft{scenario: doc, reply: &doc.Replies[at.reply], answer: &at.answer}
	usual, odd := partition(changes)
	for _, c := range usual {
		if !c.apply(d) {
			return nil, false
		}
	}
	quirks, problems := quirksOnItsSurface(check, doc)
	if len(problems) > 0 || !allAllowed(quirks, b.docs[at.doc].Quirks) || takesLong(d.reply) {
		return nil, false
	}
	for _, c := range odd {
		if !c.apply(d) {
			return nil, false
		}
	}
	fault := slices.ContainsFunc(odd, Change.isFault)
	if fault {
		doc.Expect = mustComplain
	}
	if len(odd) > 0 {
		quirks, problems = quirksOnItsSurface(check, doc)
	}
	doc.Quirks = quirks
	return b.replaced(at.doc, doc), len(problems) == 0 && at.keepsOutcome(b.docs[at.doc], doc, fault)
}

// takesLong reports whether an answer has so many bytes, in so small pieces, that a run takes
// seconds.
func takesLong(r *scenarios.Reply) bool {
	many := func(st scenarios.Step) bool { return st.Heartbeat > 100 || st.Text != nil }
	m := &r.Manner
	split, comments := m.Wire.Split, m.Wire.CommentsBetween
	large := slices.ContainsFunc(*r.Stream, many) || comments != nil && comments.Bytes > 1000 || !m.Envelope.Extra.Get(longMember).IsAbsent()
	return large && split != nil && len(split.At) == 0
}

// quirksOnItsSurface is [quirksOf] for the one API on which the scenario answered. Without that a
// stream were correct that only another API can send.
func quirksOnItsSurface(check func(*scenarios.Set) diag.List, doc *scenarios.Scenario) ([]scenarios.Quirk, diag.List) {
	s := *doc
	named := func(r scenarios.Reply) bool { return r.When.Surface != "" }
	if !slices.ContainsFunc(s.Replies, named) {
		s.When.Surface = cmp.Or(s.When.Surface, scenarios.DefaultSurface)
	}
	return quirksOf(check, &s)
}

// partition divides changes into those that OpenAI could make, and others.
func partition(changes []Change) (usual, odd []Change) {
	for _, c := range changes {
		if c.kind.dialect || c.kind.fault {
			odd = append(odd, c)
		} else {
			usual = append(usual, c)
		}
	}
	return usual, odd
}

func allAllowed(quirks, allowed []scenarios.Quirk) bool {
	for _, q := range quirks {
		if !slices.ContainsFunc(allowed, func(a scenarios.Quirk) bool { return a.Rule == q.Rule }) {
			return false
		}
	}
	return true
}

// replaced returns the base with another scenario in a place.
func (b *base) replaced(at int, doc *scenarios.Scenario) *base {
	c := *b
	c.docs = slices.Clone(b.docs)
	c.docs[at] = doc
	return &c
}

// playedSet returns the scenarios to play. An answer that is split pauses for gap, unless its split has a gap of its own.
func (b *base) playedSet(gap time.Duration) *scenarios.Set {
	set, _ := scenarios.Build(nil, b.docs...)
	quick := func(split *scenarios.Split) bool { return gap != 0 && split != nil && split.Gap == 0 }
	for _, doc := range b.docs {
		for i := range doc.Replies {
			if split := doc.Replies[i].Manner.Wire.Split; quick(split) {
				own := *split
				own.Gap = gap
				over := scenarios.Manner{Wire: scenarios.Wire{Split: &own}}
				set = set.With(over, Answer{Scenario: doc.Name, Reply: i}.isOf)
			}
		}
	}
	return set
}

// String is a scenario file with the scenarios of the base.
func (b *base) String() string {
	var docs []string
	for _, doc := range b.docs {
		text, err := yamlfile.Format(inShort(doc))
		if err != nil { // The scenario was made in Go and cannot be written as YAML.
			text = fmt.Appendf(nil, "# the scenario %s: %v\n", doc.Name, err)
		}
		docs = append(docs, string(text))
	}
	return strings.Join(docs, "---\n")
}
