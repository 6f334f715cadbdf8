package sweep

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// Answer is the answer to one request in the run of a case.
type Answer struct {
	Scenario string // Scenario is the name of the scenario that answered; "" if none did.
	Reply    int    // Reply is the position of the reply in its scenario, from 0.
	Status   int    // Status is the HTTP status.
	Bytes    []byte // Bytes are the body as it was sent.

	// Surface, Header and Body are those of the request that was answered.
	Surface string
	Header  http.Header
	Body    []byte
}

// Answers are those of the entries of a journal that keeps transcripts.
func Answers(entries []journal.Entry) []Answer {
	answers := make([]Answer, len(entries))
	for i, e := range entries {
		answers[i] = Answer{Scenario: e.Scenario, Reply: e.Reply, Status: e.Status, Bytes: e.Transcript, Surface: e.Surface, Header: e.Header, Body: e.Body}
	}
	return answers
}

// Case is one run of a sweep: all answers are played in a variant, or one answer ends too
// early. The zero Case plays the scenarios unchanged.
type Case struct {
	// Name is unique in a sweep. It is the name of the variant; if one of several answers
	// ends too early, the scenario of that answer and the number of its reply precede it. In
	// a hunt it is the names of the changes.
	Name    string
	Variant Variant // Variant changes how answers are sent in the case.
	// only is the one answer that the case changes, with the bytes of the whole answer; nil
	// if it changes all.
	only  *Answer
	fails bool  // fails says that a client must complain: no client can read around what it is sent.
	drawn *base // drawn are the scenarios of a case of a hunt, in place of those of the set.
}

// AsWritten is the case in which all scenarios are played unchanged.
func AsWritten() Case { return variantCase(Variants()[0]) }

// Cases are the cases of [Variants]. A variant with OnDemand is included only if also names
// it; variants that without names are left out. The error says which name is unknown, or in
// both lists.
func Cases(also, without []string) ([]Case, error) {
	variants, err := selectVariants(also, without)
	if err != nil {
		return nil, err
	}
	var cases []Case
	for _, v := range variants {
		cases = append(cases, variantCase(v))
	}
	return cases, nil
}

func variantCase(v Variant) Case { return Case{Name: v.Name, Variant: v} }

// Truncate are the cases of [Truncations] in which one of the answers of the run of [AsWritten], which scenarios of
// the set gave, ends so early that careful readers report an error, while the others are whole. A
// reply that answered several requests counts once. Errors are not truncated.
func Truncate(set *scenarios.Set, answers []Answer) []Case {
	var replies []Answer
	for _, a := range answers {
		if a.Scenario != "" && a.Status < 400 && !slices.ContainsFunc(replies, a.sameReply) {
			replies = append(replies, a)
		}
	}
	var cases []Case
	for _, a := range replies {
		for _, v := range Truncations(a.Bytes) {
			c := Case{Name: v.Name, Variant: v, only: &a, fails: true}
			if !c.endsTooEarly(set, Answer{Scenario: a.Scenario, Reply: a.Reply, Surface: a.Surface, Header: a.Header, Body: a.Body}) {
				continue
			}
			if len(replies) > 1 {
				c.Name = fmt.Sprintf("%s-%d-%s", a.Scenario, a.Reply+1, v.Name)
			}
			cases = append(cases, c)
		}
	}
	return cases
}

func (a Answer) sameReply(b Answer) bool { return a.isOf(b.Scenario, b.Reply) }

func (a Answer) isOf(scenario string, reply int) bool {
	return a.Scenario == scenario && a.Reply == reply
}

// Fails reports whether no client can read around what it is sent in the case: it must
// complain.
func (c Case) Fails() bool { return c.fails }

// Set returns the scenarios of the case: those of set, and the changes of the case. With a gap
// that is not 0, split answers pause for it between two pieces, unless they name a gap themselves.
func (c Case) Set(set *scenarios.Set, gap time.Duration) (*scenarios.Set, error) {
	if c.drawn != nil {
		return c.drawn.playedSet(gap), nil
	}
	manner, err := c.Variant.Manner()
	if err != nil {
		return nil, err
	}
	if split := manner.Wire.Split; split != nil && split.Gap == 0 {
		split.Gap = gap
	}
	return set.With(manner, c.Plays), nil
}

// Plays reports whether a reply, given by its position from 0, is played in the variant
// of the case. A case of [Truncate] changes one reply; other cases change all.
func (c Case) Plays(scenario string, reply int) bool {
	return c.only == nil || c.only.isOf(scenario, reply)
}

// Reproduction is a scenario file that plays the case by itself: one line for each
// scenario of the set that gave one of the answers, or "" if none did. With check, which
// is server.Check, the quirks are those that the scenarios need in the case; if it is
// nil, they keep their own.
func (c Case) Reproduction(check func(*scenarios.Set) diag.List, set *scenarios.Set, answers []Answer) string {
	if c.drawn != nil {
		return c.drawn.String()
	}
	var docs []string
	for _, s := range set.Scenarios() {
		answered := slices.ContainsFunc(answers, func(a Answer) bool { return a.Scenario == s.Name })
		if !answered || c.only != nil && c.only.Scenario != s.Name {
			continue
		}
		doc, err := c.playedText(check, set, s)
		if err != nil { // The scenario was made in Go and cannot be written as YAML.
			doc = fmt.Sprintf("# the scenario %s with %s", s.Name, c.Variant.YAML)
		}
		docs = append(docs, doc)
	}
	return strings.Join(docs, "\n---\n")
}

// flat is a scenario as the case plays it, without extends.
func (c Case) flat(set *scenarios.Set, s *scenarios.Scenario) (*scenarios.Scenario, error) {
	manner, err := c.Variant.Manner()
	flat := playedScenario(set, s)
	for i := range flat.Replies {
		if r := &flat.Replies[i]; c.Plays(s.Name, i) {
			r.Manner = *r.Manner.Overlay(&manner)
		}
	}
	return flat, err
}

// playedText returns the YAML of a scenario with the changes of the case.
func (c Case) playedText(check func(*scenarios.Set) diag.List, set *scenarios.Set, s *scenarios.Scenario) (string, error) {
	whole, err := c.flat(set, s)
	if err != nil {
		return "", err
	}
	whole.Name += "-" + c.Variant.Name
	if check != nil {
		whole.Quirks, _ = quirksOf(check, whole)
	}
	line, err := yamlfile.FormatLine(inShort(whole))
	return strings.TrimSpace(string(line)), err
}

// playedScenario returns a scenario of a set as it is played: with everything that it
// extends, and with the whole manner in each reply.
func playedScenario(set *scenarios.Set, s *scenarios.Scenario) *scenarios.Scenario {
	s = s.Clone()
	s.Quirks = slices.Concat(s.Quirks, set.InheritedQuirks(s.Name))
	s.Extends, s.Description, s.Tags, s.Expect = "", "", nil, nil
	for i := range s.Replies {
		r := &s.Replies[i]
		r.Manner = *s.Manner.Overlay(&r.Manner)
	}
	s.Manner = scenarios.Manner{}
	return s
}

// inShort is a scenario with the manner of its only reply beside the name, which is shorter to
// write.
func inShort(s *scenarios.Scenario) *scenarios.Scenario {
	if len(s.Replies) != 1 {
		return s
	}
	s = s.Clone()
	s.Manner, s.Replies[0].Manner = s.Replies[0].Manner, scenarios.Manner{}
	return s
}

// quirksOf are the quirks that a scenario needs to be correct, and the problems that it has
// beside them.
func quirksOf(check func(*scenarios.Set) diag.List, s *scenarios.Scenario) (quirks []scenarios.Quirk, others diag.List) {
	s = s.Clone()
	s.Quirks = nil
	alone, problems := scenarios.Build(nil, s)
	for _, p := range append(problems, check(alone)...) {
		switch {
		case p.Rule == "":
			others = append(others, p)
		case !slices.ContainsFunc(quirks, func(q scenarios.Quirk) bool { return q.Rule == p.Rule }):
			quirks = append(quirks, scenarios.Quirk{Rule: p.Rule})
		}
	}
	return quirks, others
}
