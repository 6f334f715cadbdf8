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

// tail is the text behind the last action of a template, cut and quoted once. How a text
// is cut from some place on does not depend on what comes before that place, so that all
// rendered texts have the same pieces from where one of them ends where one of the tail
// does.
type tail struct {
	text string
	cut  cut.Cutter

	once   sync.Once
	style  ojson.Style // style is how the pieces are quoted.
	ends   []int       // ends are where the pieces end in text.
	pieces hole.Pieces
}

// longTail is how long a tail is that is worth it.
const longTail = 64

// newTail is the tail of a template; nil if that is short.
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

// in is the tail, ready for a text that it ends; nil if it does not.
func (t *tail) in(text string, style ojson.Style) *tail {
	if t == nil || !strings.HasSuffix(text, t.text) {
		return nil
	}
	if t.once.Do(func() { t.prepare(style) }); t.style != style {
		return nil
	}
	return t
}

// after is how many pieces of the tail are over where so much is left of the text that it
// ends; ok says that one of them ends or begins there. A nil tail has no such place.
func (t *tail) after(left int) (pieces int, ok bool) {
	if t == nil || left >= len(t.text) {
		return 0, t != nil && left == len(t.text)
	}
	at, ok := slices.BinarySearch(t.ends, len(t.text)-left)
	return at + 1, ok
}
