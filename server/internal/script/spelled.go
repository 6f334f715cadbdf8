package script

import (
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Spelled returns the steps of a text that is cut along the tokens in the author's
// log-probabilities, one token to a chunk; step makes a step of a piece and its entries. If the
// entries do not spell the text, each chunk gets one, and the last chunk the rest.
func (b *Builder) Spelled(text scenarios.Text, by scenarios.Cut, entries []ojson.Value, step func(scenarios.Text, *ojson.Value) scenarios.Step) []scenarios.Step {
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
	for i, piece := range pieces {
		list := ojson.Array(entries[:counts[i]]...)
		entries = entries[counts[i]:]
		steps[i] = step(scenarios.Text{Source: piece, Pos: text.Pos, Literal: true}, &list)
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
