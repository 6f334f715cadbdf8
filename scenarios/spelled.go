package scenarios

import (
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// authoredSteps are the content of a message cut along the tokens of its
// authored log-probabilities, one token to a chunk. Entries that do not spell
// the content are dealt out one by one, the last chunk taking what is left.
func (b *builder) authoredSteps(m *Message, content Text) []Step {
	text := b.text(content)
	pieces, entries := spelled(text, b.value(*m.Logprobs.Content).Items())
	if pieces == nil {
		pieces = cut(text, m.By)
		entries = dealt(b.value(*m.Logprobs.Content).Items(), len(pieces))
	}
	steps := make([]Step, len(pieces))
	for i, piece := range pieces {
		list := ojson.Array(entries[i]...)
		steps[i] = Step{
			Content:  Some(Text{Source: piece, Pos: content.Pos, literal: true}),
			Logprobs: &Logprobs{Content: &list},
			Pos:      content.Pos,
		}
	}
	return steps
}

// spelled cuts text along entries. A character that is several tokens makes them
// one piece. It is nil when the entries do not spell the text.
func spelled(text string, entries []ojson.Value) (pieces []string, groups [][]ojson.Value) {
	rest, piece := text, ""
	var group []ojson.Value
	for _, entry := range entries {
		piece += tokenText(entry)
		group = append(group, entry)
		if !utf8.ValidString(piece) {
			continue
		}
		if !strings.HasPrefix(rest, piece) {
			return nil, nil
		}
		pieces, groups = append(pieces, piece), append(groups, group)
		rest, piece, group = rest[len(piece):], "", nil
	}
	if rest != "" || piece != "" {
		return nil, nil
	}
	return pieces, groups
}

// tokenText is what a token adds to the text: its bytes, where they are given.
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

// dealt divides entries among n chunks.
func dealt(entries []ojson.Value, n int) [][]ojson.Value {
	groups := make([][]ojson.Value, n)
	for i, entry := range entries {
		if n > 0 {
			at := min(i, n-1)
			groups[at] = append(groups[at], entry)
		}
	}
	return groups
}
