package script_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		by         scenarios.Cut
		want       []string
	}{
		{"a word takes the space before it along", "It is so.", scenarios.Cut{}, []string{"It", " is", " so", "."}},
		{"a long word is several tokens", "extraordinarily", scenarios.Cut{}, []string{"extra", "ordin", "arily"}},
		{"numbers go by three digits and leave the space behind", "in 12345 years", scenarios.Cut{}, []string{"in", " ", "123", "45", " years"}},
		{"scripts without spaces go by the character", "你好 世界", scenarios.Cut{}, []string{"你", "好", " 世", "界"}},
		{"what is read as one character stays whole", "a👩‍👩‍👧é🇳🇴👍🏽!", scenarios.Cut{}, []string{"a", "👩‍👩‍👧", "é", "🇳🇴", "👍🏽", "!"}},
		{"a line feed is a token", "one\n\n  two", scenarios.Cut{}, []string{"one", "\n\n ", " two"}},
		{"contractions are cut before the apostrophe", "it's", scenarios.Cut{}, []string{"it", "'s"}},
		{"by word", " one  two ", scenarios.Cut{Unit: "word"}, []string{" one", "  two", " "}},
		{"by rune", "aé好", scenarios.Cut{Unit: "rune"}, []string{"a", "é", "好"}},
		{"by line", "one\ntwo\n\nthree", scenarios.Cut{Unit: "line"}, []string{"one\n", "two\n", "\n", "three"}},
		{"a last line feed belongs to the last line", "one\ntwo\n", scenarios.Cut{Unit: "line"}, []string{"one\n", "two\n"}},
		{"in one piece", "one two", scenarios.Cut{Unit: "all"}, []string{"one two"}},
		{"by size", "aé好de", scenarios.Cut{Size: 2}, []string{"aé", "好d", "e"}},
		{"an empty text has no pieces", "", scenarios.Cut{}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := script.Cut(tt.text, tt.by); !slices.Equal(got, tt.want) {
				t.Errorf("Cut(%q, %v) = %q, want %q", tt.text, tt.by, got, tt.want)
			}
		})
	}
}

func TestPiecesJoinToTheTextAndTokensAreNotCutAgain(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	alphabet := []string{"a", "Z", "ß", " ", "  ", "\n", "7", "42", ".", "...", "'", "好", "ひ", "é", "👩‍👩‍👧", "\u0301", "\xff", "{{", "\u00a0", "ก"}
	units := []scenarios.Cut{{}, {Unit: "word"}, {Unit: "rune"}, {Unit: "line"}, {Unit: "all"}, {Size: 3}}
	for range 3000 {
		var b strings.Builder
		for range r.IntN(30) {
			b.WriteString(alphabet[r.IntN(len(alphabet))])
		}
		text := b.String()
		for _, by := range units {
			if got := strings.Join(script.Cut(text, by), ""); got != text {
				t.Fatalf("by %v: the pieces of %q join to %q", by, text, got)
			}
		}
		for _, token := range script.Cut(text, scenarios.Cut{}) {
			if again := script.Cut(token, scenarios.Cut{}); len(again) != 1 {
				t.Fatalf("the token %q of %q is cut again: %q", token, text, again)
			}
		}
		if got := strings.Join(script.CutArguments(text), ""); got != text {
			t.Fatalf("the argument pieces of %q join to %q", text, got)
		}
		if n := 1 + r.IntN(6); strings.Join(script.CutEvenly(text, n), "") != text {
			t.Fatalf("%d even pieces of %q join to something else", n, text)
		}
	}
}

func TestArgumentsAreCutIntoPiecesOfTwoToEightCharacters(t *testing.T) {
	t.Parallel()
	for n := 2; n < 200; n++ {
		for _, piece := range script.CutArguments(strings.Repeat("x", n)) {
			if size := utf8.RuneCountInString(piece); size < 2 || size > 8 {
				t.Fatalf("of %d characters, a piece has %d", n, size)
			}
		}
	}
}

func TestEvenPiecesAreAsManyAsAskedFor(t *testing.T) {
	t.Parallel()
	if got, want := script.CutEvenly(`{"city":"Oslo"}`, 3), []string{`{"cit`, `y":"O`, `slo"}`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := script.CutEvenly("ab", 5), []string{"a", "b"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// A short word of ASCII is cut in a way of its own, and one with another letter in that of all tokens.
func TestShortWordsAreCutAsAllTokens(t *testing.T) {
	t.Parallel()
	parts := []string{"a", "Za", "worda", "aeight88", "ninacharsa", " ", "  ", "\n", "'a", "7", ".", "[", "`", "{", "@", "中", "\xed\xa0\x80", "\xff"}
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		text := ""
		for range 1 + r.IntN(5) {
			text += parts[r.IntN(len(parts))]
		}
		other := strings.ReplaceAll(text, "a", "é")
		if got, want := strings.ReplaceAll(strings.Join(script.Cut(text, scenarios.Cut{}), "|"), "a", "é"), strings.Join(script.Cut(other, scenarios.Cut{}), "|"); got != want {
			t.Fatalf("%q is cut into %q, want %q", text, got, want)
		}
	}
}
