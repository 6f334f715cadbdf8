package sweep

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Answer is what a request got while a case was run.
type Answer struct {
	Scenario string // the scenario that answered; "" when none did
	Reply    int    // the position of the reply in its scenario, from 0
	Status   int    // the HTTP status
	Bytes    []byte // the body as it was sent
}

// Case is one run of what is swept: with all answers in a variant, or with one
// of them ending too early. The zero Case is the scenarios as they are written.
type Case struct {
	// Name tells the case from the others: it is the variant's and, where one of
	// several answers ends too early, has its scenario and the number of its reply
	// before.
	Name    string
	Variant Variant
	// truncated is the answer that ends too early, as it is when it does not; nil if
	// none does.
	truncated *Answer
}

// AsWritten is the case in which every answer is the scenario as it is.
func AsWritten() Case { return variantCase(Variants()[0]) }

// Cases are those of the variants that must not matter to a client: all but the
// ones on demand that also does not name, and but those that without names. Own
// variants follow. The error says which name is not that of a variant.
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

// Points finds where an answer can end too early: [Truncations] is one.
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

// Plays reports whether a reply is played in the case's variant: a truncation is
// that of one reply.
func (c Case) Plays(scenario string, reply int) bool {
	return c.truncated == nil || c.truncated.sameReply(Answer{Scenario: scenario, Reply: reply})
}

// Reproduction is what plays the case by itself: a scenario file of one line for
// each scenario of the set that has given one of the answers, or "" if none has.
// The scenarios that inCode names are written in Go, where no file extends them;
// their line says what to add to them.
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
