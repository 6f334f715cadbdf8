package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// lint finds what the streams of a scenario do that OpenAI never does and the
// scenario does not list as a quirk, and quirks that do not occur.
func Scenario(s *scenarios.Scenario, inherited []scenarios.Quirk) diag.List {
	l := linter{scenario: s, inherited: inherited, found: map[string]bool{}}
	if l.allows(scenarios.AnyQuirk) {
		return nil
	}
	for i := range s.Replies {
		l.reply(i)
	}
	l.quirks()
	return l.diags
}

type linter struct {
	scenario  *scenarios.Scenario
	inherited []scenarios.Quirk // taken over from the scenario that it extends
	found     map[string]bool   // rules that were broken, silenced or not
	diags     diag.List
}

// reply puts one reply to all rules.
func (l *linter) reply(i int) {
	r := &l.scenario.Replies[i]
	t := &talk{reply: r, manner: l.scenario.Manner.Under(r.Manner)}
	if r.Stream != nil || r.Message != nil {
		lines, diags := script.DraftLines(l.scenario, r, draftAsk(r))
		l.diags = append(l.diags, diags...)
		if lines == nil {
			return
		}
		t.read(lines.Lines)
	}
	for _, rule := range rules() {
		seen := map[string]bool{} // a step is reported once, however often it is repeated
		rule.check(t, func(b breach) {
			l.found[rule.name] = true
			place := fmt.Sprint(b.pos, b.step())
			if seen[place] || l.allows(rule.name) {
				return
			}
			seen[place] = true
			l.report(i, rule.name, b)
		})
	}
}

// draftAsk is the request for which a reply is drafted: one that gets all that
// the reply can send.
func draftAsk(r *scenarios.Reply) script.Ask {
	ask := script.Ask{N: 1, Usage: true, Logprobs: r.Stream != nil}
	if r.Message != nil && len(r.Message.Choices) > 0 {
		ask.N = len(r.Message.Choices)
	}
	return ask
}

func (l *linter) allows(rule string) bool {
	is := func(q scenarios.Quirk) bool {
		return q.Rule == rule && (rule != scenarios.AnyQuirk || q.Pos.File == "")
	}
	return slices.ContainsFunc(l.scenario.Quirks, is) || slices.ContainsFunc(l.inherited, is)
}

func (l *linter) report(reply int, rule string, b breach) {
	d := diag.Problem{Pos: b.pos, Width: b.width, Rule: rule, Message: b.message, Hint: b.hint}
	if d.Hint == "" {
		d.Hint = fmt.Sprintf("if that is meant, say so with quirks: [%s]", rule)
	}
	if d.Line == 0 {
		d.Message = fmt.Sprintf("scenario %q, reply %d%s: %s", l.scenario.Name, reply+1, b.step(), b.message)
	}
	l.diags = append(l.diags, d)
}

// quirks finds listed quirks that are no rules, or that do not occur.
func (l *linter) quirks() {
	var names []string
	for _, r := range rules() {
		names = append(names, r.name)
	}
	for _, q := range l.scenario.Quirks {
		d := diag.Problem{Pos: q.Pos, Width: len(q.Rule)}
		switch {
		case !slices.Contains(names, q.Rule):
			d.Message = fmt.Sprintf("there is no lint rule %q", q.Rule)
			d.Hint = diag.DidYouMean(q.Rule, names)
			if d.Hint == "" {
				d.Hint = "fakeopenai check --rules lists them"
			}
		case !l.found[q.Rule]:
			d.Message = fmt.Sprintf("quirk %s is listed but does not occur", q.Rule)
			d.Hint = "take it off the list"
		default:
			continue
		}
		if q.Pos.Line == 0 {
			d.Message = fmt.Sprintf("scenario %q: %s", l.scenario.Name, d.Message)
		}
		l.diags = append(l.diags, d)
	}
}

// A breach is one place where a rule is broken.
type breach struct {
	pos     diag.Pos
	width   int
	line    *script.Line // nil: no line in particular
	message string
	hint    string // "": how to say that it is meant
}

// step names the step of a breach that has no position in a file.
func (b breach) step() string {
	if b.line == nil {
		return ""
	}
	return fmt.Sprintf(", step %d", b.line.Step+1)
}

// at is a breach at a line.
func at(l *script.Line, format string, args ...any) breach {
	return breach{pos: l.Pos, line: l, message: fmt.Sprintf(format, args...)}
}

// on is a breach at a place within a line's step: pos, where text is written.
// Without a position of its own it is the line's.
func (b breach) on(pos diag.Pos, text string) breach {
	if pos.Line > 0 {
		b.pos, b.width = pos, len([]rune(text))
		if strings.Contains(text, "\n") {
			b.width = 0
		}
	}
	return b
}

func (b breach) saying(hint string) breach {
	b.hint = hint
	return b
}
