package scenarios_test

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// verdict tells how the condition fares on a request.
func verdict(w scenarios.When, req *scenarios.Request) scenarios.Verdict {
	set, _ := scenarios.Build(nil, &scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{When: w, Message: &scenarios.Message{}}}})
	_, told := set.Try(req, "x", 0, 1)
	return told[0]
}

// Everything that is done with the members of a When is done with its conditions, so that a new
// member needs one of them.
func TestEachMemberOfAWhenIsACondition(t *testing.T) {
	t.Parallel()
	path, err := ojson.ParsePath("user")
	if err != nil {
		t.Fatal(err)
	}
	captures := &scenarios.TextMatch{Matches: regexp.MustCompile("(?P<group>a)")}
	examples := map[reflect.Type]any{
		reflect.TypeFor[string]():                      scenarios.SurfaceOther,
		reflect.TypeFor[[]string]():                    []string{"/x"},
		reflect.TypeFor[*bool]():                       new(true),
		reflect.TypeFor[int]():                         1,
		reflect.TypeFor[*scenarios.Bounds]():           &scenarios.Bounds{Min: 1},
		reflect.TypeFor[*scenarios.TextMatch]():        captures,
		reflect.TypeFor[*scenarios.When]():             &scenarios.When{User: captures, Attempt: 2},
		reflect.TypeFor[[]scenarios.ToolResultMatch](): []scenarios.ToolResultMatch{{Content: captures}},
		reflect.TypeFor[[]scenarios.HeaderMatch]():     []scenarios.HeaderMatch{{Name: "X", Match: captures}},
		reflect.TypeFor[[]scenarios.BodyMatch]():       []scenarios.BodyMatch{{Path: scenarios.Path{Path: path}, Match: captures}},
	}
	fits := &scenarios.Request{
		Surface: scenarios.SurfaceOther, Model: "/x", Path: "/x", Method: "/x", Stream: true, Tools: []scenarios.Tool{{Name: "/x"}}, PromptTokens: 1,
		LastUser: "a", APIKey: "a", Header: map[string][]string{"X": {"a"}}, Body: ojson.Object(ojson.M("user", ojson.String("a"))),
		Messages: []scenarios.RequestMessage{{Role: "system", Text: "a"}, {Role: "user", Text: "a"}, {Role: "tool", Text: "a", ToolCallID: "c"}}, Turn: 1, Attempt: 1,
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[scenarios.When]()) {
		if f.Type == reflect.TypeFor[diag.Pos]() {
			continue
		}
		var w scenarios.When
		example := reflect.ValueOf(examples[f.Type])
		if !example.IsValid() {
			t.Errorf("the test has no example of %s, which is %s", f.Name, f.Type)
			continue
		}
		reflect.ValueOf(&w).Elem().FieldByIndex(f.Index).Set(example)
		if n := len(w.Conditions()); n != 1 {
			t.Errorf("%s is in %d conditions, want one", f.Name, n)
			continue
		}
		reason := verdict(scenarios.When{Not: &w}, fits).Reason
		word := strings.ReplaceAll(strings.TrimPrefix(reason, "what not excludes holds: "), "_", "")
		if !strings.EqualFold(word, f.Name) && !strings.EqualFold(word+"s", f.Name) {
			t.Errorf("who excludes %s is told %q", f.Name, reason)
		}
		isText := fmt.Sprint(w.GroupNames()) == "[group]"
		if want := strings.Contains(fmt.Sprintf("%+v", f.Type), "Match"); isText != want {
			t.Errorf("the named group of %s is known: %v, want %v", f.Name, isText, want)
		}
	}
}

// The author of a scenario may see the key with which it compares; who sends a request may not.
func TestNoReasonShowsAKey(t *testing.T) {
	t.Parallel()
	const key = "sk-of-somebody"
	of := scenarios.When{APIKey: &scenarios.TextMatch{Equals: new(key)}}
	for sent, w := range map[string]scenarios.When{"another": of, key: {Not: &of}} {
		got := verdict(w, &scenarios.Request{APIKey: sent})
		if strings.Contains(got.Reason, key) || got.Holds {
			t.Errorf("who sends the request is told %+v", got)
		}
		if !strings.Contains(got.Condition, key) {
			t.Errorf("the author is told %q", got.Condition)
		}
	}
}

// What stands below not must not all hold, and several members of one condition on a text must all hold.
func TestConditionsAreExcludedAndAdded(t *testing.T) {
	t.Parallel()
	a, b := "a", regexp.MustCompile("b$")
	both := &scenarios.TextMatch{Contains: &a, Matches: b}
	for text, want := range map[string][2]bool{"ab": {true, false}, "a": {false, true}, "b": {false, true}} {
		req := &scenarios.Request{Stream: true, Messages: []scenarios.RequestMessage{{Role: "user", Text: text}}}
		got := [2]bool{(&scenarios.When{User: both}).Test()(req), (&scenarios.When{Not: &scenarios.When{User: both, Stream: new(true)}}).Test()(req)}
		if got != want {
			t.Errorf("%q fits %v, want %v", text, got, want)
		}
	}
	if got := (&scenarios.When{User: both}).Conditions()[0]; got != `the last user message contains "a" and matches b$` {
		t.Errorf("the condition is %s", got)
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
		if got := scenarios.MatchesModel(c.glob, c.text); got != c.want {
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
		if got := scenarios.CoversModel(&c.pattern, &c.other); got != c.want {
			t.Errorf("CoversModel(%q, %q) = %v, want %v", c.pattern, c.other, got, c.want)
		}
	}
}
