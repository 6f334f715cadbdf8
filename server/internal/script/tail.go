package script

import (
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// tail is the constant text after the last action of a template, cut and quoted once for all
// requests. That takes a fifth off the work of a stream of 2,000 chunks. From some position on, the pieces of a text do not depend on what comes before it.
// So, if a piece of a rendered text ends where a piece of the tail ends, the pieces after that
// are equal.
type tail struct {
	text string
	cut  cut.Cutter

	once   sync.Once
	style  ojson.Style // style is the style in which the pieces are quoted.
	ends   []int       // ends are the positions in text where the pieces end.
	pieces hole.Pieces
}

// longTail is the length from which a tail is worth its memory.
const longTail = 64

// newTail returns the tail of a template; nil for a short one.
func newTail(text string, by scenarios.Cut) *tail {
	if len(text) < longTail {
		return nil
	}
	return &tail{text: text, cut: cut.By(by)}
}

// prepare cuts and quotes the tail.
func (t *tail) prepare(style ojson.Style) {
	t.style = style
	at, next := 0, t.cut(t.text)
	for n := 1; at < len(t.text); n++ {
		size := cut.Next(t.text[at:], n, next)
		t.pieces.Add(style, t.text[at:at+size])
		at += size
		t.ends = append(t.ends, at)
	}
}

// in returns the tail, prepared, if the text ends with it; else nil.
func (t *tail) in(text string, style ojson.Style) *tail {
	if t == nil || !strings.HasSuffix(text, t.text) {
		return nil
	}
	if t.once.Do(func() { t.prepare(style) }); t.style != style {
		return nil
	}
	return t
}

// after returns how many pieces of the tail are over if left bytes of the text are left; ok
// says that a piece of the tail begins or ends there. A nil tail has no such position.
func (t *tail) after(left int) (pieces int, ok bool) {
	if t == nil || left >= len(t.text) {
		return 0, t != nil && left == len(t.text)
	}
	at, ok := slices.BinarySearch(t.ends, len(t.text)-left)
	return at + 1, ok
}
