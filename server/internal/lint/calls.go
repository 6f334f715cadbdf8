package lint

import (
	"regexp"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// callRules are about calls of tools and functions.
var callRules = []rule{
	{"tool-fragment-before-start", "Arguments come for a call that was not opened. OpenAI opens a call with its id, type and name first.", toolFragmentBeforeStart},
	{"tool-call-without-id", "A call is opened without an id. OpenAI gives every tool call one.", toolCallWithoutID},
	{"tool-call-without-name", "A call is opened without a name. OpenAI says first what is called.", toolCallWithoutName},
	{"tool-call-without-type", "A call is opened without a type. OpenAI says function, or custom.", toolCallWithoutType},
	{"tool-entry-without-index", "An entry of tool_calls has no index. OpenAI numbers every one; clients put calls together by it.", toolEntryWithoutIndex},
	{"tool-index-gap", "The index of a call is not the next one. OpenAI counts the calls of a choice from 0.", toolIndexGap},
	{"tool-id-repeated", "A later fragment of a call has the id again. OpenAI sends it once.", toolIDRepeated},
	{"tool-name-repeated", "A later fragment of a call has the name again. OpenAI sends it once.", toolNameRepeated},
	{"tool-name-invalid", "The name of a call is not 1 to 64 letters, digits, dashes and underscores. OpenAI accepts no such tool in a request.", toolNameInvalid},
	{"tool-calls-interleaved", "A call goes on after the next one was opened. OpenAI sends one call after the other.", toolCallsInterleaved},
	{"two-calls-in-one-chunk", "A chunk holds entries of two calls. OpenAI sends one entry in a chunk.", twoCallsInOneChunk},
	{"duplicate-call-id", "Two calls have the same id. OpenAI draws a new one for each.", duplicateCallID},
	{"two-kinds-of-calls", "A choice has both a function_call and tool_calls. OpenAI sends what the request offered: functions or tools.", twoKindsOfCalls},
	{"arguments-not-json", "The arguments of a call are not JSON, although no finish says that they are cut short. OpenAI sends {} for a call without arguments.", argumentsNotJSON},
	{"arguments-not-object", "The arguments of a call are JSON, but not an object. OpenAI sends an object.", argumentsNotObject},
}

// openings are the fragments that open a call with an id or a name.
func (t *talk) openings(visit func(f fragment, hasID, hasName bool)) {
	for _, f := range t.fragments {
		hasID, hasName := f.says(f.entry.Get("id")), f.says(f.body().Get("name"))
		if f.opens && (hasID || hasName) {
			visit(f, hasID, hasName)
		}
	}
}

// says reports whether a text is there and not empty.
func (f fragment) says(v ojson.Value) bool { return v.Text() != "" }

func (f fragment) legacy() bool { return f.call.kind == "function_call" }

func toolFragmentBeforeStart(t *talk, report func(breach)) {
	for _, f := range t.fragments {
		if f.opens && !f.says(f.entry.Get("id")) && !f.says(f.body().Get("name")) {
			report(at(f.Line, "arguments come for %s before it was opened", f.call.inWords()))
		}
	}
}

func toolCallWithoutID(t *talk, report func(breach)) {
	t.openings(func(f fragment, hasID, _ bool) {
		if !hasID && !f.legacy() {
			report(at(f.Line, "%s is opened without an id", f.call.inWords()))
		}
	})
}

func toolCallWithoutName(t *talk, report func(breach)) {
	t.openings(func(f fragment, _, hasName bool) {
		if !hasName {
			report(at(f.Line, "%s is opened without a name", f.call.inWords()))
		}
	})
}

func toolCallWithoutType(t *talk, report func(breach)) {
	t.openings(func(f fragment, _, _ bool) {
		if !f.legacy() && !f.says(f.entry.Get("type")) {
			report(at(f.Line, "%s is opened without a type", f.call.inWords()))
		}
	})
}

func toolEntryWithoutIndex(t *talk, report func(breach)) {
	for _, f := range t.fragments {
		if _, ok := f.entry.Get("index").Int(); !ok && !f.legacy() {
			report(at(f.Line, "an entry of tool_calls has no index"))
		}
	}
}

func toolIndexGap(t *talk, report func(breach)) {
	next := map[int]int{}
	for _, c := range t.calls {
		if c.kind == "function_call" {
			continue
		}
		if c.index != next[c.choice] {
			report(at(c.first, "the index of the call is %d, the next one is %d", c.index, next[c.choice]))
		}
		next[c.choice]++
	}
}

func toolIDRepeated(t *talk, report func(breach)) {
	for _, f := range t.fragments {
		if !f.opens && f.says(f.entry.Get("id")) {
			report(at(f.Line, "%s has its id again", f.call.inWords()))
		}
	}
}

func toolNameRepeated(t *talk, report func(breach)) {
	for _, f := range t.fragments {
		if !f.opens && f.says(f.body().Get("name")) {
			report(at(f.Line, "%s has its name again", f.call.inWords()))
		}
	}
}

var toolNamePattern = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

func toolNameInvalid(t *talk, report func(breach)) {
	for _, c := range t.calls {
		if c.name != "" && !c.templated && !toolNamePattern.MatchString(c.name) {
			report(at(c.first, "%s is no name for a tool", diag.Quote(c.name)).
				saying("use at most 64 letters, digits, dashes and underscores, or list tool-name-invalid under quirks"))
		}
	}
}

func toolCallsInterleaved(t *talk, report func(breach)) {
	latest := map[int]*call{}
	for _, f := range t.fragments {
		if f.opens {
			latest[f.call.choice] = f.call
		} else if latest[f.call.choice] != f.call {
			report(at(f.Line, "%s goes on after %s was opened", f.call.inWords(), latest[f.call.choice].inWords()))
		}
	}
}

func twoCallsInOneChunk(t *talk, report func(breach)) {
	for _, p := range t.parts {
		if n := len(p.delta.Get("tool_calls").Items()); n > 1 {
			report(at(p.Line, "the chunk holds %d entries of tool_calls", n))
		}
	}
}

func duplicateCallID(t *talk, report func(breach)) {
	seen := map[string]bool{}
	for _, c := range t.calls {
		if c.id != "" && seen[c.id] && !c.templated {
			report(at(c.first, "there is a call with the id %s already", diag.Quote(c.id)))
		}
		seen[c.id] = true
	}
}

func twoKindsOfCalls(t *talk, report func(breach)) {
	legacy := map[int]*bool{}
	for _, c := range t.calls {
		is := c.kind == "function_call"
		if before := legacy[c.choice]; before != nil && *before != is {
			report(at(c.first, "choice %d has both a function_call and tool_calls", c.choice))
			return
		}
		legacy[c.choice] = &is
	}
}

func argumentsNotJSON(t *talk, report func(breach)) {
	t.finishedArguments(func(c *call, v ojson.Value, err error) {
		if err != nil {
			report(at(c.first, "the arguments of %s are not JSON: %s", c.inWords(), diag.Shorten(c.arguments.String())))
		}
	})
}

func argumentsNotObject(t *talk, report func(breach)) {
	t.finishedArguments(func(c *call, v ojson.Value, err error) {
		if err == nil && v.Kind() != ojson.ObjectKind {
			report(at(c.first, "the arguments of %s are %s, not an object", c.inWords(), v.TypeInWords()))
		}
	})
}

// finishedArguments visits the arguments that are sent to their end. A finish
// such as length, or none, may come in the middle of them.
func (t *talk) finishedArguments(visit func(c *call, v ojson.Value, err error)) {
	for _, c := range t.calls {
		switch t.finishes[c.choice] {
		case "", "length", "content_filter":
			continue
		}
		if c.kind == "custom" || c.templated {
			continue
		}
		v, err := ojson.Parse([]byte(c.arguments.String()))
		visit(c, v, err)
	}
}

// inWords names a call.
func (c *call) inWords() string {
	switch {
	case c.kind == "function_call":
		return "the function_call"
	case c.name != "":
		return "the call of " + diag.Shorten(c.name)
	}
	return "a call"
}
