package scenarios

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
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
	testflag.Heavy(t)
	var list []*Scenario
	add := func(name string, w When) {
		list = append(list, &Scenario{Name: name, When: w, Replies: []Reply{{Message: &Message{}}}})
	}
	for i := range 1000 {
		add(fmt.Sprint("model", i), When{Model: fmt.Sprint("m", i)})
		add(fmt.Sprint("header", i), When{Header: []HeaderMatch{{Name: "X-Test", Match: text(fmt.Sprint("h", i))}}})
	}
	for i := range 1000 {
		add(fmt.Sprint("same", i), When{Model: "m7", Turn: 1, User: text(fmt.Sprint("u", i))})
		add(fmt.Sprint("user", i), When{User: holding(fmt.Sprintf("question %04d", i))})
		add(fmt.Sprint("regexp", i), When{User: &TextMatch{Matches: regexp.MustCompile(fmt.Sprintf(`(?i)answer \w+ %04d`, i))}})
		add(fmt.Sprint("system", i), When{System: holding(fmt.Sprintf("persona %04d", i))})
		add(fmt.Sprint("any", i), When{Model: "common", Messages: holding(fmt.Sprintf("mention %04d", i))})
	}
	add("glob", When{Model: "m*"})
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
	} {
		req := &Request{Model: tt.model, Header: map[string][]string{"x-test": {tt.header}}, Messages: []RequestMessage{{Role: "system", Text: tt.system}, {Role: "user", Text: tt.user}}}
		var got []string
		tried := 0
		for e := range set.candidates(req, new(candidateLists)) {
			if tried++; slices.Contains(tt.want, e.scenario.Name) {
				got = append(got, e.scenario.Name)
			}
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("%+v: of these are tried %v", tt, got)
		}
		// Match also tries the scenarios whose text has the same hash, and the first of those with the
		// common model.
		if most := len(tt.want) + 2*few; tried > most {
			t.Errorf("%+v: %d are tried, want at most %d", tt, tried, most)
		}
	}
}

// Match finds the same scenario with the index and without it.
func TestTheIndexKeepsTheOrder(t *testing.T) {
	t.Parallel()
	testflag.Heavy(t)
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(prefix string) string { return prefix + fmt.Sprint(r.IntN(3)) }
	for range 100 {
		var list []*Scenario
		for i := range 60 {
			var w When
			switch r.IntN(7) {
			case 0:
				w.Model = pick("m")
			case 1:
				w.Model = "m*"
			case 2:
				w.Turn = 1
			case 3:
				w.User = holding(pick("a question "))
			case 4:
				w.Messages = &TextMatch{Matches: regexp.MustCompile(pick("(?i)QUEST[I]ON "))}
			case 5:
				w.User = text(pick("a question "))
			}
			for range r.IntN(3) {
				w.Header = append(w.Header, HeaderMatch{Name: pick("X-") + pick("A"), Match: text(pick("v"))})
			}
			if w.IsZero() {
				w.Turn = 2
			}
			list = append(list, &Scenario{Name: fmt.Sprint("s", i), When: w, Replies: []Reply{{Message: &Message{}}}})
		}
		set, problems := Build(list...)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		req := &Request{Model: pick("m"), Turn: 1, Header: map[string][]string{}, Messages: []RequestMessage{{Role: "user", Text: pick("a question ")}, {Role: "assistant", Text: pick("question ")}}}
		for range 4 {
			name := pick("x-") + pick("a")
			req.Header[name] = append(req.Header[name], pick("v"))
		}
		want, m := "", matcher{req: req}
		for _, e := range set.conditional {
			if m.matchScenario(e, false) != nil {
				want = e.scenario.Name
				break
			}
		}
		got := ""
		if sel, _ := set.Match(req, nil, NoDefault, 1); sel != nil {
			got = sel.Scenario.Name
		}
		if got != want {
			t.Fatalf("%q answers, want %q", got, want)
		}
	}
}
