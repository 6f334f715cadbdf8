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

// Checks are the protocol rules about the members of chunks.
func (Surface) Checks() map[string]lint.Check { return shapeChecks }

var shapeChecks = map[string]lint.Check{
	"tool-entry-without-index": toolEntryWithoutIndex,
	"two-calls-in-one-chunk":   twoCallsInOneChunk,
	"reasoning-member":         reasoningMember,
	"unknown-delta-member":     unknownDeltaMember,
	"delta-member-type":        deltaMemberType,
	"tool-fragment-blank":      toolFragmentBlank,
	"unknown-tool-type":        unknownToolType,
	"logprob-entry-short":      logprobEntryShort,
	"choices-not-a-list":       lint.ChoicesNotAList,
	"choice-incomplete":        lint.ChoiceIncomplete("index", "delta", "finish_reason"),
	"unknown-chunk-member":     lint.UnknownChunkMember(chunkMembers...),
	"chunk-without-envelope":   lint.ChunkWithoutEnvelope(envelopeMembers...),
}

func toolEntryWithoutIndex(t *lint.Transcript, report func(lint.Finding)) {
	for _, p := range t.Said {
		for _, entry := range p.JSON.Get("tool_calls").Items() {
			if _, ok := entry.Get("index").Int(); !ok {
				report(lint.At(p.Group, "an entry of tool_calls has no index"))
			}
		}
	}
}

// toolFragmentBlank looks at the entries of a call after the first. Blanks in the first
// are reported by the rules about calls without an id, a type or a name.
func toolFragmentBlank(t *lint.Transcript, report func(lint.Finding)) {
	type call struct{ choice, index int64 }
	opened := map[call]bool{}
	for _, p := range t.Said {
		for _, entry := range p.JSON.Get("tool_calls").Items() {
			index, _ := entry.Get("index").Int()
			c := call{int64(p.Choice), index}
			if blank := blankIn(entry); opened[c] && len(blank) > 0 {
				report(lint.At(p.Group, "a later fragment of a call has %s", strings.Join(blank, ", ")).
					Saying("leave out what the first fragment says, or list tool-fragment-blank under quirks"))
			}
			opened[c] = true
		}
	}
}

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

func unknownToolType(t *lint.Transcript, report func(lint.Finding)) {
	for _, p := range t.Said {
		for _, entry := range p.JSON.Get("tool_calls").Items() {
			kind := entry.Get("type")
			if p.Templated || !script.Says(kind) || kind.Kind() == ojson.RawKind {
				continue
			}
			if kind.Kind() != ojson.StringKind || !slices.Contains(toolTypes, kind.Text()) {
				report(lint.At(p.Group, "the type of a call is %s, not function or custom", diag.Shorten(kind.String())))
			}
		}
	}
}

var toolTypes = []string{string(script.FunctionCall), string(script.CustomCall)}

// logprobEntryShort looks at the entries of literal JSON. Entries of a logprobs step may
// be short, and are sent as they are written.
func logprobEntryShort(t *lint.Transcript, report func(lint.Finding)) {
	for _, c := range t.Chunks {
		if !c.IsWhole() && !c.Edits("logprobs") {
			continue
		}
		for _, choice := range c.JSON.Get("choices").Items() {
			for _, list := range choice.Get("logprobs").Members() {
				for _, entry := range list.Value.Items() {
					if lacking := lackingOf(entry); lacking != "" {
						report(lint.At(c.Group, "the entry of token %s has no %s", diag.Quote(entry.Get("token").Text()), lacking))
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

func twoCallsInOneChunk(t *lint.Transcript, report func(lint.Finding)) {
	for _, p := range t.Said {
		if n := len(p.JSON.Get("tool_calls").Items()); n > 1 {
			report(lint.At(p.Group, "the chunk holds %d entries of tool_calls", n))
		}
	}
}

func reasoningMember(t *lint.Transcript, report func(lint.Finding)) {
	eachMember(t, func(g *script.Group, m ojson.Member) {
		if memberNamed(m.Name).dialect {
			report(lint.At(g, "OpenAI does not stream %s", m.Name))
		}
	})
}

func unknownDeltaMember(t *lint.Transcript, report func(lint.Finding)) {
	eachMember(t, func(g *script.Group, m ojson.Member) {
		if memberNamed(m.Name).name == "" {
			report(lint.UnknownMember(g, "delta", m.Name, memberNames()))
		}
	})
}

func deltaMemberType(t *lint.Transcript, report func(lint.Finding)) {
	for _, p := range t.Said {
		if p.JSON.Kind() != ojson.ObjectKind && !p.JSON.IsAbsent() {
			report(lint.At(p.Group, "delta is %s, not an object", lint.InWords(p.JSON)))
		}
	}
	eachMember(t, func(g *script.Group, m ojson.Member) {
		kinds := memberNamed(m.Name).types
		if kinds != nil && m.Value.Kind() != ojson.RawKind && !slices.Contains(kinds, m.Value.Kind()) {
			report(lint.At(g, "delta.%s is %s", m.Name, m.Value.TypeInWords()))
		}
	})
}

// eachMember calls visit for the members of all deltas.
func eachMember(t *lint.Transcript, visit func(*script.Group, ojson.Member)) {
	for _, p := range t.Said {
		for _, m := range p.JSON.Members() {
			visit(p.Group, m)
		}
	}
}

var (
	envelopeMembers = []string{"id", "object", "created", "model"}
	chunkMembers    = append([]string{"service_tier", "system_fingerprint", "choices", "usage", "moderation", "obfuscation",
		"prompt_filter_results", "prompt_annotations"}, envelopeMembers...)
)
