package lint

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// expected reports an expectation that contradicts every reply of the scenario. Of a reply that is
// damaged, breaks off, or depends on the request it is not known what a client comes to.
func (l *linter) expected(subjects []Subject) {
	if len(l.scenario.Expect) == 0 {
		return
	}
	var reason string
	for i := range l.scenario.Replies {
		if whole := l.scenario.Replies[i].Whole(); whole != "" {
			reason = cmp.Or(reason, whole+" have no text, no calls and no finish")
			continue
		}
		o, known := l.outcome(&l.scenario.Replies[i], &subjects[i])
		for k := range l.scenario.Expect {
			misfit := l.misfit(&l.scenario.Expect[k], o)
			if !known || misfit == "" {
				return
			}
			reason = cmp.Or(reason, misfit)
		}
	}
	if reason == "" {
		return
	}
	p := diag.Problem{Pos: l.scenario.Expect[0].Pos, Message: "no reply fits what is expected: " + reason, Hint: "write what a client comes to that reads the reply, or change the reply"}
	if p.File != l.scenario.Pos.File || p.Line < l.scenario.Pos.Line {
		p.Pos, p.Message = l.scenario.Pos, fmt.Sprintf("scenario %q, whose expect is that of %s: %s", l.scenario.Name, l.scenario.Extends, p.Message)
	}
	l.diags = append(l.diags, p)
}

// misfit is [scenarios.Expectation.Misfit] for what the reply is known to say. Quirks may split what
// clients make of calls, and may be an error to them.
func (l *linter) misfit(e *scenarios.Expectation, o *outcome) string {
	known := *e
	if e.Usage != nil { // what is not written is counted for each request
		written := slices.DeleteFunc(slices.Clone(e.Usage.Object.Members()), func(m ojson.Member) bool { return o.Usage.Get(m.Name).IsAbsent() })
		known.Usage = &scenarios.Usage{Object: ojson.Object(written...)}
	}
	if o.odd {
		known.Calls = nil
		if e.Error == scenarios.AnError {
			return ""
		}
	}
	return known.Misfit(&o.Outcome)
}

// outcome is what a reply says to a client that asks for everything.
type outcome struct {
	scenarios.Outcome
	odd bool // odd says that the reply is not one that the real service sends in this way.
}

// outcome returns what a reply says; known is false if that is open.
func (l *linter) outcome(r *scenarios.Reply, subject *Subject) (o *outcome, known bool) {
	o = &outcome{}
	manner := l.scenario.Manner.Overlay(&r.Manner)
	if r.Error != nil || manner.End.Kind == scenarios.EndRefuse {
		o.Error = "there is no answer"
		return o, true
	}
	t := newTranscript(r, manner, subject)
	if len(manner.Damage) > 0 || t.breaksOff() || t.Script == nil || slices.ContainsFunc(t.groups(), func(g script.Group) bool { return g.Templated }) {
		return o, false
	}
	var text, refusal strings.Builder
	for _, s := range t.Said {
		if s.Choice == 0 {
			text.WriteString(s.text(false))
			refusal.WriteString(s.text(true))
		}
	}
	o.Text, o.Refusal = text.String(), refusal.String()
	for _, c := range t.calls {
		if c.choice == 0 {
			id := c.id
			if _, open := hole.In(ojson.Raw(id)); open {
				id = "drawn from the seed"
			}
			o.Calls = append(o.Calls, scenarios.OutcomeCall{ID: id, Name: c.name, Arguments: c.arguments.String()})
		}
	}
	for _, u := range t.Usages {
		o.Usage = u.Usage.Written
	}
	o.Finish = t.finishes[0]
	usual := slices.Contains([]string{"stop", "tool_calls", "function_call"}, o.Finish)
	quirks := len(l.scenario.Quirks)+len(l.inherited)+len(l.atStep) > 0
	o.odd = quirks || !usual || !reflect.DeepEqual(manner.Wire, scenarios.Wire{})
	return o, true
}
