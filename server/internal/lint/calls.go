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
