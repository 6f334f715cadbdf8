// Package lint checks streams against the rules of the protocol. What OpenAI never
// sends is a finding, unless the scenario lists the rule as a quirk. The rules about
// order, calls, usage and log-probabilities look at beats and apply to every surface;
// each surface adds rules about the shapes of its JSON.
package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Subject is a reply to check: its script, and how its surface reads it back.
type Subject struct {
	Script  *script.Script // Script is nil for a reply that is an HTTP error.
	Surface string         // Surface is the name of the surface that speaks it.
	// IsChunk reports whether JSON that was sent as bytes is a chunk of the surface.
	IsChunk func(ojson.Value) bool
	Hear    Hear             // Hear turns a group back into what it says.
	Shapes  map[string]Check // Shapes are the surface's own rules, by name.
	Skips   []string         // Skips are rules that do not hold for the surface.
}

// Scenario checks the replies of a scenario, in order. It reports every rule that is
// broken and not listed as a quirk, and every listed quirk that does not occur.
// Inherited are the quirks of the scenario that this one extends.
func Scenario(s *scenarios.Scenario, inherited []scenarios.Quirk, subjects []Subject) diag.List {
	l := linter{scenario: s, inherited: inherited, found: map[string]bool{}, atStep: map[*scenarios.Quirk]bool{}}
	if l.allows(scenarios.AnyQuirk) {
		return nil
	}
	for i := range s.Replies {
		l.reply(i, &subjects[i])
	}
	l.quirks()
	return l.diags
}

// Silenced reports whether a scenario may break all rules: see [scenarios.AnyQuirk].
func Silenced(s *scenarios.Scenario, inherited []scenarios.Quirk) bool {
	l := linter{scenario: s, inherited: inherited}
	return l.allows(scenarios.AnyQuirk)
}

type linter struct {
	scenario  *scenarios.Scenario
	inherited []scenarios.Quirk         // inherited are the quirks of the scenario that it extends.
	found     map[string]bool           // found holds the rules that were broken, listed or not.
	atStep    map[*scenarios.Quirk]bool // atStep holds the quirks of single steps that occurred there.
	diags     diag.List
}

// reply checks one reply against all rules.
func (l *linter) reply(i int, subject *Subject) {
	r := &l.scenario.Replies[i]
	manner := l.scenario.Manner.Overlay(r.Manner)
	t := newTranscript(r, &manner, subject)
	rule := ""
	var seen map[string]bool // seen holds the steps reported for this rule: a repeated step is reported once
	report := func(b Finding) {
		if q := stepQuirk(r, b.group, rule); q != nil {
			l.atStep[q] = true
			return
		}
		l.found[rule] = true
		where := fmt.Sprint(b.pos, b.step())
		if seen[where] || l.allows(rule) {
			return
		}
		if seen == nil {
			seen = map[string]bool{}
		}
		seen[where] = true
		l.report(i, rule, b)
	}
	for j := range rules {
		rule, seen = rules[j].name, nil
		check := checks[rule]
		if check == nil {
			check = subject.Shapes[rule]
		}
		if check != nil && !slices.Contains(subject.Skips, rule) {
			check(t, report)
		}
	}
}

func (l *linter) allows(rule string) bool {
	is := func(q scenarios.Quirk) bool {
		return q.Rule == rule && (rule != scenarios.AnyQuirk || q.Pos.File == "")
	}
	return slices.ContainsFunc(l.scenario.Quirks, is) || slices.ContainsFunc(l.inherited, is)
}

func (l *linter) report(reply int, rule string, b Finding) {
	d := diag.Problem{Pos: b.pos, Width: b.width, Rule: rule, Message: b.message, Hint: b.hint}
	if d.Hint == "" {
		d.Hint = fmt.Sprintf("if that is meant, say so with quirks: [%s]", rule)
	}
	if d.Line == 0 {
		d.Message = fmt.Sprintf("scenario %q, reply %d%s: %s", l.scenario.Name, reply+1, b.step(), b.message)
	}
	l.diags = append(l.diags, d)
}

// stepQuirk returns the quirk with which the step of a group allows breaking a rule;
// nil for none.
func stepQuirk(r *scenarios.Reply, g *script.Group, rule string) *scenarios.Quirk {
	if g == nil || r.Stream == nil || g.Step >= len(*r.Stream) {
		return nil
	}
	quirks := (*r.Stream)[g.Step].Quirks
	if i := slices.IndexFunc(quirks, func(q scenarios.Quirk) bool { return q.Rule == rule }); i >= 0 {
		return &quirks[i]
	}
	return nil
}

// quirks reports listed quirks that are no rules, or that do not occur.
func (l *linter) quirks() {
	for i := range l.scenario.Quirks {
		q := &l.scenario.Quirks[i]
		l.quirk(q, l.found[q.Rule], "")
	}
	for i := range l.scenario.Replies {
		stream := l.scenario.Replies[i].Stream
		if stream == nil {
			continue
		}
		for n := range *stream {
			st := &(*stream)[n]
			for k := range st.Quirks {
				q := &st.Quirks[k]
				where := " at this step"
				if q.Pos.Line == 0 {
					where = fmt.Sprintf(" at step %d of reply %d", n+1, i+1)
				}
				l.quirk(q, l.atStep[q], where)
			}
		}
	}
}

// quirk checks one listed quirk.
func (l *linter) quirk(q *scenarios.Quirk, occurs bool, where string) {
	var names []string
	for _, r := range rules {
		names = append(names, r.name)
	}
	d := diag.Problem{Pos: q.Pos, Width: len(q.Rule)}
	switch {
	case !slices.Contains(names, q.Rule):
		d.Message = fmt.Sprintf("there is no lint rule %q", q.Rule)
		d.Hint = diag.DidYouMean(q.Rule, names)
		if d.Hint == "" {
			d.Hint = "fakeopenai check --rules lists them"
		}
	case !occurs:
		d.Message = fmt.Sprintf("quirk %s is listed but does not occur%s", q.Rule, where)
		d.Hint = "take it off the list"
	default:
		return
	}
	if q.Pos.Line == 0 {
		d.Message = fmt.Sprintf("scenario %q: %s", l.scenario.Name, d.Message)
	}
	l.diags = append(l.diags, d)
}

// Finding is one place where a rule is broken.
type Finding struct {
	pos     diag.Pos
	width   int
	group   *script.Group // group is nil if the finding is about the whole reply.
	message string
	hint    string // hint says what to do; usually to list the rule as a quirk.
}

// step names the step of a finding that has no position in a file.
func (b Finding) step() string {
	if b.group == nil {
		return ""
	}
	return fmt.Sprintf(", step %d", b.group.Step+1)
}

// At makes a finding at a group.
func At(g *script.Group, format string, args ...any) Finding {
	return Finding{pos: g.Pos, group: g, message: fmt.Sprintf(format, args...)}
}

// on moves the finding to a position inside the group's step, where the text is
// written. If pos is unknown, the finding stays at the group.
func (b Finding) on(pos diag.Pos, text string) Finding {
	if pos.Line > 0 {
		b.pos, b.width = pos, len([]rune(text))
		if strings.Contains(text, "\n") {
			b.width = 0
		}
	}
	return b
}

// Saying gives the finding a hint of its own.
func (b Finding) Saying(hint string) Finding {
	b.hint = hint
	return b
}
