package sweep

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

// baseOf is the base of the replies of a scenario to a request on an API.
func baseOf(t *testing.T, yaml, on, body string) *base {
	t.Helper()
	set, problems := server.CheckFiles(yamlfile.Source{Name: "base.yaml", Data: []byte(yaml)})
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var answers []Answer
	for _, s := range set.Scenarios() {
		for i := range s.Replies {
			answers = append(answers, Answer{Scenario: s.Name, Reply: i, Status: 200, Bytes: make([]byte, 2000), Surface: on, Header: http.Header{}, Body: []byte(body)})
		}
	}
	b, err := newBase(server.Check, set, answers)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

const (
	twoOfAll = `
name: all
message:
  choices:
    - reasoning: Hm, well.
      content: Grüße aus 北京, 😀!
      tool_calls:
        - { id: call_a, name: get_weather, arguments: { city: Oslo } }
        - { id: call_b, name: get_time, arguments: { zone: Oslo } }
    - Once upon a time.
quirks: [reasoning-member]
`
	chatBody      = `{"model":"gpt-4o","stream":true,"n":2,"stream_options":{"include_usage":true},"messages":[]}`
	responses     = "name: all\nwhen: { surface: responses }\nmessage: { reasoning: Hm well, content: Hello there., tool_calls: [{ id: call_a, name: f, arguments: { a: 1 } }] }\n"
	responsesBody = `{"model":"gpt-5","stream":true,"input":"Hi","tools":[{"type":"web_search"}]}`
)

func TestEveryChangeCanBeMade(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	bases := map[string]*base{
		"chat":      baseOf(t, twoOfAll, "chat", chatBody),
		"text":      baseOf(t, "name: text\nmessage: Hi\n", "chat", chatBody),
		"responses": baseOf(t, responses, "responses", responsesBody),
	}
	made := map[string][]string{}
	for _, k := range allKinds() {
		for name, b := range bases {
			doc := b.docs[0]
			c := Change{kind: k}
			for _, limit := range k.limitsIn(&draft{scenario: doc, reply: &doc.Replies[0], answer: &b.streams[0].answer}) {
				c.numbers = append(c.numbers, max(0, limit-1))
			}
			changed, ok := b.withChanges(server.Check, 0, []Change{c})
			if !ok {
				continue
			}
			made[name] = append(made[name], k.name)
			if changed.String() == b.String() {
				t.Errorf("%s changes nothing in\n%s", k.name, b)
			}
			if _, problems := server.CheckFiles(yamlfile.Source{Name: k.name, Data: []byte(changed.String())}); len(problems) > 0 {
				t.Errorf("%s: %v\n%s", k.name, problems, changed)
			}
		}
		if !slices.ContainsFunc(slices.Collect(maps.Values(made)), func(list []string) bool { return slices.Contains(list, k.name) }) {
			t.Errorf("%s cannot be made", k.name)
		}
	}
	for name, list := range made {
		t.Logf("%s: %d changes: %s", name, len(list), strings.Join(list, " "))
	}
}

// TestCasesHaveAllChanges draws many cases: each kind of changes must be among them, and most
// cases must have several changes.
func TestCasesHaveAllChanges(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	usual, faults, err := kinds([]string{"all"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	h := &Hunt{Check: server.Check, Seed: 1, Runs: 300, Faults: true}
	drawn, several := map[string]int{}, 0
	for _, b := range []*base{baseOf(t, twoOfAll, "chat", chatBody), baseOf(t, responses, "responses", responsesBody)} {
		for n := range h.trials(trial{base: b, changed: b}, usual, faults) {
			if len(n.changes) > 1 {
				several++
			}
			for _, c := range n.changes {
				drawn[c.Name()]++
			}
			if _, odd := partition(n.changes); len(odd) == 0 && !allAllowed(n.changed.docs[0].Quirks, b.docs[0].Quirks) {
				t.Errorf("%s breaks a rule:\n%s", namesOf(n.changes), n.changed)
			}
		}
	}
	for _, k := range allKinds() {
		if asItIs := k.name == "layout-parallel-calls"; drawn[k.name] == 0 && !asItIs {
			t.Errorf("%s is never drawn", k.name)
		}
	}
	if several < h.Runs {
		t.Errorf("of %d cases only %d have several changes", 2*h.Runs, several)
	}
}

// A hunt of which all changes are left out that the answer has a place for plays it as written, with and without faults.
func TestAHuntWithoutAPlaceForAnyChangeEnds(t *testing.T) {
	t.Parallel()
	b := baseOf(t, "name: text\nmessage: Hi\n", "chat", chatBody)
	h := &Hunt{Check: server.Check, Seed: 1, Runs: 10, Faults: true}
	for _, c := range Changes() {
		if c.Name != "next-part" { // which only responses have
			h.Without = append(h.Without, c.Name)
		}
	}
	usual, faults, err := kinds(nil, h.Without)
	if err != nil || len(usual) != 1 || len(faults) > 0 {
		t.Fatalf("%d changes and %d faults are left: %v", len(usual), len(faults), err)
	}
	for n := range h.trials(trial{base: b, changed: b}, usual, faults) {
		if len(n.changes) > 0 {
			t.Errorf("case %d changes %s", n.run, namesOf(n.changes))
		}
	}
}

// A composition in which a text or a call is lost is none, whatever its changes are; each of them alone is one.
func TestNoCompositionChangesTheAnswer(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	b := baseOf(t, "name: text\nmessage: { content: Let me look., tool_calls: [{ id: call_a, name: f, arguments: { a: 1 } }, { id: call_b, name: g, arguments: { b: 2 } }] }\n", "chat", `{"model":"gpt-4o","stream":true,"messages":[]}`)
	named := func(name string, numbers ...int) Change {
		all := allKinds()
		return Change{kind: all[slices.IndexFunc(all, func(k *kind) bool { return k.name == name })], numbers: numbers}
	}
	joined := named("join-texts", 0, 19)
	for _, changes := range [][]Change{
		{joined, named("text-with-call", 0), named("text-with-call", 0)},
		{joined, named("null-member", 1), named("text-with-call", 0)},
	} {
		if changed, ok := b.withChanges(server.Check, 0, changes); ok {
			t.Errorf("%s can be made:\n%s", namesOf(changes), changed)
		}
		for i := 1; i < len(changes); i++ {
			if _, ok := b.withChanges(server.Check, 0, []Change{joined, changes[i]}); !ok {
				t.Errorf("%s cannot be made", changes[i].Name())
			}
		}
	}
}

// Other counts of tokens are another answer, and to cut a text changes none.
func TestTheUsageIsPartOfTheAnswer(t *testing.T) {
	t.Parallel()
	b := baseOf(t, "name: text\nmessage: { content: Hello there. }\n", "chat", chatBody)
	all := allKinds()
	cut := Change{kind: all[slices.IndexFunc(all, func(k *kind) bool { return k.name == "cut-text" })], numbers: []int{0, 3}}
	if changed, ok := b.withChanges(server.Check, 0, []Change{cut}); !ok || changed.String() == b.String() {
		t.Errorf("a text cannot be cut in\n%s", b)
	}
	other := b.docs[0].Clone()
	list := *other.Replies[0].Stream
	at := slices.IndexFunc(list, func(st scenarios.Step) bool { return st.Usage != nil })
	list[at].Usage = &scenarios.Usage{Object: ojson.Object(ojson.M("completion_tokens", ojson.Int(99)))}
	if b.streams[0].keepsOutcome(b.docs[0], other, false) {
		t.Errorf("the outcome is the same with other counts:\n%s", b)
	}
}

// A text in the chunk with the finish is read before the end.
func TestATextBesideTheFinishIsPartOfTheAnswer(t *testing.T) {
	t.Parallel()
	all := allKinds()
	k := all[slices.IndexFunc(all, func(k *kind) bool { return k.name == "text-with-finish" })]
	if _, ok := baseOf(t, "name: text\nmessage: Hi\n", "chat", chatBody).withChanges(server.Check, 0, []Change{{kind: k, numbers: []int{0}}}); !ok {
		t.Error("it cannot be made")
	}
}

// Only a request that offers the search of the web gets one.
func TestAWebSearchComesIfItIsOffered(t *testing.T) {
	t.Parallel()
	for body, offered := range map[string]bool{responsesBody: true, `{"model":"gpt-5","stream":true,"input":"Hi"}`: false} {
		b := baseOf(t, responses, "responses", body)
		all := allKinds()
		search := all[slices.IndexFunc(all, func(k *kind) bool { return k.name == "web-search" })]
		if _, ok := b.withChanges(server.Check, 0, []Change{{kind: search, numbers: []int{0}}}); ok != offered {
			t.Errorf("%s: a search can be made: %t", body, ok)
		}
	}
}

// TestOnlyDialectsAndFaultsBreakRules makes the same change as a usual one and as a dialect.
func TestOnlyDialectsAndFaultsBreakRules(t *testing.T) {
	t.Parallel()
	testflag.SkipRace(t)
	b := baseOf(t, "name: text\nmessage: Hi\n", "chat", chatBody)
	for _, isDialect := range []bool{false, true} {
		at := slices.IndexFunc(dialectKinds(), func(k *kind) bool { return k.name == "role-repeated" })
		k := dialectKinds()[at]
		k.dialect = isDialect
		if _, ok := b.withChanges(server.Check, 0, []Change{{kind: k, numbers: []int{0}}}); ok != isDialect {
			t.Errorf("dialect %t: it can be made: %t", isDialect, ok)
		}
	}
}
