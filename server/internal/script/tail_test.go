package script

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// A rendered text has the same pieces with and without a known tail.
func TestTheTailOfATemplateIsCutAsThePartOfTheTextThatItIs(t *testing.T) {
	t.Parallel()
	tails := []string{
		strings.Repeat(" word", 40), strings.Repeat("longerthaneight", 20), strings.Repeat("äöü \"quoted\"\n", 12), strings.Repeat("a  b\n\n", 30),
		strings.Repeat("\xed\xa0\xbd\xed\xb8\x80 ", 20), strings.Repeat("1234567", 20), strings.Repeat("👩‍👩‍👧", 10), strings.Repeat("\u0301e", 40),
	}
	known := 0
	for _, by := range []scenarios.Cut{{}, {Unit: "word"}, {Unit: "line"}, {Unit: "rune"}, {Unit: "all"}, {Size: 3}, {Size: 7}} {
		for _, text := range tails {
			for _, style := range []ojson.Style{{}, {ASCII: true}} {
				tail := newTail(text, by)
				for _, head := range []string{"", "Hello Ada", "x", "12", "long", "é", "\xed", " ", "\n", "abcdefghijkl"} {
					f := fillState{style: style, into: player.NewValues(nil)}
					got := f.quoted(head+text, &seriesFiller{cut: cut.By(by), tail: tail})
					want := f.quoted(head+text, &seriesFiller{cut: cut.By(by)})
					if got.Len() != want.Len() {
						t.Fatalf("%+v of %q: %d pieces, want %d", by, head+text, got.Len(), want.Len())
					}
					for i := range want.Len() {
						if string(got.At(i)) != string(want.At(i)) {
							t.Errorf("%+v of %q: piece %d is %s, want %s", by, head+text, i, got.At(i), want.At(i))
						}
					}
					if _, ok := tail.after(len(text) / 2); ok {
						known++
					}
				}
			}
		}
	}
	if known == 0 {
		t.Error("no tail has a piece that ends in its middle")
	}
}

func TestATailIsLeftOutWhereATextDoesNotEndWithIt(t *testing.T) {
	t.Parallel()
	tail := newTail(strings.Repeat(" word", 40), scenarios.Cut{})
	if tail.in("other", ojson.Style{}) != nil || tail.in("x"+tail.text, ojson.Style{}) == nil || tail.in("x"+tail.text, ojson.Style{HTML: true}) != nil {
		t.Error("the tail is taken for another text, or quoted in another style")
	}
	if newTail("short", scenarios.Cut{}) != nil {
		t.Error("a short tail is not worth it")
	}
}
