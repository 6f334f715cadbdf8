package textindex

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

func contains(s string) Condition { return Condition{Contains: &s} }
func equals(s string) Condition   { return Condition{Equals: &s} }
func matches(s string) Condition  { return Condition{Matches: regexp.MustCompile(s)} }

// holds evaluates a condition without an index.
func (c Condition) holds(text string) bool {
	switch {
	case c.Equals != nil:
		return text == *c.Equals
	case c.Contains != nil:
		return strings.Contains(text, *c.Contains)
	}
	return c.Matches.MatchString(text)
}

func (c Condition) String() string {
	switch {
	case c.Equals != nil:
		return fmt.Sprintf("is %q", *c.Equals)
	case c.Contains != nil:
		return fmt.Sprintf("contains %q", *c.Contains)
	}
	return "matches " + c.Matches.String()
}

func TestWhichConditionsHaveGrams(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		c    Condition
		want bool
	}{
		{equals("hello"), true},
		{equals("hey"), false},
		{contains("four"), true},
		{contains(""), false},
		{matches(`weather`), true},
		{matches(`(?i)weather`), true},
		{matches(`(?i)sky sky`), false}, // k and s have a third form in Unicode
		{matches(`weather in (?P<city>\w+)`), true},
		{matches(`(weather)+`), true},
		{matches(`(weather){2,3}`), true},
		{matches(`(weather)*`), false},
		{matches(`(weather)?`), false},
		{matches(`(weather){0,3}`), false},
		{matches(`weather|climate`), false},
		{matches(`^abc$`), false},
		{matches(`.*`), false},
		{Condition{Matches: regexp.MustCompilePOSIX(`(weather)+?`)}, false}, // weather may be left out
		{Condition{Matches: regexp.MustCompilePOSIX(`a**weather`)}, false},  // not a regular expression in Perl's syntax
	} {
		if got := new(Builder).Add(tt.c, 0); got != tt.want {
			t.Errorf("%s: %v, want %v", tt.c, got, tt.want)
		}
	}
}

// The index finds every condition that holds, whatever the conditions and the text.
func TestTheIndexFindsEveryConditionThatHolds(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	r := rand.New(rand.NewPCG(1, 2))
	words := []string{"weather", "WEATHER", "Kelvin", "straße", "ab", "\u212aelvin", "in Paris", "\ufffd", "\xff", "tomorrow", "\u017ftra\u00dfe", " "}
	phrase := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(words[r.IntN(len(words))])
		}
		return b.String()
	}
	forms := []func() Condition{
		func() Condition { return equals(phrase(3)) },
		func() Condition { return contains(phrase(2)) },
		func() Condition { return matches(regexp.QuoteMeta(strings.ToValidUTF8(phrase(2), "\ufffd"))) },
		func() Condition { return matches("(?i)" + regexp.QuoteMeta(strings.ToValidUTF8(phrase(2), "?"))) },
		func() Condition {
			return matches(regexp.QuoteMeta(words[r.IntN(7)]) + `(.*)` + regexp.QuoteMeta(words[r.IntN(7)]) + `?`)
		},
		func() Condition {
			return matches(`(?:` + words[r.IntN(7)] + `|` + words[r.IntN(7)] + `)+? in (?P<city>\w+)`)
		},
	}
	held := 0
	for range 2000 {
		var b Builder
		var list []Condition
		var found []int // found are the conditions that are always tried.
		for i := range 1 + r.IntN(20) {
			c := forms[r.IntN(len(forms))]()
			list = append(list, c)
			if !b.Add(c, i) {
				found = append(found, i)
			}
		}
		text := phrase(6)
		x := b.Index()
		got := x.Find(text)
		if !slices.IsSorted(got) || len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Fatalf("Find(%q) = %v, want each position once, rising", text, got)
		}
		found = append(found, got...)
		for i, c := range list {
			if c.holds(text) {
				held++
				if !slices.Contains(found, i) {
					t.Fatalf("a text that %s is not found: %q", c, text)
				}
			}
		}
	}
	if held < 500 {
		t.Errorf("only %d conditions held, which shows little", held)
	}
}

// Among conditions with much text in common, the index finds only few.
func TestTheIndexFindsFewAmongSimilarConditions(t *testing.T) {
	t.Parallel()
	var b Builder
	for i := range 10_000 {
		if !b.Add(contains(fmt.Sprintf("What is the answer to question %05d, please?", i)), i) {
			t.Fatal("it is not indexed")
		}
	}
	x := b.Index()
	if got := x.Find("Say: What is the answer to question 04711, please? Thank you."); len(got) > 40 || !slices.Contains(got, 4711) {
		t.Errorf("%d conditions are found, want few and 4711 among them", len(got))
	}
	if got := x.Find("Something else entirely"); len(got) > 40 {
		t.Errorf("%d conditions are found for another text, want few", len(got))
	}
	if got := x.Find("no"); got != nil {
		t.Errorf("a text of two bytes finds %v", got)
	}
}
