// Package lint checks streams against the rules of the protocol. What OpenAI never
// sends is a finding, unless the scenario lists the rule as a quirk. The rules about
// order, calls, usage and log-probabilities look at beats and apply to every surface;
// each surface adds rules about the shapes of its JSON.
package lint

import (
	"cmp"
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
	Script  *script.Script // Script is nil for an HTTP error, and for a stream that no protocol has rules for.
	Surface string         // Surface is the name of the surface that speaks the reply.
	// IsChunk reports whether JSON that was sent as bytes is a chunk of the surface.
	IsChunk func(ojson.Value) bool
	Hear    Hear         // Hear turns a group back into what it says.
	Shapes  Check        // Shapes checks the rules about the surface's JSON.
	Skips   []string     // Skips are rules that do not hold for the surface.
	Title   string       // Title names the surface in messages.
	Items   bool         // Items says that the surface's answers are lists of items.
	Unsent  map[int]bool // Unsent has the steps of a stream all of whose events damage takes away.
	// Others returns the same reply on the other surfaces that can say it; nil for a reply that
	// answers on one alone.
	Others func() []Subject
}

// A Check looks for violations of rules in a reply, and reports each.
type Check func(t *Transcript, report Report)

// Report takes a finding of the rule with this name.
type Report func(rule string, f Finding)

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
	inherited []scenarios.Quirk         // inherited are the quirks of the scenario that this one extends.
	found     map[string]bool           // found holds the rules that were broken, listed or not.
	atStep    map[*scenarios.Quirk]bool // atStep holds the quirks of single steps that occurred there.
	diags     diag.List
}

// judged is a reply on one surface, with the findings that no quirk allows.
type judged struct {
	*Subject
	breaches []Finding
}

// reply checks one reply against all rules, on each surface that can say it. The first is the one
// on which scenarios are played that name none.
func (l *linter) reply(i int, subject *Subject) {
	r := &l.scenario.Replies[i]
	if r.Stream != nil && subject.Script == nil {
		return
	}
	on := []judged{{subject, l.breaches(r, subject)}}
	if subject.Others != nil && (subject.isEdited() || len(on[0].breaches) > 0) {
		for _, other := range subject.Others() {
			on = append(on, judged{&other, l.breaches(r, &other)})
		}
	}
	main := map[place]bool{}
	for _, f := range on[0].breaches {
		main[f.place()] = true
	}
	wrong := func(f Finding) bool { // says that the finding is one of the first surface, and no other is without the rule
		without := func(j judged) bool { return slices.Contains(j.Skips, f.rule) }
		return main[f.place()] && !slices.ContainsFunc(on, without)
	}
	for _, f := range on[0].breaches {
		if wrong(f) {
			l.diags = append(l.diags, l.problem(i, f))
		}
	}
	for k := range on {
		on[k].breaches = slices.DeleteFunc(slices.Clone(on[k].breaches), wrong)
	}
	l.refuse(i, on)
}

// isEdited reports whether a step changes its finished chunks, or sends bytes of its own. Without this
// what one surface says without a breach, all do.
func (s *Subject) isEdited() bool {
	return s.Script != nil && slices.ContainsFunc(s.Script.Groups, func(g script.Group) bool {
		_, ofBytes := dataOf(&g)
		return g.Edit != nil || ofBytes
	})
}

// refuse handles the breaches of rules that do not hold on all surfaces: the reply is refused where
// it breaks one. If it breaks none only where nobody would look for it, they are problems of the scenario.
func (l *linter) refuse(i int, on []judged) {
	fits, refused := "", map[string]diag.Problem{} // fits is the first surface on which the reply breaks none
	var problems diag.List
	for k, j := range on {
		if fits == "" && len(j.breaches) == 0 && (k == 0 || j.Items) { // nobody writes for completions without naming it
			fits = j.Surface
		}
		for _, f := range slices.Backward(j.breaches) {
			p := l.problem(i, f)
			p.Message = "on " + j.Title + ": " + p.Message
			if refused[j.Surface] = p; k == 0 { // who names these has an API that plays the reply
				problems = append(problems, p)
			}
		}
	}
	if fits == "" {
		l.diags = append(l.diags, problems...)
		return
	}
	for name, p := range refused {
		hints := []string{p.Hint, fmt.Sprintf("a scenario for %s alone says when: { surface: %s }", fits, fits)}
		if name != scenarios.DefaultSurface { // it was hardly meant for this one
			slices.Reverse(hints)
		}
		p.Hint = strings.Join(hints, "; ")
		refused[name] = p
	}
	if len(refused) > 0 {
		l.scenario.Replies[i].RefusedOn = refused
	}
}

// breaches returns the findings in a reply that no quirk allows. It notes the quirks that occur.
func (l *linter) breaches(r *scenarios.Reply, subject *Subject) (list []Finding) {
	manner := l.scenario.Manner.Overlay(&r.Manner)
	all := findings(newTranscript(r, manner, subject), subject)
	if len(subject.Unsent) > 0 { // what is not sent needs no quirk, and neither does what only it makes odd
		sent := map[place]bool{}
		for _, f := range findings(newTranscript(r, manner, subject.sent()), subject) {
			sent[f.place()] = true
		}
		all = slices.DeleteFunc(all, func(f Finding) bool { return !sent[f.place()] })
	}
	seen := map[place]bool{}
	for _, f := range all {
		if q := stepQuirk(r, f); q != nil {
			l.atStep[q] = true
			continue
		}
		l.found[f.rule] = true
		if !l.allows(f.rule) && !seen[f.place()] { // a repeated step is reported once
			list, seen[f.place()] = append(list, f), true
		}
	}
	return list
}

// sent returns the subject without the steps that damage takes away.
func (s *Subject) sent() *Subject {
	left, of := *s, *s.Script
	of.Groups = slices.DeleteFunc(slices.Clone(of.Groups), func(g script.Group) bool { return s.Unsent[g.Step] })
	left.Script = &of
	return &left
}

// place is what findings have in common that are reported once.
type place struct {
	rule, step string
	pos        diag.Pos
}

func (f Finding) place() place { return place{f.rule, f.step(), f.pos} }

// findings returns the places where a reply breaks rules, in the order of the rules.
func findings(t *Transcript, subject *Subject) (list []Finding) {
	report := func(rule string, f Finding) {
		if f.rule = rule; !slices.Contains(subject.Skips, rule) {
			list = append(list, f)
		}
	}
	for _, check := range []Check{checkReply, checkSaid, checkGroups, checkCalls, checkLogprobs, checkUsage, subject.Shapes} {
		check(t, report)
	}
	slices.SortStableFunc(list, func(a, b Finding) int { return cmp.Compare(position(a.rule), position(b.rule)) })
	return list
}

func (l *linter) allows(rule string) bool {
	is := func(q scenarios.Quirk) bool {
		return q.Rule == rule && (rule != scenarios.AnyQuirk || q.Pos.File == "")
	}
	return slices.ContainsFunc(l.scenario.Quirks, is) || slices.ContainsFunc(l.inherited, is)
}

func (l *linter) problem(reply int, f Finding) diag.Problem {
	d := diag.Problem{Pos: f.pos, Width: f.width, Rule: f.rule, Message: f.message, Hint: f.hint}
	if d.Hint == "" {
		d.Hint = fmt.Sprintf("if that is meant, say so with quirks: [%s]", f.rule)
	}
	if d.Line == 0 {
		d.Message = fmt.Sprintf("scenario %q, reply %d%s: %s", l.scenario.Name, reply+1, f.step(), f.message)
	}
	return d
}

// stepQuirk returns the quirk with which the step of a finding allows breaking the rule;
// nil for none.
func stepQuirk(r *scenarios.Reply, f Finding) *scenarios.Quirk {
	if f.group == nil || r.Stream == nil || f.group.Step >= len(*r.Stream) {
		return nil
	}
	quirks := (*r.Stream)[f.group.Step].Quirks
	if i := slices.IndexFunc(quirks, func(q scenarios.Quirk) bool { return q.Rule == f.rule }); i >= 0 {
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

func (l *linter) quirk(q *scenarios.Quirk, occurs bool, where string) {
	d := diag.Problem{Pos: q.Pos, Width: len(q.Rule)}
	switch {
	case position(q.Rule) < 0:
		var names []string
		for i := range rules {
			names = append(names, rules[i].Name)
		}
		d.Message = fmt.Sprintf("there is no lint rule %q", q.Rule)
		d.Hint = cmp.Or(diag.DidYouMean(q.Rule, names), "fakeopenai check --rules lists them")
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
	rule    string
	pos     diag.Pos
	width   int
	group   *script.Group // group is nil if the finding is about the whole reply.
	message string
	hint    string // hint says what to do; usually to list the rule as a quirk.
}

// step names the step of a finding that has no position in a file.
func (f Finding) step() string {
	if f.group == nil {
		return ""
	}
	return fmt.Sprintf(", step %d", f.group.Step+1)
}

// At makes a finding at a group.
func At(g *script.Group, format string, args ...any) Finding {
	return Finding{pos: g.Pos, group: g, message: fmt.Sprintf(format, args...)}
}

// on moves the finding to a position inside the group's step, where the text is
// written. If pos is unknown, the finding stays at the group.
func (f Finding) on(pos diag.Pos, text string) Finding {
	if pos.Line > 0 {
		f.pos, f.width = pos, len([]rune(text))
		if strings.Contains(text, "\n") {
			f.width = 0
		}
	}
	return f
}

// Saying gives the finding a hint of its own.
func (f Finding) Saying(hint string) Finding {
	f.hint = hint
	return f
}
