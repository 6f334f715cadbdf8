package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// RepeatOf is the text as a description, if it is one that is better not made.
func RepeatOf(t scenarios.Text) (hole.Repeat, bool) {
	r := hole.Repeat{Unit: t.Repeat, Bytes: t.Bytes}
	return r, t.Repeat != "" && t.Bytes <= render.MaxText && r.Len() > cut.LargeText
}

// sized is a text as the value of a member, with a hole in place of one that is
// better not made. What needs the text itself gets it: log-probabilities, and an
// answer in one piece.
func (b *Builder) sized(st *scenarios.Step, o scenarios.Opt[scenarios.Text]) ojson.Value {
	if r, ok := RepeatOf(o.Value); ok && o.Present && !o.Null && st.Logprobs == nil && b.Want.Stream {
		if id, ok := b.repeatHole(r); ok {
			b.fail(o.Value.Pos, b.grow(r.Len()))
			return hole.Value(id)
		}
	}
	return b.member(o)
}

// repeatHole is the hole of a large text. Equal ones share it.
func (b *Builder) repeatHole(r hole.Repeat) (hole.ID, bool) {
	for id, other := range b.script.Repeats {
		if other == r {
			return id, true
		}
	}
	id, ok := b.newHole("")
	if !ok {
		return 0, false
	}
	if b.script.Repeats == nil {
		b.script.Repeats = map[hole.ID]hole.Repeat{}
	}
	b.script.Repeats[id] = r
	return id, true
}

// raw is the beat of a raw step.
func (b *Builder) raw(t scenarios.Text) Raw {
	if r, ok := RepeatOf(t); ok {
		b.fail(t.Pos, b.grow(r.Len()))
		return Raw{Repeat: &r}
	}
	return Raw{Bytes: b.text(t)}
}
