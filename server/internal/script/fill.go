package script

import (
	"strings"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
)

// maxFills is how many holes there are from [HoleFill] on.
const maxFills = 1<<8 - int(HoleFill)

// Fill is a text that is too large to be held in memory, possibly several times:
// Unit again and again, Bytes long, but never with a part of a character at the
// end.
type Fill struct {
	Unit  string
	Bytes int64
}

// Parts are how often the whole unit is written, and the part of it that is
// written last.
func (f Fill) Parts() (count int64, tail string) {
	unit := int64(len(f.Unit))
	n := f.Bytes % unit
	for n > 0 && !utf8.RuneStart(f.Unit[n]) {
		n--
	}
	return f.Bytes / unit, f.Unit[:n]
}

// Len is the length of the whole text in bytes.
func (f Fill) Len() int64 {
	count, tail := f.Parts()
	return count*int64(len(f.Unit)) + int64(len(tail))
}

// Text is the whole text.
func (f Fill) Text() string {
	count, tail := f.Parts()
	var b strings.Builder
	b.Grow(int(f.Len()))
	for range count {
		b.WriteString(f.Unit)
	}
	b.WriteString(tail)
	return b.String()
}

// Fill is the text as a description, if it is one that is better not made.
func FillOf(t scenarios.Text) (Fill, bool) {
	f := Fill{Unit: t.Repeat, Bytes: t.Bytes}
	return f, t.Repeat != "" && t.Bytes <= scenarios.MaxText && f.Len() > cut.LargeText
}

// sized is a text as the value of a member, with a hole in place of one that is
// better not made. What needs the text itself gets it: log-probabilities, and an
// answer in one piece.
func (b *builder) sized(st *scenarios.Step, o scenarios.Opt[scenarios.Text]) ojson.Value {
	if f, ok := FillOf(o.Value); ok && o.Present && !o.Null && st.Logprobs == nil && !b.ask.Fold {
		if hole, ok := b.hole(f); ok {
			b.fail(o.Value.Pos, b.grow(f.Len()))
			return hole
		}
	}
	return b.member(o)
}

// hole is the place of a fill. Equal ones share it; there may be no place left.
func (b *builder) hole(f Fill) (ojson.Value, bool) {
	for i, other := range b.fills {
		if other == f {
			return ojson.Hole(HoleFill + uint8(i)), true
		}
	}
	if len(b.fills) == maxFills {
		return ojson.Value{}, false
	}
	b.fills = append(b.fills, f)
	return ojson.Hole(HoleFill + uint8(len(b.fills)-1)), true
}

// tokensIn is about how many tokens a text has that may be a hole.
func (b *builder) tokensIn(v ojson.Value) int {
	if hole := v.Text(); v.Kind() == ojson.RawKind && len(hole) == 2 && hole[0] == 0 && hole[1] >= HoleFill {
		return cut.TokensOfLarge(b.fills[hole[1]-HoleFill].Len())
	}
	return cut.Tokens(v.Text())
}

// raw is the line of a raw step.
func (b *builder) raw(t scenarios.Text) Line {
	if f, ok := FillOf(t); ok {
		b.fail(t.Pos, b.grow(f.Len()))
		return Line{Kind: KindRaw, Fill: &f}
	}
	return Line{Kind: KindRaw, Text: b.text(t)}
}
