package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// choice is the state of a choice in the stream.
type choice struct {
	opened, hasRole, called, finished bool

	last Said // last is the latest group of the choice.
}

// checkSaid checks what is said for each choice, and in which order.
func checkSaid(t *Transcript, report Report) {
	for i := range t.Said {
		if i > 0 && t.Said[i].at == t.Said[i-1].at {
			report("two-choices-in-one-chunk", At(t.Said[i].Group, "the chunk holds more than one choice"))
		}
	}
	choices := map[int]*choice{}
	for _, p := range t.Said {
		c := choices[p.Choice]
		if c == nil {
			c = &choice{}
			choices[p.Choice] = c
		}
		p.checkRole(t, c, report)
		p.checkText(c, report)
		p.checkFinish(t, c, report)
		c.last = p
	}
	checkEnds(t, choices, report)
	checkNumbers(t, report)
}

func (s Said) checkRole(t *Transcript, c *choice, report Report) {
	role := s.role()
	if !c.opened && s.saysSomething() {
		c.opened = true
		if role.IsAbsent() {
			first := "a step - role: assistant before it"
			switch {
			case slices.ContainsFunc(s.Beats, isOfCall): // as the real service does
				first = "role: assistant beside it"
			case s.Choice > 0:
				first = fmt.Sprintf("a step - { choice: %d, role: assistant } before it", s.Choice)
			}
			report("missing-role", At(s.Group, "the first chunk of choice %d has no role", s.Choice).
				Saying("write "+first+" or, if that is meant, quirks: [missing-role]"))
		}
	}
	if role.IsAbsent() {
		return
	}
	if c.hasRole && !s.isAudio() {
		report("role-repeated", At(s.Group, "choice %d has its role again", s.Choice))
	}
	c.hasRole = true
	if role.Text() != "assistant" && !s.Templated {
		report("role-not-assistant", At(s.Group, "the role is %s, not assistant", diag.Shorten(role.String())).
			on(t.written(s.Group, func(s *scenarios.Step) scenarios.Opt[scenarios.Text] { return s.Role })))
	}
}

func (s Said) checkText(c *choice, report Report) {
	if words := s.words(); c.finished && len(words) > 0 {
		report("content-after-finish", At(s.Group, "%s comes after the finish of choice %d", words[0], s.Choice))
	}
	calls := slices.ContainsFunc(s.Beats, isOfCall)
	word := s.textWord()
	switch {
	case word == "":
	case calls:
		report("content-after-call", At(s.Group, "%s stands beside a call of choice %d", word, s.Choice))
	case c.called:
		report("content-after-call", At(s.Group, "%s comes after a call of choice %d", word, s.Choice))
	}
	c.called = c.called || calls
}

var finishReasons = []string{"stop", "length", "tool_calls", "content_filter", "function_call"}

func (s Said) checkFinish(t *Transcript, c *choice, report Report) {
	finish := s.finish()
	reason := finish.Text()
	if s.finishes() {
		if c.finished {
			report("two-finishes", At(s.Group, "choice %d has finished already", s.Choice).on(t.finishText(s.Group)))
		}
		c.finished = true
	}
	called := func(c *call) bool { return c.choice == s.Choice && c.legacy() == (reason == "function_call") }
	if (reason == "tool_calls" || reason == "function_call") && !slices.ContainsFunc(t.calls, called) {
		report("finish-does-not-fit", At(s.Group, "finish is %s, but choice %d has no such call", reason, s.Choice).on(t.finishText(s.Group)))
	}
	open := s.Templated || finish.Kind() == ojson.RawKind // the reason depends on the request
	if finish.IsNullOrAbsent() || open || slices.Contains(finishReasons, reason) {
		return
	}
	f := At(s.Group, "finish must be one of stop, length, tool_calls, content_filter, function_call, not %s", diag.Quote(reason))
	if pos, text := t.finishText(s.Group); text == reason { // otherwise the finish is overwritten
		f = f.on(pos, text)
	}
	report("unknown-finish-reason", f.Saying(diag.DidYouMean(reason, finishReasons)))
}

// finishText returns the position and the text of the finish in a group's step.
func (t *Transcript) finishText(g *script.Group) (diag.Pos, string) {
	m := t.Reply.Message
	if m == nil {
		return t.written(g, func(s *scenarios.Step) scenarios.Opt[scenarios.Text] { return s.Finish })
	}
	if g.Choice < len(m.Choices) {
		m = &m.Choices[g.Choice]
	}
	return m.Finish.Value.Pos, m.Finish.Value.Source
}

// checkEnds checks that each choice has finished, unless the stream may end early.
func checkEnds(t *Transcript, choices map[int]*choice, report Report) {
	ends := t.Manner.Envelope.Response.Ends()
	if t.breaksOff() || t.hasAudio() || ends == scenarios.ResponseFailed || ends == scenarios.ResponseCancelled {
		return
	}
	hint := "write a step - finish: stop behind it, or say how the stream ends with end; or list missing-finish under quirks"
	if t.Reply.Message != nil {
		hint = "leave finish out, or write quirks: [missing-finish] in scenario, beside message, if null is meant; end: close in place of finish sends no finish and no [DONE]"
	}
	for _, index := range t.choices() {
		// An empty reason is reported by unknown-finish-reason.
		if c := choices[index]; !c.finished && !c.last.finishesEmpty() {
			if slices.ContainsFunc(t.calls, func(made *call) bool { return made.choice == index }) {
				hint = strings.Replace(hint, "finish: stop", "finish: tool_calls", 1)
			}
			report("missing-finish", At(c.last.Group, "choice %d has no finish after this, its last chunk", index).Saying(hint))
		}
	}
}

// checkNumbers checks that the choices are numbered without a gap.
func checkNumbers(t *Transcript, report Report) {
	for i, index := range slices.Sorted(slices.Values(t.choices())) {
		if index != i {
			first := slices.IndexFunc(t.Said, func(s Said) bool { return s.Choice == index })
			report("choice-index-gap", At(t.Said[first].Group, "there is a choice %d, but no choice %d", index, i))
			return
		}
	}
}

// checkCalls checks the fragments of calls, and the calls that they make together.
func checkCalls(t *Transcript, report Report) {
	latest := map[int]*call{}
	for _, f := range t.fragments {
		if f.opens {
			latest[f.call.choice] = f.call
			f.checkOpening(report)
		} else {
			f.checkLater(latest[f.call.choice], report)
		}
		if f.noText() {
			report("arguments-not-text", At(f.Group, "the arguments of %s are %s, not a text", f.call.inWords(), f.arguments.TypeInWords()))
		}
	}
	checkIndices(t, report)
	checkIdentities(t, report)
	for _, c := range t.calls {
		c.checkArguments(t.finishes[c.choice], report)
	}
}

func (f fragment) checkOpening(report Report) {
	c := f.call
	if f.id == "" && f.name == "" {
		report("tool-fragment-before-start", At(f.Group, "arguments come for %s before it was opened", c.inWords()))
		return
	}
	if f.id == "" && !c.legacy() {
		report("tool-call-without-id", At(f.Group, "%s is opened without an id", c.inWords()))
	}
	if f.name == "" && c.name == "" { // a late name is reported by tool-name-late
		report("tool-call-without-name", At(f.Group, "%s is opened without a name", c.inWords()))
	}
	if f.untyped && !c.legacy() {
		report("tool-call-without-type", At(f.Group, "%s is opened without a type", c.inWords()))
	}
}

// checkLater checks a later fragment of a call. Latest is the call of its choice that was opened last.
func (f fragment) checkLater(latest *call, report Report) {
	c := f.call
	if latest != c {
		report("tool-calls-interleaved", At(f.Group, "%s goes on after %s was opened", c.inWords(), latest.inWords()))
	}
	switch {
	case f.id == "" || !f.identified:
	case f.id != c.id:
		report("tool-id-repeated", At(f.Group, "%s has another id", c.inWords()))
	default:
		report("tool-id-repeated", At(f.Group, "%s has its id again", c.inWords()))
	}
	switch {
	case f.name == "":
	case f.named:
		report("tool-name-repeated", At(f.Group, "%s has its name again", c.inWords()))
	case f.identified:
		report("tool-name-late", At(f.Group, "the name of %s comes after the call was opened", c.inWords()))
	}
}

// checkIndices checks the indices of the calls of each choice. A legacy call has none.
func checkIndices(t *Transcript, report Report) {
	next, before := map[int]int{}, map[int]int{} // next leaves out calls with the index of another call; before counts all
	for _, c := range t.calls {
		if c.reused {
			report("tool-index-reused", At(c.first, "%s has index %d, which another call has already", c.inWords(), c.index).
				Saying(fmt.Sprintf("give it index %d, or list tool-index-reused under quirks", before[c.choice])))
		}
		if c.legacy() {
			continue
		}
		before[c.choice]++
		if c.reused {
			continue
		}
		if c.index != next[c.choice] {
			report("tool-index-gap", At(c.first, "the index of the call is %d, the next one is %d", c.index, next[c.choice]))
		}
		next[c.choice]++
	}
}

var toolNamePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })

// checkIdentities checks the names, the ids and the kinds of calls.
func checkIdentities(t *Transcript, report Report) {
	seen, legacy, mixed := map[string]bool{}, map[int]bool{}, false
	for _, c := range t.calls {
		if c.name != "" && !c.templated && !toolNamePattern().MatchString(c.name) {
			report("tool-name-invalid", At(c.first, "%s cannot be the name of a tool", diag.Quote(c.name)).
				Saying("use at most 64 letters, digits, dashes and underscores, or list tool-name-invalid under quirks"))
		}
		if c.id != "" && seen[c.id] && !c.templated {
			report("duplicate-call-id", At(c.first, "there is a call with the id %s already", diag.Quote(c.id)))
		}
		seen[c.id] = true
		if before, known := legacy[c.choice]; known && before != c.legacy() && !mixed {
			report("two-kinds-of-calls", At(c.first, "choice %d has both a function_call and tool_calls", c.choice))
			mixed = true
		}
		legacy[c.choice] = c.legacy()
	}
}

// checkArguments checks arguments that are complete. A finish reason such as length can cut
// arguments off.
func (c *call) checkArguments(finish string, report Report) {
	switch finish {
	case "", "length", "content_filter":
		return
	}
	if c.kind == script.CustomCall || c.templated || c.noText {
		return
	}
	v, err := ojson.Parse([]byte(c.arguments.String()))
	switch {
	case err != nil:
		report("arguments-not-json", At(c.first, "the arguments of %s are not JSON: %s", c.inWords(), cmp.Or(diag.Shorten(c.arguments.String()), "they are empty")))
	case v.Kind() != ojson.ObjectKind:
		report("arguments-not-object", At(c.first, "the arguments of %s are %s, not an object", c.inWords(), v.TypeInWords()))
	}
}

func (c *call) legacy() bool { return c.kind == script.LegacyCall }

// inWords names a call for messages.
func (c *call) inWords() string {
	switch {
	case c.legacy():
		return "the function_call"
	case c.name != "":
		return "the call of " + diag.Shorten(c.name)
	}
	return "a call"
}
