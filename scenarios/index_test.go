package scenarios

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// text is a condition that a text is exactly this.
func text(s string) *TextMatch { return &TextMatch{Equals: &s} }

// Of many scenarios only those are tried that the request's model, the last text of its
// user, or a field of its header lets through.
func TestFewScenariosAreTried(t *testing.T) {
	t.Parallel()
	var list []*Scenario
	add := func(name string, w When) {
		list = append(list, &Scenario{Name: name, When: w, Replies: []Reply{{Message: &Message{}}}})
	}
	for i := range 1000 {
		add(fmt.Sprint("model", i), When{Model: fmt.Sprint("m", i)})
		add(fmt.Sprint("header", i), When{Header: []HeaderMatch{{Name: "X-Test", Match: text(fmt.Sprint("h", i))}}})
	}
	for i := range 1000 {
		add(fmt.Sprint("user", i), When{Model: "m7", Turn: 1, User: text(fmt.Sprint("u", i))})
	}
	add("glob", When{Model: "m*"})
	set, err := NewSet(list...)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		model, header, user string
		want                []string
	}{
		{"m7", "", "", []string{"model7", "glob"}},
		{"m7", "h3", "", []string{"header3", "model7", "glob"}},
		{"other", "h999", "", []string{"header999", "glob"}},
		{"other", "", "u5", []string{"user5", "glob"}},
		{"other", "", "", []string{"glob"}},
	} {
		req := &Request{Model: tt.model, Header: map[string][]string{"x-test": {tt.header}}, Messages: []RequestMessage{{Role: "user", Text: tt.user}}}
		var got []string
		for e := range set.candidates(req) {
			got = append(got, e.scenario.Name)
		}
		if fmt.Sprint(got) != fmt.Sprint(tt.want) {
			t.Errorf("model %s, header %q: %v are tried, want %v", tt.model, tt.header, got, tt.want)
		}
	}
}

// The index finds what trying one scenario after the other finds.
func TestTheIndexKeepsTheOrder(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 2))
	pick := func(prefix string) string { return prefix + fmt.Sprint(r.IntN(3)) }
	for range 300 {
		var list []*Scenario
		for i := range 12 {
			var w When
			switch r.IntN(5) {
			case 4:
				w.User = text(pick("u"))
			case 0:
				w.Model = pick("m")
			case 1:
				w.Model = "m*"
			case 2:
				w.Turn = 1
			}
			for range r.IntN(3) {
				w.Header = append(w.Header, HeaderMatch{Name: pick("X-") + pick("A"), Match: text(pick("v"))})
			}
			if w.Model == "" && w.Turn == 0 && len(w.Header) == 0 && w.User == nil {
				w.Turn = 2
			}
			list = append(list, &Scenario{Name: fmt.Sprint("s", i), When: w, Replies: []Reply{{Message: &Message{}}}})
		}
		set, problems := Build(list...)
		if len(problems) > 0 {
			t.Fatal(problems)
		}
		req := &Request{Model: pick("m"), Turn: 1, Header: map[string][]string{}, Messages: []RequestMessage{{Role: "user", Text: pick("u")}}}
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
