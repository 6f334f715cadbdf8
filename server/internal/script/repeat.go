package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// RepeatOf returns a very large repeated text as a description that is not written out; ok is
// false for any other.
func RepeatOf(t scenarios.Text) (hole.Repeat, bool) { return describedBeyond(cut.LargeText, t) }

func describedBeyond(size int64, t scenarios.Text) (hole.Repeat, bool) {
	r := hole.Repeat{Unit: t.Repeat, Bytes: t.Bytes}
	return r, t.Repeat != "" && t.Bytes <= render.MaxText && r.Len() > size
}

// memberRepeat is the size in bytes beyond which a repeated text that is the value of a member
// is described: many steps can have one, and equal ones share the description.
const memberRepeat = 4 << 10

// sized returns a text as the value of a member: a hole for a large repeated text, unless its
// log-probabilities or an answer in one piece need the text itself.
func (b *Builder) sized(st *scenarios.Step, o scenarios.Opt[scenarios.Text]) ojson.Value {
	if r, ok := describedBeyond(memberRepeat, o.Value); ok && o.Present && !o.Null && st.Logprobs == nil && b.Want.Stream {
		if id, ok := b.repeatHole(r); ok {
			b.fail(o.Value.Pos, b.grow(r.Len()))
			return hole.Value(id)
		}
	}
	return b.member(o)
}

// repeatHole returns the hole of a repeated text. Equal ones share it.
func (b *Builder) repeatHole(r hole.Repeat) (hole.ID, bool) {
	if id, ok := b.repeats[r]; ok {
		return id, true
	}
	id, ok := b.newHole("")
	if !ok {
		return 0, false
	}
	if b.script.Repeats == nil {
		b.script.Repeats = map[hole.ID]hole.Repeat{}
		b.repeats, b.repeatTokens = map[hole.Repeat]hole.ID{}, map[hole.ID]int{}
	}
	b.script.Repeats[id], b.repeats[r] = r, id
	return id, true
}

// tokensOf returns roughly how many tokens the text of a hole has, as [cut.Tokens] counts them.
// It counts once for all steps that share the text.
func (b *Builder) tokensOf(id hole.ID, r hole.Repeat) int {
	if r.Len() > cut.LargeText {
		return cut.TokensOfLarge(r.Len())
	}
	n, ok := b.repeatTokens[id]
	if !ok {
		n = cut.Tokens(r.Text())
		b.repeatTokens[id] = n
	}
	return n
}

// raw returns the beat of a raw step.
func (b *Builder) raw(t scenarios.Text) Raw {
	if r, ok := RepeatOf(t); ok {
		b.fail(t.Pos, b.grow(r.Len()))
		return Raw{Repeat: &r}
	}
	return Raw{Bytes: b.text(t)}
}
