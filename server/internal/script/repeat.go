package script

import (
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Repeat is a text that is too large to be held in memory, possibly several
// times: Unit again and again, Bytes long, but never with a part of a character
// at the end.
type Repeat struct {
	Unit  string
	Bytes int64
}

// Parts are how often the whole unit is written, and the part of it that is
// written last.
func (r Repeat) Parts() (count int64, tail string) {
	unit := int64(len(r.Unit))
	n := r.Bytes % unit
	for n > 0 && !utf8.RuneStart(r.Unit[n]) {
		n--
	}
	return r.Bytes / unit, r.Unit[:n]
}

// Len is the length of the whole text in bytes.
func (r Repeat) Len() int64 {
	count, tail := r.Parts()
	return count*int64(len(r.Unit)) + int64(len(tail))
}

// Text is the whole text.
func (r Repeat) Text() string {
	count, tail := r.Parts()
	var b strings.Builder
	b.Grow(int(r.Len()))
	for range count {
		b.WriteString(r.Unit)
	}
	b.WriteString(tail)
	return b.String()
}

// RepeatOf is the text as a description, if it is one that is better not made.
func RepeatOf(t scenarios.Text) (Repeat, bool) {
	r := Repeat{Unit: t.Repeat, Bytes: t.Bytes}
	return r, t.Repeat != "" && t.Bytes <= scenarios.MaxText && r.Len() > cut.LargeText
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
func (b *Builder) repeatHole(r Repeat) (hole.ID, bool) {
	for id, other := range b.script.Repeats {
		if other == r {
			return id, true
		}
	}
	id, ok := b.open("")
	if !ok {
		return 0, false
	}
	if b.script.Repeats == nil {
		b.script.Repeats = map[hole.ID]Repeat{}
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
