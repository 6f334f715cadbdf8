package answer

import (
	"cmp"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// checkExpected finds what is expected of a scenario and contradicts its replies: careful clients must come
// to one of the alternatives with one of the replies, and each alternative must be what some client comes to.
func checkExpected(s *scenarios.Scenario, set *scenarios.Set) (list diag.List) {
	if len(s.Expect) == 0 {
		return nil
	}
	report := func(pos diag.Pos, what, reason, hint string) {
		p := diag.Problem{Pos: pos, Message: what + ": " + reason, Hint: hint}
		if pos.File != s.Pos.File || pos.Line < s.Pos.Line {
			p.Pos, p.Message = s.Pos, fmt.Sprintf("scenario %q, whose expect is that of %s: %s", s.Name, s.Extends, p.Message)
		}
		list = append(list, p)
	}
	replies := tellAll(s, set)
	careful, reason := false, ""
	for k := range s.Expect {
		e, possible, compared, impossible := &s.Expect[k], false, false, ""
		var skipped []int // skipped are the replies with which not all was compared.
		for i, t := range replies {
			misfit := t.misfit(e, t.Careful)
			careful, reason = careful || misfit == "", cmp.Or(reason, misfit)
			misfit = t.misfit(withoutError(e), slices.Concat(t.Careful, t.Others))
			possible, impossible = possible || misfit == "", cmp.Or(impossible, misfit)
			if compared = compared || misfit == "" && !t.skipped; misfit == "" && t.skipped {
				skipped = append(skipped, i)
			}
		}
		if !possible {
			report(e.Pos, "no client can come to this", impossible, "leave it out, or write what a client may come to as well")
		}
		for _, i := range skipped {
			if !compared {
				s.Replies[i].Notes = append(s.Replies[i].Notes, diag.Problem{
					Pos: s.Expect[0].Pos, Message: fmt.Sprintf("scenario %q: what clients come to with reply %d depends on the request or on chance, so that not all of expect is compared with it", s.Name, i+1),
				})
			}
		}
	}
	if !careful {
		list = nil
		report(s.Expect[0].Pos, "no reply fits what is expected", reason, "write what a client comes to that reads the reply, or change the reply")
	}
	return list
}

// withoutError is what is expected of a client that reports no error, where it may report one.
func withoutError(e *scenarios.Expectation) *scenarios.Expectation {
	whole := *e
	whole.Error = scenarios.NoError
	if e.Error != scenarios.AnyError || reflect.DeepEqual(whole, scenarios.Expectation{Pos: e.Pos}) {
		return e
	}
	return &whole
}

// tellAll computes what clients come to with each reply of a scenario.
func tellAll(s *scenarios.Scenario, set *scenarios.Set) (list []*told) {
	others := set.SelectionsOf(s.Name, 2)
	for i, sel := range set.SelectionsOf(s.Name, 1) {
		quirks := slices.Concat(s.Quirks, set.InheritedQuirks(s.Name))
		if sel.Reply.Stream != nil {
			for _, st := range *sel.Reply.Stream {
				quirks = append(quirks, st.Quirks...)
			}
		}
		list = append(list, tell(sel, others[i], quirks))
	}
	return list
}

// told is what clients come to with a reply.
type told struct {
	scenarios.Outcomes
	unknown bool     // unknown says that the outcome depends on the request or on chance.
	open    bool     // open says that the request decides the texts, the calls and the usage.
	counted []string // counted are the counts of the usage that the request decides.
	skipped bool     // skipped says that something of what is expected was not compared.
	never   string   // never is why there is nothing to come to; "" if there is.
}

// misfit says in what none of the outcomes is the expected one, as far as that is known; "" if one is.
func (t *told) misfit(e *scenarios.Expectation, among []scenarios.Outcome) (reason string) {
	t.skipped = t.unknown
	switch {
	case t.unknown:
		return ""
	case t.never != "":
		return t.never
	}
	known := *e
	if t.open {
		known.Text, known.Refusal, known.Calls = nil, nil, nil
	}
	if e.Usage != nil {
		isOpen := func(m ojson.Member) bool {
			n, ok := m.Value.Int()
			return ok && n >= 0 && (t.open || slices.Contains(t.counted, m.Name))
		}
		known.Usage = &scenarios.Usage{Object: ojson.Object(slices.DeleteFunc(slices.Clone(e.Usage.Object.Members()), isOpen)...)}
		t.skipped = t.skipped || len(known.Usage.Object.Members()) < len(e.Usage.Object.Members())
	}
	t.skipped = t.skipped || known.Text != e.Text || known.Refusal != e.Refusal || known.Calls != e.Calls
	ended := false // ended says that the reason is an error; in what the rest differs tells more
	for i := range among {
		misfit := known.Misfit(&among[i])
		if misfit == "" {
			return ""
		}
		if reason == "" || among[i].Error == "" && ended {
			reason, ended = misfit, among[i].Error != ""
		}
	}
	return reason
}

// tell computes what clients come to with a reply, given as it is selected with two seeds.
func tell(sel, other *scenarios.Selection, quirks []scenarios.Quirk) *told {
	on := SurfaceOf(sel.Scenario, sel.Reply)
	t := new(told)
	first, err := t.one(on, sel, "Hello")
	if t.unknown = t.unknown || err != nil || dependsOnChance(sel.Manner); t.unknown {
		return t
	}
	if t.Outcomes = *first; sel.Reply.Error != nil {
		return t
	}
	if !slices.Contains(Surfaces(), on) {
		if !t.MustFail() {
			t.never = cmp.Or(sel.Reply.Whole(), "answers to "+on.Info().Title) + " have no text, no calls and no finish"
		}
		return t
	}
	second, err := t.one(on, other, strings.Repeat("Hello again. ", 40))
	if err != nil || len(second.Careful) != len(t.Careful) {
		t.unknown = true
		return t
	}
	t.compare(&second.Careful[0])
	failed := scenarios.Outcome{Error: "it is no answer that the API sends"}
	switch m := sel.Manner; {
	case len(quirks) > 0 || len(m.Damage) > 0:
		t.Careful = append(t.Careful, failed)
	case m.End.Kind != "" || !reflect.DeepEqual(m.Wire, scenarios.Wire{}) || mayRefuse(sel):
		t.Others = append(t.Others, failed)
	}
	return t
}

// one makes the answer to a request with a prompt, and reads it. It notes what of it depends on the request.
func (t *told) one(on surface.Surface, sel *scenarios.Selection, prompt string) (o *scenarios.Outcomes, err error) {
	body, err := ojson.Parse([]byte(strings.Replace(on.Info().Example, "Hello", prompt, 1)))
	if err != nil {
		return nil, err
	}
	if streams := cmp.Or(sel.Reply.When.Stream, sel.Scenario.When.Stream); streams != nil && !*streams {
		body.Set("stream", ojson.Value{})
		body.Set("stream_options", ojson.Value{})
	}
	req, err := on.Read(http.Header{"Accept-Encoding": {"gzip"}}, body.Append(nil))
	if err != nil {
		return nil, err
	}
	req.N = choicesAsked(sel)
	asked, maker := asking(on, sel, *req, false), NewMaker()
	switch fixed := sel.Manner.Wire.Body; {
	case fixed != nil:
		t.unknown = fixed.Text.IsTemplate() || render.ValueIsTemplate(fixed.JSON)
	case sel.Reply.Error == nil && sel.Reply.Whole() == "":
		p, err := maker.cache.get(asked)
		if err != nil {
			return nil, err
		}
		t.unknown = p.script.PerRequest || !p.script.TextsAlone()
		t.open = slices.ContainsFunc(p.script.Groups, func(g script.Group) bool { return g.Templated })
	}
	made, err := maker.Make(asked)
	if err != nil {
		return nil, err
	}
	defer made.Release()
	read := made.Outcomes(asked)
	return &read, nil
}

func dependsOnChance(m *scenarios.Manner) bool {
	return m.End.Chance != nil || slices.ContainsFunc(m.Damage, func(d scenarios.Damage) bool { return d.Chance != nil })
}

// mayRefuse reports whether a request can be refused that the reply would answer.
func mayRefuse(sel *scenarios.Selection) bool {
	s := sel.Scenario
	return !s.Limits.IsZero() || s.Strict != nil || s.CheckHistory != nil || sel.Reply.Times > 0
}

// compare notes what differs between two answers of the reply.
func (t *told) compare(other *scenarios.Outcome) {
	first := &t.Careful[0]
	t.open = t.open || first.Text != other.Text || first.Refusal != other.Refusal || len(first.Calls) != len(other.Calls)
	for i := range first.Calls {
		t.open = t.open || first.Calls[i].Arguments != other.Calls[i].Arguments
	}
	if !t.open {
		for _, list := range [][]scenarios.Outcome{t.Careful, t.Others} {
			for k := range list {
				list[k].Calls = withoutDrawn(list[k].Calls, other.Calls)
			}
		}
	}
	for _, m := range first.Usage.Members() {
		if !ojson.Same(m.Value, other.Usage.Get(m.Name)) {
			t.counted = append(t.counted, m.Name)
		}
	}
}

// withoutDrawn are calls without the ids that are others in another answer.
func withoutDrawn(calls, others []scenarios.OutcomeCall) []scenarios.OutcomeCall {
	calls = slices.Clone(calls)
	for i := range calls {
		if !slices.ContainsFunc(others, func(c scenarios.OutcomeCall) bool { return c.ID == calls[i].ID }) {
			calls[i].ID = "drawn from the seed"
		}
	}
	return calls
}
