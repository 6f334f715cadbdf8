package scenarios

import (
	"testing"
)

func TestGlobs(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		glob, text string
		want       bool
	}{
		{"", "", true}, {"", "a", false}, {"*", "", true}, {"*", "gpt", true},
		{"gpt-4o*", "gpt-4o", true}, {"gpt-4o*", "gpt-4o-mini", true}, {"gpt-4o*", "gpt-4", false},
		{"*-mini", "gpt-4o-mini", true}, {"*-mini", "gpt-4o-mini-x", false},
		{"a*b*c", "a1b2b3c", true}, {"a*b*c", "a1c", false}, {"?", "é", true}, {"?", "", false}, {"a?c", "a北c", true},
		{"*é", "éé", true}, {"[a]", "a", false}, {"[a]", "[a]", true}, {"**", "x", true}, {"*?", "x", true}, {"*?", "", false}, {"*??b*", "€bz", false},
	} {
		if got := MatchesModel(c.glob, c.text); got != c.want {
			t.Errorf("MatchesModel(%q, %q) = %v, want %v", c.glob, c.text, got, c.want)
		}
	}
}

func TestAPatternCoversWhatFitsNoOtherName(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, other string
		want           bool
	}{
		{"gpt-4*", "gpt-4o", true}, {"gpt-4*", "gpt-4*-mini", true}, {"gpt-4o", "gpt-4*", false}, {"gpt-5-*", "gpt-5-?", true},
		{"gpt-5-?", "gpt-5-*", false}, {"gpt-?", "gpt-?", true}, {"*", "*", true}, {"?*", "*", false}, {"*?", "a*", true}, {"a?*", "a*", false},
	} {
		if got := CoversModel(&c.pattern, &c.other); got != c.want {
			t.Errorf("CoversModel(%q, %q) = %v, want %v", c.pattern, c.other, got, c.want)
		}
	}
}
