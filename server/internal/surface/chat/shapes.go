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

// Checks are the rules about the members of chunks.
func (Surface) Checks() map[string]lint.Check {
	return map[string]lint.Check{
		"tool-entry-without-index": toolEntryWithoutIndex,
		"two-calls-in-one-chunk":   twoCallsInOneChunk,
		"reasoning-member":         reasoningMember,
		"unknown-delta-member":     unknownDeltaMember,
		"delta-member-type":        deltaMemberType,
		"unknown-chunk-member":     unknownChunkMember,
		"chunk-without-envelope":   chunkWithoutEnvelope,
	}
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
			report(unknownMember(g, "delta", m.Name, memberNames()))
		}
	})
}

// unknownMember is a finding that proposes what may have been meant.
func unknownMember(g *script.Group, where, name string, known []string) lint.Finding {
	f := lint.At(g, "OpenAI sends no %s.%s", where, diag.Shorten(name))
	if near := diag.Nearest(name, known); near != "" {
		f = f.Saying(fmt.Sprintf("did you mean %q?", near))
	}
	return f
}

func deltaMemberType(t *lint.Transcript, report func(lint.Finding)) {
	for _, p := range t.Said {
		if p.JSON.Kind() != ojson.ObjectKind && !p.JSON.IsAbsent() {
			report(lint.At(p.Group, "delta is %s, not an object", p.JSON.TypeInWords()))
		}
	}
	eachMember(t, func(g *script.Group, m ojson.Member) {
		kinds := memberNamed(m.Name).types
		if kinds != nil && m.Value.Kind() != ojson.RawKind && !slices.Contains(kinds, m.Value.Kind()) {
			report(lint.At(g, "delta.%s is %s", m.Name, m.Value.TypeInWords()))
		}
	})
}

// eachMember visits the members of all deltas.
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

func unknownChunkMember(t *lint.Transcript, report func(lint.Finding)) {
	eachWholeChunk(t, func(g *script.Group, chunk ojson.Value) {
		for _, m := range chunk.Members() {
			switch {
			case slices.Contains(chunkMembers, m.Name):
			case m.Name == "error":
				report(lint.At(g, "OpenAI sends no chunk.error").
					Saying("an error in mid-stream is a step of its own: write error: " + diag.Shorten(m.Value.String())))
			default:
				report(unknownMember(g, "chunk", m.Name, chunkMembers))
			}
		}
	})
}

func chunkWithoutEnvelope(t *lint.Transcript, report func(lint.Finding)) {
	eachWholeChunk(t, func(g *script.Group, chunk ojson.Value) {
		if !chunk.Get("error").IsAbsent() && chunk.Get("choices").IsAbsent() {
			return // an error has no envelope
		}
		var lacking []string
		for _, name := range envelopeMembers {
			if chunk.Get(name).IsAbsent() {
				lacking = append(lacking, name)
			}
		}
		if len(lacking) > 0 {
			report(lint.At(g, "the chunk has no %s", strings.Join(lacking, ", ")).
				Saying("a chunk is sent as it is written; use delta to get the envelope, or list chunk-without-envelope under quirks"))
		}
	})
}

// eachWholeChunk visits the chunks that are written whole.
func eachWholeChunk(t *lint.Transcript, visit func(*script.Group, ojson.Value)) {
	if t.Script == nil {
		return
	}
	for i := range t.Script.Groups {
		g := &t.Script.Groups[i]
		if c := newChunk(g, ""); !c.authored.IsAbsent() {
			visit(g, c.authored)
		}
	}
}
