package script

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// InventLogprobs returns invented entries for a text that is given as tokens.
func (b *Builder) InventLogprobs(tokens []string) ojson.Value { return b.logprobs.Entries(tokens) }

// logprobsBeat returns the log-probabilities of one chunk of a step, if it has any. Invented
// ones and null are in each chunk, those that the author wrote in the first.
func (b *Builder) logprobsBeat(st *scenarios.Step, beats []Beat, first bool) (l Logprobs, ok bool) {
	written := st.Logprobs
	switch {
	case written == nil, written.Off, st.WhenAsked && !b.Want.Logprobs:
		return Logprobs{}, false
	case written.Null:
		return Logprobs{Null: true}, true
	case written.Generate:
		return b.generated(beats), true
	case !first:
		return Logprobs{}, false
	}
	if b.tokens.open || isTemplate(written.Content) || isTemplate(written.Refusal) {
		// Some surfaces send the position of each token in the text.
		b.script.PerRequest = true
	}
	return Logprobs{Content: completed(b.literal(written.Content), false), Refusal: completed(b.literal(written.Refusal), false)}, true
}

// completed returns entries that the author wrote with the members that all have: their bytes and, unless they
// are alternatives themselves, their alternatives.
func completed(entries ojson.Value, areAlternatives bool) ojson.Value {
	if entries.Kind() != ojson.ArrayKind {
		return entries
	}
	list := ojson.Array()
	for _, entry := range entries.Items() {
		members := slices.Clone(entry.Members())
		at := slices.IndexFunc(members, func(m ojson.Member) bool { return m.Name == "top_logprobs" })
		switch {
		case at >= 0:
			members[at].Value = completed(members[at].Value, true)
		case !areAlternatives:
			members = append(members, ojson.M("top_logprobs", ojson.Array()))
			at = len(members) - 1
		default:
			at = len(members)
		}
		if _, open := hole.In(entry.Get("token")); !open && entry.Get("bytes").IsAbsent() {
			members = slices.Insert(members, at, ojson.M("bytes", invent.BytesOf(entry.Get("token").Text())))
		}
		list.Push(ojson.Object(members...))
	}
	return list
}

func isTemplate(v *ojson.Value) bool { return v != nil && render.ValueIsTemplate(*v) }

// generated returns invented log-probabilities for the text of a chunk; null for a chunk
// without a text.
func (b *Builder) generated(beats []Beat) Logprobs {
	for _, beat := range beats {
		if t, ok := beat.(Text); ok && b.isSaid(t.Text) {
			return Logprobs{Content: b.inventedFor(t.Text.Text())}
		}
	}
	for _, beat := range beats {
		if r, ok := beat.(Refusal); ok && b.isSaid(r.Text) {
			return Logprobs{Refusal: b.inventedFor(r.Text.Text())}
		}
	}
	return Logprobs{Null: true}
}

// inventedFor returns the entries for a text.
func (b *Builder) inventedFor(text string) ojson.Value {
	return b.InventLogprobs(Cut(text, scenarios.Cut{}))
}

// isSaid reports whether there is a text for which log-probabilities can be invented. For a
// text that depends on the request, that makes the script PerRequest.
func (b *Builder) isSaid(v ojson.Value) bool {
	if _, open := hole.In(v); open {
		b.script.PerRequest = true
		return false
	}
	return Says(v)
}

// Says reports whether a value is present, not null and not an empty text.
func Says(v ojson.Value) bool {
	return !v.IsNullOrAbsent() && (v.Kind() != ojson.StringKind || v.Text() != "")
}

// spelled returns the steps of a text that is cut along the tokens in the author's
// log-probabilities, one token to a chunk; step makes a step of a piece and its entries. If the
// entries do not spell the text, each chunk gets one, and the last chunk the rest.
func (b *Builder) spelled(text scenarios.Text, by scenarios.Cut, entries []ojson.Value, step func(scenarios.Text, *ojson.Value) scenarios.Step) []scenarios.Step {
	if b.leavesOpen(text) {
		b.templated, b.script.PerRequest = true, true
		all := ojson.Array(entries...)
		return []scenarios.Step{step(text, &all)}
	}
	rendered := b.uncountedText(text)
	pieces, counts := cutAlongTokens(rendered, b.Value(ojson.Array(entries...)).Items())
	if pieces == nil {
		pieces = Cut(rendered, by)
		counts = entriesPerChunk(len(entries), len(pieces))
	}
	steps := make([]scenarios.Step, len(pieces))
	for i, piece := range literalTexts(pieces, text.Pos) {
		list := ojson.Array(entries[:counts[i]]...)
		entries = entries[counts[i]:]
		steps[i] = step(piece, &list)
	}
	return steps
}

// cutAlongTokens cuts a text along the tokens of the entries, and returns how many of them
// spell each piece: tokens that are parts of one character make one piece. Both results are nil
// if the entries do not spell the text.
func cutAlongTokens(text string, entries []ojson.Value) (pieces []string, counts []int) {
	rest, piece, count := text, "", 0
	for _, entry := range entries {
		piece += tokenText(entry)
		count++
		if !utf8.ValidString(piece) {
			continue
		}
		if !strings.HasPrefix(rest, piece) {
			return nil, nil
		}
		pieces, counts = append(pieces, piece), append(counts, count)
		rest, piece, count = rest[len(piece):], "", 0
	}
	if rest != "" || count > 0 {
		return nil, nil
	}
	return pieces, counts
}

// tokenText returns the text of a token: of its bytes, if the entry has them.
func tokenText(entry ojson.Value) string {
	list := entry.Get("bytes")
	if list.Kind() != ojson.ArrayKind {
		return entry.Get("token").Text()
	}
	text := make([]byte, 0, len(list.Items()))
	for _, item := range list.Items() {
		n, _ := item.Int()
		text = append(text, byte(n))
	}
	return string(text)
}

// entriesPerChunk returns how many of the entries each of n chunks gets.
func entriesPerChunk(entries, n int) []int {
	counts := make([]int, n)
	for i := range counts {
		counts[i] = min(1, entries)
		entries -= counts[i]
	}
	if n > 0 {
		counts[n-1] += entries
	}
	return counts
}
