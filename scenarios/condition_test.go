package scenarios

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Everything that is done with the members of a When is done with its conditions, so that a new
// member needs one of them.
func TestEachMemberOfAWhenIsACondition(t *testing.T) {
	t.Parallel()
	path, err := ojson.ParsePath("user")
	if err != nil {
		t.Fatal(err)
	}
	captures := &TextMatch{Matches: regexp.MustCompile("(?P<group>a)")}
	examples := map[reflect.Type]any{
		reflect.TypeFor[string]():            "chat",
		reflect.TypeFor[[]string]():          []string{"/x"},
		reflect.TypeFor[*bool]():             new(true),
		reflect.TypeFor[int]():               1,
		reflect.TypeFor[*Bounds]():           &Bounds{Min: 1},
		reflect.TypeFor[*TextMatch]():        captures,
		reflect.TypeFor[*When]():             &When{User: captures},
		reflect.TypeFor[[]ToolResultMatch](): []ToolResultMatch{{Content: captures}},
		reflect.TypeFor[[]HeaderMatch]():     []HeaderMatch{{Name: "X", Match: captures}},
		reflect.TypeFor[[]BodyMatch]():       []BodyMatch{{Path: Path{Path: path}, Match: captures}},
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[When]()) {
		if f.Type == reflect.TypeFor[diag.Pos]() {
			continue
		}
		var w When
		example := reflect.ValueOf(examples[f.Type])
		if !example.IsValid() {
			t.Errorf("the test has no example of %s, which is %s", f.Name, f.Type)
			continue
		}
		reflect.ValueOf(&w).Elem().FieldByIndex(f.Index).Set(example)
		list := w.conditions()
		if len(list) != 1 {
			t.Errorf("%s is in %d conditions, want one", f.Name, len(list))
			continue
		}
		if word := strings.ReplaceAll(list[0].word, "_", ""); !strings.EqualFold(word, f.Name) && !strings.EqualFold(word+"s", f.Name) {
			t.Errorf("the condition of %s is called %s", f.Name, list[0].word)
		}
		isText := fmt.Sprint(w.GroupNames()) == "[group]"
		if want := strings.Contains(fmt.Sprintf("%+v", f.Type), "Match"); isText != want {
			t.Errorf("the named group of %s is known: %v, want %v", f.Name, isText, want)
		}
	}
}

// What describes a condition to its author is masked in a text for others.
func TestADescriptionIsMaskedInOtherTexts(t *testing.T) {
	t.Parallel()
	key := "sk-of-somebody"
	c := (&When{APIKey: &TextMatch{Equals: &key}}).conditions()[0]
	for _, text := range []string{fmt.Sprintf("%v, %s", c.description, c.description), c.reason(&Request{APIKey: "another"})} {
		if strings.Contains(text, key) {
			t.Errorf("it shows the key: %s", text)
		}
	}
	if got := (&When{APIKey: &TextMatch{Equals: &key}}).Conditions()[0]; !strings.Contains(got, key) {
		t.Errorf("its author is told %q", got)
	}
}

// What stands below not must not all hold, and several members of one condition on a text must all hold.
func TestConditionsAreExcludedAndAdded(t *testing.T) {
	t.Parallel()
	a, b := "a", regexp.MustCompile("b$")
	both := &TextMatch{Contains: &a, Matches: b}
	for text, want := range map[string][2]bool{"ab": {true, false}, "a": {false, true}, "b": {false, true}} {
		req := &Request{Stream: true, Messages: []RequestMessage{{Role: "user", Text: text}}}
		got := [2]bool{(&When{User: both}).Test()(req), (&When{Not: &When{User: both, Stream: new(true)}}).Test()(req)}
		if got != want {
			t.Errorf("%q fits %v, want %v", text, got, want)
		}
	}
	if got := (&When{User: both}).Conditions()[0]; got != `the last user message contains "a" and matches b$` {
		t.Errorf("the condition is %s", got)
	}
	if got := (&When{Not: &When{APIKey: both}}).conditions()[0].reason(&Request{}); got != "what not excludes holds: api_key" {
		t.Errorf("who sends the request is told %s", got)
	}
}

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
