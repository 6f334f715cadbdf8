package chat

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// CheckShapes checks the protocol rules about the members of chunks.
func (on Surface) CheckShapes(t *lint.Transcript, report lint.Report) {
	on.dialect().chunks.Check(t, report)
	if on.legacy {
		return
	}
	opened := map[call]bool{}
	for i := range t.Said {
		checkDelta(&t.Said[i], report)
		checkEntries(&t.Said[i], opened, report)
	}
	checkLogprobs(t, report)
}

func checkDelta(p *lint.Said, report lint.Report) {
	if p.JSON.Kind() != ojson.ObjectKind && !p.JSON.IsAbsent() {
		report("delta-member-type", lint.At(p.Group, "delta is %s, not an object", lint.InWords(p.JSON)))
	}
	for _, m := range p.JSON.Members() {
		known := memberNamed(m.Name)
		if known.unofficial {
			report("reasoning-member", lint.At(p.Group, "OpenAI does not stream %s", m.Name))
		}
		if known.name == "" {
			report("unknown-delta-member", lint.UnknownMember(p.Group, "delta", m.Name, memberNames()))
		}
		if known.types != nil && m.Value.Kind() != ojson.RawKind && !slices.Contains(known.types, m.Value.Kind()) {
			report("delta-member-type", lint.At(p.Group, "delta.%s is %s", m.Name, m.Value.TypeInWords()))
		}
	}
}

// call is the place of a call in an answer.
type call struct{ choice, index int64 }

// checkEntries checks the entries of tool_calls in a delta. Opened has the calls so far.
func checkEntries(p *lint.Said, opened map[call]bool, report lint.Report) {
	entries := p.JSON.Get("tool_calls").Items()
	if len(entries) > 1 {
		report("two-calls-in-one-chunk", lint.At(p.Group, "the chunk holds %d entries of tool_calls", len(entries)))
	}
	for _, entry := range entries {
		index, ok := entry.Get("index").Int()
		if !ok {
			report("tool-entry-without-index", lint.At(p.Group, "an entry of tool_calls has no index"))
		}
		c := call{int64(p.Choice), index}
		// Blanks in the first entry of a call are reported by the rules about calls without an id, a
		// type or a name.
		if blank := blankIn(entry); opened[c] && len(blank) > 0 {
			report("tool-fragment-blank", lint.At(p.Group, "a later fragment of a call has %s", strings.Join(blank, ", ")).
				Saying("leave out what the first fragment says, or list tool-fragment-blank under quirks"))
		}
		opened[c] = true
		kind := entry.Get("type")
		if p.Templated || !script.Says(kind) || kind.Kind() == ojson.RawKind {
			continue
		}
		if kind.Kind() != ojson.StringKind || !slices.Contains(toolTypes, kind.Text()) {
			report("unknown-tool-type", lint.At(p.Group, "the type of a call is %s, not function or custom", diag.Shorten(kind.String())))
		}
	}
}

var toolTypes = []string{string(script.FunctionCall), string(script.CustomCall)}

// blankIn lists the members of a tool_calls entry that are null or empty.
func blankIn(entry ojson.Value) (blank []string) {
	look := func(name string, v ojson.Value) {
		if !v.IsAbsent() && !script.Says(v) {
			blank = append(blank, fmt.Sprintf("the %s %s", name, v))
		}
	}
	look("id", entry.Get("id"))
	look("type", entry.Get("type"))
	look("name", entry.Get("function").Get("name"))
	look("name", entry.Get("custom").Get("name"))
	return blank
}

// checkLogprobs looks at the entries of literal JSON, and at those that set or omit changes.
func checkLogprobs(t *lint.Transcript, report lint.Report) {
	for _, c := range t.Chunks {
		if !c.IsWhole() && !c.Edits("logprobs") {
			continue
		}
		for _, choice := range c.JSON.Get("choices").Items() {
			for _, list := range choice.Get("logprobs").Members() {
				for _, entry := range list.Value.Items() {
					if lacking := lackingOf(entry); lacking != "" {
						report("logprob-entry-short", lint.At(c.Group, "the entry of token %s has no %s", diag.Quote(entry.Get("token").Text()), lacking))
					}
				}
			}
		}
	}
}

// lackingOf names a member that an entry of log-probabilities, or one of its
// alternatives, lacks; "" for none.
func lackingOf(entry ojson.Value) string {
	top := entry.Get("top_logprobs")
	switch {
	case entry.Kind() != ojson.ObjectKind:
		return ""
	case entry.Get("bytes").IsAbsent():
		return "bytes"
	case top.Kind() != ojson.ArrayKind:
		return "top_logprobs"
	}
	for _, other := range top.Items() {
		if other.Get("bytes").IsAbsent() {
			return "bytes in its top_logprobs"
		}
	}
	return ""
}
