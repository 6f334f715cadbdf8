package lint

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// All surfaces share the rules about finished chunks. Each has its own names of
// members.

// ChoicesNotAList reports chunks whose choices are missing, or not an array of objects.
func ChoicesNotAList(t *Transcript, report func(Finding)) {
	said := false // what the envelope removes from all chunks is reported once
	for _, c := range t.Chunks {
		choices := c.JSON.Get("choices")
		switch {
		case choices.IsAbsent():
			// In spoken answers, the real service sends chunks without choices.
			if c.JSON.Get("error").IsAbsent() && !t.hasAudio() && !said {
				report(At(c.Group, "the chunk has no choices"))
				said = takesOut(t.Manner, "choices")
			}
		case choices.Kind() != ojson.ArrayKind:
			report(At(c.Group, "choices is %s, not an array", InWords(choices)))
		default:
			for _, choice := range choices.Items() {
				if choice.Kind() != ojson.ObjectKind {
					report(At(c.Group, "an entry of choices is %s, not an object", InWords(choice)))
				}
			}
		}
	}
}

// InWords is the JSON type of a value with its article. The value of a template is a
// string.
func InWords(v ojson.Value) string {
	if v.Kind() == ojson.RawKind {
		return ojson.String("").TypeInWords()
	}
	return v.TypeInWords()
}

// ChoiceIncomplete makes the check for choices that lack one of these members, or whose
// index is not a number.
func ChoiceIncomplete(members ...string) Check {
	return func(t *Transcript, report func(Finding)) {
		for _, c := range t.Chunks {
			for _, choice := range c.JSON.Get("choices").Items() {
				if choice.Kind() != ojson.ObjectKind {
					continue
				}
				if lacking := lackingIn(choice, members); len(lacking) > 0 {
					report(At(c.Group, "the choice has no %s", strings.Join(lacking, ", ")))
				} else if index := choice.Get("index"); index.Kind() != ojson.RawKind && !index.IsInteger() {
					report(At(c.Group, "the index of the choice is %s, not a whole number", index.TypeInWords()))
				}
			}
		}
	}
}

// lackingIn lists the members that a choice lacks. The last chunk of a spoken answer
// has no finish_reason.
func lackingIn(choice ojson.Value, members []string) (lacking []string) {
	for _, name := range members {
		spoken := name == "finish_reason" && !choice.Get("delta").Get("audio").IsAbsent()
		if choice.Get(name).IsAbsent() && !spoken {
			lacking = append(lacking, name)
		}
	}
	return lacking
}

// UnknownChunkMember makes the check for other members of chunks than these. Members
// from extra and set are intended, unless one is nearly a known name, or the error of a
// stream.
func UnknownChunkMember(known ...string) Check {
	return func(t *Transcript, report func(Finding)) {
		said := map[string]bool{} // what the envelope adds to all chunks is reported once
		for _, c := range t.Chunks {
			i := slices.IndexFunc(c.JSON.Members(), func(m ojson.Member) bool {
				meant := c.adds(m.Name, t.Manner) && m.Name != "error" && diag.Nearest(m.Name, known) == ""
				return !slices.Contains(known, m.Name) && !said[m.Name] && !meant
			})
			if i < 0 {
				continue
			}
			m := c.JSON.Members()[i]
			said[m.Name] = !t.Manner.Envelope.Extra.Get(m.Name).IsAbsent()
			if m.Name == "error" {
				report(At(c.Group, "OpenAI sends no chunk.error").
					Saying("an error in mid-stream is a step of its own: write error: " + diag.Shorten(m.Value.String())))
				continue
			}
			report(UnknownMember(c.Group, "chunk", m.Name, known))
		}
	}
}

// UnknownMember makes a finding that suggests the member that was probably meant.
func UnknownMember(g *script.Group, where, name string, known []string) Finding {
	f := At(g, "OpenAI sends no %s.%s", where, diag.Shorten(name))
	if near := diag.Nearest(name, known); near != "" {
		f = f.Saying(fmt.Sprintf("did you mean %q?", near))
	}
	return f
}

// ChunkWithoutEnvelope makes the check for chunks that lack one of these members.
func ChunkWithoutEnvelope(members ...string) Check {
	return func(t *Transcript, report func(Finding)) {
		said := map[string]bool{} // what the envelope removes from all chunks is reported once
		for _, c := range t.Chunks {
			if !c.JSON.Get("error").IsAbsent() && c.JSON.Get("choices").IsAbsent() {
				continue // an error has no envelope
			}
			var lacking []string
			for _, name := range members {
				if c.JSON.Get(name).IsAbsent() && !said[name] {
					lacking = append(lacking, name)
					said[name] = takesOut(t.Manner, name)
				}
			}
			if len(lacking) == 0 {
				continue
			}
			f := At(c.Group, "the chunk has no %s", strings.Join(lacking, ", "))
			if c.IsWhole() {
				f = f.Saying("a chunk is sent as it is written; use delta to get the envelope, or list chunk-without-envelope under quirks")
			}
			report(f)
		}
	}
}

// takesOut reports whether the envelope removes a member from all chunks.
func takesOut(m *scenarios.Manner, name string) bool {
	return slices.ContainsFunc(m.Envelope.Omit, func(p scenarios.Path) bool { return len(p.Path) == 1 && p.Path[0].Name == name })
}

// IsWhole reports whether the author wrote the chunk as a whole.
func (c ChunkAt) IsWhole() bool {
	return slices.ContainsFunc(c.Beats, func(b script.Beat) bool {
		l, ok := b.(script.Literal)
		return ok && l.Member == "chunk"
	})
}

// adds reports whether the step or the envelope adds a member of this name to the
// chunk.
func (c ChunkAt) adds(name string, m *scenarios.Manner) bool {
	sets := func(a scenarios.Assignment) bool { return a.Path.Path[0].Name == name }
	if env := &m.Envelope; !env.Extra.Get(name).IsAbsent() || slices.ContainsFunc(env.Set, sets) {
		return true
	}
	return c.Edit != nil && (!c.Edit.Extra.Get(name).IsAbsent() || slices.ContainsFunc(c.Edit.Set, sets))
}

// Edits reports whether the step changes a member of this name, anywhere in the
// finished chunk.
func (c ChunkAt) Edits(name string) bool {
	in := func(p scenarios.Path) bool {
		return slices.ContainsFunc(p.Path, func(part ojson.PathElement) bool { return part.Name == name })
	}
	return c.Edit != nil && (slices.ContainsFunc(c.Edit.Omit, in) ||
		slices.ContainsFunc(c.Edit.Set, func(a scenarios.Assignment) bool { return in(a.Path) }))
}
