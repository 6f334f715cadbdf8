package scenarios

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
)

// text returns the condition that a text equals s.
func text(s string) *TextMatch { return &TextMatch{Equals: &s} }

// holding returns the condition that a text contains s.
func holding(s string) *TextMatch { return &TextMatch{Contains: &s} }

// Of many scenarios, Match tries only those whose conditions on the model, a header field or a
// text may hold for the request.
func TestFewScenariosAreTried(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	var list []*Scenario
	add := func(name string, w When) {
		list = append(list, &Scenario{Name: name, When: w, Replies: []Reply{{Message: &Message{}}}})
	}
	for i := range 1000 {
		add(fmt.Sprint("model", i), When{Model: []string{fmt.Sprint("m", i)}})
		add(fmt.Sprint("header", i), When{Header: []HeaderMatch{{Name: "X-Test", Match: text(fmt.Sprint("h", i))}}})
	}
	for i := range 1000 {
		add(fmt.Sprint("same", i), When{Model: []string{"m7"}, Turn: 1, User: text(fmt.Sprint("u", i))})
		add(fmt.Sprint("user", i), When{User: holding(fmt.Sprintf("question %04d", i))})
		add(fmt.Sprint("regexp", i), When{User: &TextMatch{Matches: regexp.MustCompile(fmt.Sprintf(`(?i)answer \w+ %04d`, i))}})
		add(fmt.Sprint("system", i), When{System: holding(fmt.Sprintf("persona %04d", i))})
		add(fmt.Sprint("any", i), When{Model: []string{"common"}, Messages: holding(fmt.Sprintf("mention %04d", i))})
	}
	for i := range 1000 {
		add(fmt.Sprint("models", i), When{Model: []string{fmt.Sprint("a", i), fmt.Sprint("b", i)}})
		add(fmt.Sprint("users", i), When{User: &TextMatch{AnyOf: []TextMatch{*text(fmt.Sprint("first", i)), *text(fmt.Sprint("second", i))}}})
		add(fmt.Sprint("either", i), When{Model: []string{"m*", "c"}, User: &TextMatch{AnyOf: []TextMatch{*holding(fmt.Sprintf("either %x", 0xa000+i)), *holding(fmt.Sprintf("or %x", 0xb000+i))}}})
	}
	for i := range 1000 {
		add(fmt.Sprint("pattern", i), When{Model: []string{fmt.Sprintf("ft-%x*", 0xc000+i), fmt.Sprintf("?/tuned-%x", 0xc000+i)}})
		add(fmt.Sprint("alternation", i), When{User: &TextMatch{Matches: regexp.MustCompile(fmt.Sprintf(`^(order %x|parcel %x)`, 0xd000+i, 0xd000+i))}})
		add(fmt.Sprint("common", i), When{User: holding("a common text"), Model: []string{fmt.Sprintf("rare-%x*", 0xe000+i)}})
	}
	add("glob", When{Model: []string{"m*"}})
	set, err := NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		model, header, user, system string
		want                        []string
	}{
		{"m7", "", "", "", []string{"model7", "glob"}},
		{"m7", "h3", "", "", []string{"header3", "model7", "glob"}},
		{"other", "h999", "", "", []string{"header999", "glob"}},
		{"other", "", "", "", []string{"glob"}},
		{"other", "", "u5", "", []string{"same5", "glob"}},
		{"other", "", "It is question 0123.", "", []string{"user123", "glob"}},
		{"other", "", "The ANSWER is 0777.", "", []string{"regexp777", "glob"}},
		{"m7", "", "question 0123 and answer in 0777", "You are persona 0005.", []string{"model7", "system5", "user123", "regexp777", "glob"}},
		{"common", "", "mention 0500", "", []string{"any500", "glob"}},
		{"a7", "", "", "", []string{"models7", "glob"}},
		{"b7", "", "", "", []string{"models7", "glob"}},
		{"other", "", "first8", "", []string{"users8", "glob"}},
		{"other", "", "second8", "", []string{"users8", "glob"}},
		{"ft-c007:acme", "", "", "", []string{"pattern7", "glob"}},
		{"x/tuned-c007", "", "", "", []string{"pattern7", "glob"}},
		{"other", "", "order d07b", "", []string{"alternation123", "glob"}},
		{"other", "", "parcel d07b", "", []string{"alternation123", "glob"}},
		{"rare-e07b-x", "", "a common text", "", []string{"common123", "glob"}},
		{"c", "", "either a009", "", []string{"either9", "glob"}},
		{"c", "", "or b009", "", []string{"either9", "glob"}},
	} {
		req := &Request{Model: tt.model, Header: map[string][]string{"x-test": {tt.header}}, Messages: []RequestMessage{{Role: "system", Text: tt.system}, {Role: "user", Text: tt.user}}}
		var got []string
		tried := 0
		for e := range set.candidates(req) {
			if tried++; slices.Contains(tt.want, e.scenario.Name) {
				got = append(got, e.scenario.Name)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%+v: of these are tried %v", tt, got)
		}
		// Match also tries those that are not worth an entry, and one for each part that texts share.
		if most := len(tt.want) + 3*few; tried > most {
			t.Errorf("%+v: %d are tried, want at most %d", tt, tried, most)
		}
	}
}

func TestWhichConditionsHaveGrams(t *testing.T) {
	t.Parallel()
	matches := func(expr string) *TextMatch { return &TextMatch{Matches: regexp.MustCompile(expr)} }
	for _, tt := range []struct {
		m    *TextMatch
		want bool
	}{
		{text("hello"), true},
		{text("hey"), false},
		{holding("four"), true},
		{holding(""), false},
		{matches(`weather`), true},
		{matches(`(?i)weather`), true},
		{matches(`(?i)sky sky`), false}, // k and s have a third form in Unicode
		{matches(`weather in (?P<city>\w+)`), true},
		{matches(`(weather)+`), true},
		{matches(`(weather){2,3}`), true},
		{matches(`(weather)*`), false},
		{matches(`(weather)?`), false},
		{matches(`(weather){0,3}`), false},
		{matches(`weather|climate`), true},
		{matches(`(?i)the (weather|climate) in`), true},
		{matches(`is (weather|climate)`), true},
		{matches(`weather|sky`), false},
		{matches(`weather|`), false},
		{matches(`(weather|\w+)`), false},
		{matches(`^abc$`), false},
		{&TextMatch{AnyOf: []TextMatch{*text("hello"), *holding("four")}}, true},
		{&TextMatch{AnyOf: []TextMatch{*text("hello"), *text("hey")}}, false},
		{matches(`.*`), false},
		{&TextMatch{Matches: regexp.MustCompilePOSIX(`(weather)+?`)}, false}, // weather may be left out
		{&TextMatch{Matches: regexp.MustCompilePOSIX(`a**weather`)}, false},  // not a regular expression in Perl's syntax
	} {
		if got := len(new(index).rarest(&When{User: tt.m})) > 0; got != tt.want {
			t.Errorf("%s: %v, want %v", tt.m.describe(), got, tt.want)
		}
	}
}

// Match finds the same scenario with the index and without it, whatever the conditions and
// the request.
func TestTheIndexKeepsTheOrder(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(prefix string) string { return prefix + fmt.Sprint(r.IntN(3)) }
	words := []string{"weather", "WEATHER", "Kelvin", "straße", "ab", "\u212aelvin", "in Paris", "\ufffd", "\xff", "tomorrow", "\u017ftra\u00dfe", " "}
	phrase := func(n int) string {
		var b strings.Builder
		for range 1 + r.IntN(n) {
			b.WriteString(words[r.IntN(len(words))])
		}
		return b.String()
	}
	literal := func() string { return regexp.QuoteMeta(strings.ToValidUTF8(phrase(2), "\ufffd")) }
	one := func() *TextMatch {
		switch r.IntN(7) {
		case 6:
			return &TextMatch{Matches: regexp.MustCompile("(?:" + literal() + "|" + literal() + `|(?i:` + literal() + `)) ?(?:` + literal() + "|" + literal() + ")")}
		case 0:
			return text(phrase(2))
		case 1:
			return holding(phrase(2))
		case 2:
			return &TextMatch{Matches: regexp.MustCompile(literal())}
		case 3:
			return &TextMatch{Matches: regexp.MustCompile("(?i)" + literal())}
		case 4:
			return &TextMatch{Matches: regexp.MustCompile(literal() + "(.*)" + literal() + "?")}
		}
		return &TextMatch{Matches: regexp.MustCompile("(?:" + literal() + "|" + literal() + `)+? in (?P<city>\w+)`)}
	}
	condition := func() *TextMatch {
		if r.IntN(4) > 0 {
			return one()
		}
		return &TextMatch{AnyOf: []TextMatch{*one(), *one()}}
	}
	held := 0
	for range 1000 {
		var list []*Scenario
		for i := range 60 {
			var w When
			switch r.IntN(8) {
			case 7:
				w.Model = []string{pick("m"), pick("n"), pick("m") + "*", "*" + pick("-tuned-") + "?", pick("?m-tuned") + "*"}[r.IntN(3) : 3+r.IntN(3)]
			case 0:
				w.Model = []string{pick("m")}
			case 1:
				w.Model, w.Attempt = []string{"m*"}, r.IntN(30)
			case 2:
				w.Turn = r.IntN(30)
			case 3:
				w.System = condition()
			case 4:
				w.Messages = condition()
			case 5:
				w.User = condition()
			}
			for range r.IntN(3) {
				w.Header = append(w.Header, HeaderMatch{Name: pick("X-") + pick("A"), Match: text(pick("v"))})
			}
			if w.IsZero() {
				w.Turn = 2
			}
			list = append(list, &Scenario{Name: fmt.Sprint("s", i), When: w, Replies: []Reply{{Message: &Message{}}}})
		}
		set, problems := Build(nil, list...)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		req := &Request{Model: pick("m") + []string{"", "-tuned-1x", "m-tuned2"}[r.IntN(3)], Turn: 1, Header: map[string][]string{}, Messages: []RequestMessage{{Role: "user", Text: phrase(3)}, {Role: "system", Text: phrase(3)}}}
		for range 4 {
			name := pick("x-") + pick("a")
			req.Header[name] = append(req.Header[name], pick("v"))
		}
		m := matcher{req: req}
		holds := func(s *Scenario) bool { return m.matchScenario(set.entry(s.Name), false) != nil }
		want := slices.DeleteFunc(set.Scenarios(), func(s *Scenario) bool { return !holds(s) })
		var got []*Scenario
		for e := range set.candidates(req) {
			if holds(e.scenario) {
				got = append(got, e.scenario)
			}
		}
		if held += len(want); !slices.Equal(got, want) {
			t.Fatalf("%d scenarios hold for %+v, and the index finds %d of them", len(want), req, len(got))
		}
	}
	if held < 2000 {
		t.Errorf("only %d conditions held, which shows little", held)
	}
}
