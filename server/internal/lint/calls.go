package lint

import (
	"cmp"
	"fmt"
	"regexp"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// openings calls visit for the fragments that start a call with an id or a name.
func (t *Transcript) openings(visit func(f fragment, hasID, hasName bool)) {
	for _, f := range t.fragments {
		hasID, hasName := f.id() != "", f.name() != ""
		if f.opens && (hasID || hasName) {
			visit(f, hasID, hasName)
		}
	}
}

func (f fragment) legacy() bool { return f.call.kind == script.LegacyCall }

func toolFragmentBeforeStart(t *Transcript, report func(Finding)) {
	for _, f := range t.fragments {
		if f.opens && f.id() == "" && f.name() == "" {
			report(At(f.Group, "arguments come for %s before it was opened", f.call.inWords()))
		}
	}
}

func toolCallWithoutID(t *Transcript, report func(Finding)) {
	t.openings(func(f fragment, hasID, _ bool) {
		if !hasID && !f.legacy() {
			report(At(f.Group, "%s is opened without an id", f.call.inWords()))
		}
	})
}

func toolCallWithoutName(t *Transcript, report func(Finding)) {
	t.openings(func(f fragment, _, hasName bool) {
		if !hasName && f.call.name == "" { // a late name is reported by tool-name-late
			report(At(f.Group, "%s is opened without a name", f.call.inWords()))
		}
	})
}

func toolNameLate(t *Transcript, report func(Finding)) {
	for _, f := range t.fragments {
		if !f.opens && f.identified && !f.named && f.name() != "" {
			report(At(f.Group, "the name of %s comes after the call was opened", f.call.inWords()))
		}
	}
}

func toolCallWithoutType(t *Transcript, report func(Finding)) {
	t.openings(func(f fragment, _, _ bool) {
		if !f.legacy() && f.untyped() {
			report(At(f.Group, "%s is opened without a type", f.call.inWords()))
		}
	})
}

func toolIndexGap(t *Transcript, report func(Finding)) {
	next := map[int]int{}
	for _, c := range t.calls {
		if c.kind == script.LegacyCall {
			continue
		}
		if c.reused {
			continue // reported by tool-index-reused
		}
		if c.index != next[c.choice] {
			report(At(c.first, "the index of the call is %d, the next one is %d", c.index, next[c.choice]))
		}
		next[c.choice]++
	}
}

func toolIndexReused(t *Transcript, report func(Finding)) {
	next := map[int]int{} // next is the expected index of the next call, for each choice
	for _, c := range t.calls {
		if c.reused {
			report(At(c.first, "%s has index %d, which another call has already", c.inWords(), c.index).
				Saying(fmt.Sprintf("give it index %d, or list tool-index-reused under quirks", next[c.choice])))
		}
		if c.kind != script.LegacyCall {
			next[c.choice]++
		}
	}
}

func toolIDRepeated(t *Transcript, report func(Finding)) {
	for _, f := range t.fragments {
		switch {
		case !f.identified || f.id() == "":
		case f.id() != f.call.id:
			report(At(f.Group, "%s has another id", f.call.inWords()))
		default:
			report(At(f.Group, "%s has its id again", f.call.inWords()))
		}
	}
}

func toolNameRepeated(t *Transcript, report func(Finding)) {
	for _, f := range t.fragments {
		if f.named && f.name() != "" {
			report(At(f.Group, "%s has its name again", f.call.inWords()))
		}
	}
}

var toolNamePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`) })

func toolNameInvalid(t *Transcript, report func(Finding)) {
	for _, c := range t.calls {
		if c.name != "" && !c.templated && !toolNamePattern().MatchString(c.name) {
			report(At(c.first, "%s cannot be the name of a tool", diag.Quote(c.name)).
				Saying("use at most 64 letters, digits, dashes and underscores, or list tool-name-invalid under quirks"))
		}
	}
}

func toolCallsInterleaved(t *Transcript, report func(Finding)) {
	latest := map[int]*call{}
	for _, f := range t.fragments {
		if f.opens {
			latest[f.call.choice] = f.call
		} else if latest[f.call.choice] != f.call {
			report(At(f.Group, "%s goes on after %s was opened", f.call.inWords(), latest[f.call.choice].inWords()))
		}
	}
}

func duplicateCallID(t *Transcript, report func(Finding)) {
	seen := map[string]bool{}
	for _, c := range t.calls {
		if c.id != "" && seen[c.id] && !c.templated {
			report(At(c.first, "there is a call with the id %s already", diag.Quote(c.id)))
		}
		seen[c.id] = true
	}
}

func twoKindsOfCalls(t *Transcript, report func(Finding)) {
	legacy := map[int]*bool{}
	for _, c := range t.calls {
		is := c.kind == script.LegacyCall
		if before := legacy[c.choice]; before != nil && *before != is {
			report(At(c.first, "choice %d has both a function_call and tool_calls", c.choice))
			return
		}
		legacy[c.choice] = &is
	}
}

func argumentsNotText(t *Transcript, report func(Finding)) {
	for _, f := range t.fragments {
		if f.noText() {
			report(At(f.Group, "the arguments of %s are %s, not a text", f.call.inWords(), f.argumentsValue().TypeInWords()))
		}
	}
}

func argumentsNotJSON(t *Transcript, report func(Finding)) {
	t.finishedArguments(func(c *call, v ojson.Value, err error) {
		if err != nil {
			report(At(c.first, "the arguments of %s are not JSON: %s", c.inWords(), cmp.Or(diag.Shorten(c.arguments.String()), "they are empty")))
		}
	})
}

func argumentsNotObject(t *Transcript, report func(Finding)) {
	t.finishedArguments(func(c *call, v ojson.Value, err error) {
		if err == nil && v.Kind() != ojson.ObjectKind {
			report(At(c.first, "the arguments of %s are %s, not an object", c.inWords(), v.TypeInWords()))
		}
	})
}

// finishedArguments calls visit for the arguments that are complete. A finish reason
// such as length can cut arguments off.
func (t *Transcript) finishedArguments(visit func(c *call, v ojson.Value, err error)) {
	for _, c := range t.calls {
		switch t.finishes[c.choice] {
		case "", "length", "content_filter":
			continue
		}
		if c.kind == script.CustomCall || c.templated || c.noText {
			continue
		}
		v, err := ojson.Parse([]byte(c.arguments.String()))
		visit(c, v, err)
	}
}

// inWords names a call for messages.
func (c *call) inWords() string {
	switch {
	case c.kind == script.LegacyCall:
		return "the function_call"
	case c.name != "":
		return "the call of " + diag.Shorten(c.name)
	}
	return "a call"
}
