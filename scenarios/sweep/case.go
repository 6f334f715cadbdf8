package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Answer is what a request got while a case was run.
type Answer struct {
	Scenario string // Scenario is the one that answered; "" when none did.
	Reply    int    // Reply is the position of the reply in its scenario, from 0.
	Status   int    // Status is the HTTP status.
	Bytes    []byte // Bytes are the body as it was sent.
}

// Case is one run of what is swept: with all answers in a variant, or with one
// of them ending too early. The zero Case is the scenarios as they are written.
type Case struct {
	// Name tells the case from the others. It is the variant's name; where one of
	// several answers ends too early, the scenario of that answer and the number of
	// its reply stand before it.
	Name    string
	Variant Variant // Variant is how answers are spoken in the case.
	// truncated is the answer that ends too early, with the bytes that it has when
	// it does not; nil if no answer ends too early.
	truncated *Answer
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
// case's variant: a truncation is of one reply, other variants are of all.
func (c Case) Plays(scenario string, reply int) bool {
	return c.truncated == nil || c.truncated.sameReply(Answer{Scenario: scenario, Reply: reply})
}

// Reproduction is a scenario file that plays the case by itself: one line for
// each scenario of the set that has given one of the answers, or "" if none
// has. The scenarios that inCode names are written in Go, where no file can
// extend them; their line says what to add to them.
func (c Case) Reproduction(set *scenarios.Set, answers []Answer, inCode ...string) string {
	var lines []string
	for _, s := range set.Scenarios() {
		answered := slices.ContainsFunc(answers, func(a Answer) bool { return a.Scenario == s.Name })
		if !answered || c.truncated != nil && c.truncated.Scenario != s.Name {
			continue
		}
		line := c.Variant.Scenario(s.Name)
		switch {
		case slices.Contains(inCode, s.Name):
			line = fmt.Sprintf("the %s with %s", s.Name, c.Variant.YAML)
		case c.truncated != nil && len(s.Replies) > 1:
			line += fmt.Sprintf(" # only in reply %d", c.truncated.Reply+1)
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}
