package lint

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Chunks names the members of the chunks of a surface. The rules about them are the same for all
// surfaces that have chunks.
type Chunks struct {
	Envelope []string // Envelope are the members that each chunk has beside choices, the same in all of them.
	Object   string   // Object is the member object.
	Others   []string // Others are the further members that a chunk can have.
	Choice   []string // Choice are the members of each choice.
}

// Check checks the members of chunks. What the envelope does to all chunks is reported once.
func (c Chunks) Check(t *Transcript, report Report) {
	said := map[string]bool{}
	for _, chunk := range t.Chunks {
		c.checkChoices(t, chunk, said, report)
		c.checkKnown(t, chunk, said, report)
		c.checkEnvelope(t, chunk, said, report)
	}
	for _, name := range c.Envelope {
		c.checkSame(t, name, report)
	}
}

// checkSame reports the first chunk in which a member of the envelope is not as in the chunks before it. Chunks
// without choices, which come before the answer on Azure, may have others.
func (c Chunks) checkSame(t *Transcript, name string, report Report) {
	written := map[*script.Group]ojson.Value{}
	for _, chunk := range t.Chunks {
		written[chunk.Group] = chunk.JSON
	}
	if len(written) == 0 {
		return // no chunk has more than what the server gives all of them
	}
	var first ojson.Value
	for i := range t.Script.Groups {
		g := &t.Script.Groups[i]
		chunk, isWritten := written[g]
		value := c.usual(t.Manner, name)
		if isWritten {
			if _, isHole := hole.In(chunk.Get(name)); !isHole {
				value = chunk.Get(name)
			}
			if value.IsAbsent() || len(chunk.Get("choices").Items()) == 0 && chunk.Get("usage").IsNullOrAbsent() {
				continue
			}
		} else if !g.IsChunk() || g.SaysNothing() {
			continue
		}
		if first.IsAbsent() {
			first = value
		}
		if !ojson.Equal(first, value) {
			f := At(g, "the %s of the chunk differs from the chunks before it", name)
			if isWritten && value.Kind() != ojson.RawKind {
				f = f.Saying(fmt.Sprintf("write envelope: { %s: %s } for the others, or list envelope-changes under quirks", name, diag.Shorten(value.String())))
			}
			report("envelope-changes", f)
			return
		}
	}
}

// usual is a member of the envelope in chunks that are not written whole: as the manner says, or a value that no
// author writes, in place of one that is drawn.
func (c Chunks) usual(m *scenarios.Manner, name string) ojson.Value {
	env := &m.Envelope
	text := map[string]scenarios.Opt[scenarios.Text]{"id": env.ID, "model": env.Model, "object": env.Object}[name]
	switch {
	case text.Null, name == "created" && env.Created.Null:
		return ojson.Null()
	case name == "created" && env.Created.Present:
		return ojson.Int(env.Created.Value)
	case text.Present && !text.Value.IsTemplate():
		return ojson.String(text.Value.Source)
	case name == "object":
		return ojson.String(c.Object)
	}
	return ojson.Raw("drawn")
}

// checkChoices checks that choices is a list of objects, and the members of each.
func (c Chunks) checkChoices(t *Transcript, chunk ChunkAt, said map[string]bool, report Report) {
	choices := chunk.JSON.Get("choices")
	switch {
	case choices.IsAbsent():
		// In spoken answers, the real service sends chunks without choices.
		if chunk.JSON.Get("error").IsAbsent() && !t.hasAudio() && !said["choices"] {
			report("choices-not-a-list", At(chunk.Group, "the chunk has no choices"))
			said["choices"] = takesOut(t.Manner, "choices")
		}
	case choices.Kind() != ojson.ArrayKind:
		report("choices-not-a-list", At(chunk.Group, "choices is %s, not an array", InWords(choices)))
	}
	for _, choice := range choices.Items() {
		index, lacking := choice.Get("index"), lackingIn(choice, c.Choice)
		switch {
		case choice.Kind() != ojson.ObjectKind:
			report("choices-not-a-list", At(chunk.Group, "an entry of choices is %s, not an object", InWords(choice)))
		case len(lacking) > 0:
			report("choice-incomplete", At(chunk.Group, "the choice has no %s", strings.Join(lacking, ", ")))
		case index.Kind() != ojson.RawKind && !index.IsInteger():
			report("choice-incomplete", At(chunk.Group, "the index of the choice is %s, not a whole number", index.TypeInWords()))
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

// checkKnown reports the first member that the surface does not know. Members from extra and set
// are intended, unless one is nearly a known name, or the error of a stream.
func (c Chunks) checkKnown(t *Transcript, chunk ChunkAt, said map[string]bool, report Report) {
	known := slices.Concat([]string{"choices"}, c.Others, c.Envelope)
	var added map[string]bool
	i := slices.IndexFunc(chunk.JSON.Members(), func(m ojson.Member) bool {
		if slices.Contains(known, m.Name) || said[m.Name] {
			return false
		}
		if added == nil {
			added = chunk.added(t.Manner)
		}
		return !added[m.Name] || m.Name == "error" || diag.Nearest(m.Name, known) != ""
	})
	if i < 0 {
		return
	}
	m := chunk.JSON.Members()[i]
	said[m.Name] = !t.Manner.Envelope.Extra.Get(m.Name).IsAbsent()
	f := UnknownMember(chunk.Group, "chunk", m.Name, known)
	if m.Name == "error" {
		f = f.Saying("an error in mid-stream is a step of its own: write error: " + diag.Shorten(m.Value.String()) + "; if that is meant, quirks: [unknown-chunk-member]")
	}
	report("unknown-chunk-member", f)
}

// UnknownMember makes a finding that suggests the member that was probably meant.
func UnknownMember(g *script.Group, where, name string, known []string) Finding {
	f := At(g, "OpenAI sends no %s.%s", where, diag.Shorten(name))
	if near := diag.Nearest(name, known); near != "" {
		f = f.Saying(fmt.Sprintf("did you mean %q?", near))
	}
	return f
}

func (c Chunks) checkEnvelope(t *Transcript, chunk ChunkAt, said map[string]bool, report Report) {
	if !chunk.JSON.Get("error").IsAbsent() && chunk.JSON.Get("choices").IsAbsent() {
		return // an error has no envelope
	}
	var lacking []string
	for _, name := range c.Envelope {
		if chunk.JSON.Get(name).IsAbsent() && !said[name] {
			lacking = append(lacking, name)
			said[name] = takesOut(t.Manner, name)
		}
	}
	if len(lacking) == 0 {
		return
	}
	f := At(chunk.Group, "the chunk has no %s", strings.Join(lacking, ", "))
	if chunk.IsWhole() {
		f = f.Saying("a chunk is sent as it is written; use delta to get the envelope, or list chunk-without-envelope under quirks")
	}
	report("chunk-without-envelope", f)
}

// InWords is the JSON type of a value with its article. The value of a template is a
// string.
func InWords(v ojson.Value) string {
	if v.Kind() == ojson.RawKind {
		return ojson.String("").TypeInWords()
	}
	return v.TypeInWords()
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

// added returns the names of the members that the step or the envelope adds to the chunk.
func (c ChunkAt) added(m *scenarios.Manner) map[string]bool {
	names := map[string]bool{}
	add := func(extra ojson.Value, set []scenarios.Assignment) {
		for _, member := range extra.Members() {
			names[member.Name] = true
		}
		for _, a := range set {
			names[a.Path.Path[0].Name] = true
		}
	}
	add(m.Envelope.Extra, m.Envelope.Set)
	if c.Edit != nil {
		add(c.Edit.Extra, c.Edit.Set)
	}
	return names
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

// IsRetryAfter reports whether clients can read the value of a Retry-After: seconds, or an HTTP date.
func IsRetryAfter(value string) bool {
	seconds, err := strconv.ParseFloat(value, 64)
	if err == nil {
		return seconds >= 0
	}
	_, err = http.ParseTime(value)
	return err == nil
}

func checkReply(t *Transcript, report Report) {
	if e := t.Reply.Error; e != nil {
		if e.Status != 0 && e.Status < 400 {
			report("status-not-an-error", Finding{pos: e.Pos, message: fmt.Sprintf("the status of the error is %d", e.Status)})
		}
		if code := e.Code.Value.Source; apierror.StatusOf(code) != 0 && e.Status != 0 && e.Status != apierror.StatusOf(code) {
			report("error-status-mismatch", Finding{pos: e.Pos, message: fmt.Sprintf("the code %s comes with status %d, not %d", code, apierror.StatusOf(code), e.Status)})
		}
	}
	headers := t.Manner.Wire.Headers
	if t.Reply.Error != nil {
		headers = slices.Concat(headers, t.Reply.Error.Headers)
	}
	for _, h := range headers {
		if strings.EqualFold(h.Name, "Retry-After") && !h.Value.IsTemplate() && !IsRetryAfter(h.Value.Source) {
			report("retry-after-invalid", Finding{
				pos: h.Value.Pos, message: fmt.Sprintf("the Retry-After %s is neither a number of seconds nor an HTTP date", strconv.Quote(h.Value.Source)),
				hint: `write Retry-After: '{{ http_date "30s" }}', or "30"`,
			})
		}
	}
	isChunk := func(g script.Group) bool { return g.IsChunk() }
	if t.Reply.Stream != nil && !t.breaksOff() && !slices.ContainsFunc(t.groups(), isChunk) {
		report("empty-stream", Finding{pos: t.Reply.Pos, message: "the stream has no chunks"})
	}
}

// checkGroups checks the order of chunks, errors and [DONE].
func checkGroups(t *Transcript, report Report) {
	var done, failed bool
	finished := map[int]bool{} // finished tells of each choice so far whether it has finished
	said := t.Said
	for i := range t.groups() {
		for ; len(said) > 0 && said[0].at == i; said = said[1:] {
			finished[said[0].Choice] = finished[said[0].Choice] || said[0].finishes()
		}
		g := &t.groups()[i]
		if g.IsChunk() {
			if done {
				report("chunk-after-done", At(g, "a chunk comes after [DONE]"))
			}
			if failed {
				report("chunk-after-error", At(g, "a chunk comes after an error"))
			}
			continue
		}
		switch g.Beats[0].(type) {
		case script.Done:
			if done {
				report("two-dones", At(g, "there was a [DONE] already"))
			}
			done = true
		case script.Error:
			if len(finished) > 0 && !slices.Contains(slices.Collect(maps.Values(finished)), false) {
				report("error-after-finish", At(g, "an error comes after the answer has finished"))
			}
			failed = true
		}
	}
}
