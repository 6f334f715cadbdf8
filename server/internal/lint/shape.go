package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// shapeRules are about the members of chunks and errors.
var shapeRules = []rule{
	{"choice-index-gap", "The choices are not numbered 0, 1, 2 without a gap. OpenAI numbers them so.", choiceIndexGap},
	{"two-choices-in-one-chunk", "A chunk holds two choices. OpenAI sends one in each.", twoChoicesInOneChunk},
	{"reasoning-member", "A delta has reasoning_content or reasoning. OpenAI does not stream reasoning in chat completions; other providers do.", reasoningMember},
	{"unknown-delta-member", "A delta has a member that OpenAI does not send.", unknownDeltaMember},
	{"delta-member-type", "A delta is not an object, or a member of it has a type that OpenAI does not send, such as a number for content.", deltaMemberType},
	{"unknown-chunk-member", "A chunk that is written whole has a member that neither OpenAI nor Azure sends.", unknownChunkMember},
	{"chunk-without-envelope", "A chunk that is written whole lacks id, object, created or model. OpenAI sends all four.", chunkWithoutEnvelope},
	{"status-not-an-error", "An error answers with a status below 400. OpenAI sends errors with 400 and above.", statusNotAnError},
	{"error-status-mismatch", "The code of an error belongs to another status.", errorStatusMismatch},
}

func choiceIndexGap(t *talk, report func(breach)) {
	choices := t.choices()
	slices.Sort(choices)
	for i, choice := range choices {
		if choice == i {
			continue
		}
		for _, p := range t.parts {
			if p.choice == choice {
				report(at(p.Line, "there is a choice %d, but no choice %d", choice, i))
				return
			}
		}
	}
}

func twoChoicesInOneChunk(t *talk, report func(breach)) {
	for i := range t.parts {
		if i > 0 && t.parts[i].at == t.parts[i-1].at {
			report(at(t.parts[i].Line, "the chunk holds more than one choice"))
		}
	}
}

var reasoningMembers = []string{"reasoning_content", "reasoning"}

func reasoningMember(t *talk, report func(breach)) {
	t.eachMember(func(l *script.Line, m ojson.Member) {
		if slices.Contains(reasoningMembers, m.Name) {
			report(at(l, "OpenAI does not stream %s", m.Name))
		}
	})
}

// deltaMembers are the members that a delta can have, with the types that they
// can be of.
var deltaMembers = map[string][]ojson.Kind{
	"role":          {ojson.StringKind},
	"content":       {ojson.StringKind, ojson.NullKind},
	"refusal":       {ojson.StringKind, ojson.NullKind},
	"tool_calls":    {ojson.ArrayKind},
	"function_call": {ojson.ObjectKind},
	"audio":         {ojson.ObjectKind},
	"annotations":   {ojson.ArrayKind},
}

func unknownDeltaMember(t *talk, report func(breach)) {
	t.eachMember(func(l *script.Line, m ojson.Member) {
		if deltaMembers[m.Name] == nil && !slices.Contains(reasoningMembers, m.Name) {
			report(unknownMember(l, "delta", m.Name, keys(deltaMembers)))
		}
	})
}

// unknownMember is a breach that proposes what may have been meant.
func unknownMember(l *script.Line, where, name string, known []string) breach {
	b := at(l, "OpenAI sends no %s.%s", where, diag.Shorten(name))
	if near := diag.Nearest(name, known); near != "" {
		b = b.saying(fmt.Sprintf("did you mean %q?", near))
	}
	return b
}

func keys[V any](m map[string]V) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	slices.Sort(list)
	return list
}

func deltaMemberType(t *talk, report func(breach)) {
	for _, p := range t.parts {
		if p.delta.Kind() != ojson.ObjectKind && !p.delta.IsAbsent() {
			report(at(p.Line, "delta is %s, not an object", p.delta.TypeInWords()))
		}
	}
	t.eachMember(func(l *script.Line, m ojson.Member) {
		kinds := deltaMembers[m.Name]
		if kinds != nil && m.Value.Kind() != ojson.RawKind && !slices.Contains(kinds, m.Value.Kind()) {
			report(at(l, "delta.%s is %s", m.Name, m.Value.TypeInWords()))
		}
	})
}

// eachMember visits the members of all deltas.
func (t *talk) eachMember(visit func(*script.Line, ojson.Member)) {
	for _, p := range t.parts {
		for _, m := range p.delta.Members() {
			visit(p.Line, m)
		}
	}
}

var (
	envelopeMembers = []string{"id", "object", "created", "model"}
	chunkMembers    = append([]string{"service_tier", "system_fingerprint", "choices", "usage", "moderation", "obfuscation",
		"prompt_filter_results", "prompt_annotations"}, envelopeMembers...)
)

func unknownChunkMember(t *talk, report func(breach)) {
	t.eachWholeChunk(func(l *script.Line) {
		for _, m := range l.Chunk.Members() {
			if !slices.Contains(chunkMembers, m.Name) {
				report(unknownMember(l, "chunk", m.Name, chunkMembers))
			}
		}
	})
}

func chunkWithoutEnvelope(t *talk, report func(breach)) {
	t.eachWholeChunk(func(l *script.Line) {
		var lacking []string
		for _, name := range envelopeMembers {
			if l.Chunk.Get(name).IsAbsent() {
				lacking = append(lacking, name)
			}
		}
		if len(lacking) > 0 {
			report(at(l, "the chunk has no %s", strings.Join(lacking, ", ")).
				saying("a chunk is sent as it is written; use delta to get the envelope, or list chunk-without-envelope under quirks"))
		}
	})
}

func (t *talk) eachWholeChunk(visit func(*script.Line)) {
	for i := range t.lines {
		if !t.lines[i].Chunk.IsAbsent() {
			visit(&t.lines[i])
		}
	}
}

func statusNotAnError(t *talk, report func(breach)) {
	if e := t.reply.Error; e != nil && e.Status != 0 && e.Status < 400 {
		report(breach{pos: e.Pos, message: fmt.Sprintf("the status of the error is %d", e.Status)})
	}
}

func errorStatusMismatch(t *talk, report func(breach)) {
	e := t.reply.Error
	if e == nil {
		return
	}
	status := e.Status
	if status == 0 {
		status = apierror.DefaultStatus
	}
	if want := apierror.StatusOf(e.Code.Value.Source); want != 0 && want != status {
		report(breach{pos: e.Pos, message: fmt.Sprintf("the code %s comes with status %d, not %d", e.Code.Value.Source, want, status)})
	}
}
