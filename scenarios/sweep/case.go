package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// Answer is what a request got while a case was run.
type Answer struct {
	Scenario string // Scenario is the one that answered; "" when none did.
	Reply    int    // Reply is the position of the reply in its scenario, from 0.
	Status   int    // Status is the HTTP status.
	Bytes    []byte // Bytes are the body as it was sent.
}

// Case is one run of what is swept: with all answers in a variant, or with one
// of them ending too early, or standing still. The zero Case is the scenarios as
// they are written.
type Case struct {
	// Name tells the case from the others. It is the variant's name; where one of
	// several answers ends too early, the scenario of that answer and the number of
	// its reply stand before it.
	Name    string
	Variant Variant // Variant is how answers are spoken in the case.
	// truncated is the answer that ends too early, with the bytes that it has when
	// it does not; nil if no answer ends too early.
	truncated *Answer
	// held is the answer that stands still in its middle; nil if none does.
	held *Answer
}

// AsWritten is the case in which every answer is the scenario as it is.
func AsWritten() Case { return variantCase(Variants()[0]) }

// Cases are the cases of [Variants], and after them those of the caller's own
// variants. A variant on demand takes part only if also names it; variants that
// without names do not take part. The error says which name is not that of a
// variant.
func Cases(also, without []string, own ...Variant) ([]Case, error) {
	variants, err := selectVariants(also, without)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, v := range slices.Concat(variants, own) {
		cases = append(cases, variantCase(v))
	}
	return cases, nil
}

func variantCase(v Variant) Case { return Case{Name: v.Name, Variant: v} }

// Points finds where an answer can end too early, given the whole answer, and
// returns a variant for each place. [Truncations] is such a function.
type Points func(whole []byte) []Variant

// Truncate are the cases in which one of the answers that were given in
// [AsWritten] ends too early while the others are whole. A reply that answered
// several requests counts once; errors are not truncated.
func Truncate(answers []Answer, points Points) []Case {
	var replies []Answer
	for _, a := range answers {
		if a.Scenario != "" && a.Status < 400 && !slices.ContainsFunc(replies, a.sameReply) {
			replies = append(replies, a)
		}
	}
	var cases []Case
	for _, a := range replies {
		for _, v := range points(a.Bytes) {
			c := Case{Name: v.Name, Variant: v, truncated: &a}
			if len(replies) > 1 {
				c.Name = fmt.Sprintf("%s-%d-%s", a.Scenario, a.Reply+1, v.Name)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

func (a Answer) sameReply(b Answer) bool { return a.Scenario == b.Scenario && a.Reply == b.Reply }

// Truncates reports whether an answer ends too early in the case.
func (c Case) Truncates() bool { return c.truncated != nil }

// Plays reports whether a reply, given by its position from 0, is played in the
// case's variant: a truncation is of one reply, as is what [Hold] holds; other
// variants are of all.
func (c Case) Plays(scenario string, reply int) bool {
	one := c.only()
	return one == nil || one.sameReply(Answer{Scenario: scenario, Reply: reply})
}

// only is the one answer that the case is about; nil if it is about all.
func (c Case) only() *Answer {
	if c.held != nil {
		return c.held
	}
	return c.truncated
}

// Holds reports whether an answer stands still in its middle in the case, and
// never goes on.
func (c Case) Holds() bool { return c.held != nil }

// Reproduction is a scenario file that plays the case by itself: a whole scenario,
// in one line, for each scenario of the set that has given one of the answers, or
// "" if none has. Check is that of the server; it says which quirks the scenarios
// have in the case. Nil leaves them theirs.
func (c Case) Reproduction(check func(*scenarios.Set) diag.List, set *scenarios.Set, answers []Answer) string {
	var docs []string
	for _, s := range set.Scenarios() {
		answered := slices.ContainsFunc(answers, func(a Answer) bool { return a.Scenario == s.Name })
		if one := c.only(); !answered || one != nil && one.Scenario != s.Name {
			continue
		}
		doc, err := c.whole(check, set, s)
		if err != nil { // it is written in Go, and no file can say it
			doc = fmt.Sprintf("# the scenario %s with %s", s.Name, c.Variant.YAML)
		}
		docs = append(docs, doc)
	}
	return strings.Join(docs, "\n---\n")
}

// whole is a scenario as the case plays it, with all that it takes over.
func (c Case) whole(check func(*scenarios.Set) diag.List, set *scenarios.Set, s *scenarios.Scenario) (string, error) {
	manner, err := c.Variant.Manner()
	if err != nil {
		return "", err
	}
	whole := s.Clone()
	for i := range whole.Replies {
		if r := &whole.Replies[i]; c.Plays(s.Name, i) {
			r.Manner = r.Manner.Overlay(manner)
		}
	}
	if len(whole.Replies) == 1 { // then it is shorter beside the name
		whole.Manner, whole.Replies[0].Manner = whole.Manner.Overlay(whole.Replies[0].Manner), scenarios.Manner{}
	}
	whole.Name, whole.Extends, whole.Description, whole.Tags = s.Name+"-"+c.Variant.Name, "", "", nil
	if whole.Quirks = slices.Concat(s.Quirks, set.InheritedQuirks(s.Name)); check != nil {
		whole.Quirks = nil
		alone, problems := scenarios.Build(whole)
		for _, p := range append(problems, check(alone)...) {
			if p.Rule != "" && !slices.ContainsFunc(whole.Quirks, func(q scenarios.Quirk) bool { return q.Rule == p.Rule }) {
				whole.Quirks = append(whole.Quirks, scenarios.Quirk{Rule: p.Rule})
			}
		}
	}
	line, err := yamlfile.FormatLine(whole)
	return strings.TrimSpace(string(line)), err
}
