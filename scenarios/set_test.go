package scenarios_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

func TestNewSetRefusesBadNamesAndRepliesAllAtOnce(t *testing.T) {
	t.Parallel()
	both := scenarios.Reply{Message: &scenarios.Message{}, Error: &scenarios.APIError{}}
	set, err := scenarios.NewSet(
		&scenarios.Scenario{Replies: replying("a")},
		&scenarios.Scenario{Name: "two words", Replies: replying("a")},
		&scenarios.Scenario{Name: "twice", Replies: replying("a"), Pos: diag.Pos{File: "a.yaml", Line: 3, Col: 1}},
		&scenarios.Scenario{Name: "twice", Replies: replying("a"), Pos: diag.Pos{File: "b.yaml", Line: 7, Col: 1}},
		&scenarios.Scenario{Name: "none"},
		&scenarios.Scenario{Name: "empty", Replies: []scenarios.Reply{{}}},
		&scenarios.Scenario{Name: "both", Replies: []scenarios.Reply{both}},
	)
	if err == nil || set != nil {
		t.Fatalf("got the set %v and the error %v", set, err)
	}
	for _, want := range []string{
		"the scenario has no name (add a line such as name: weather)",
		`"two words" cannot be the name of a scenario`,
		`b.yaml:7:1: there are two scenarios named "twice" (the first is at a.yaml:3; rename one, or leave one of the files out)`,
		`scenario "none" has no replies`,
		`reply 1 of scenario "empty" has 0 of Message, Stream, Error, Embeddings and Moderations, it must have one`,
		`reply 1 of scenario "both" has 2 of Message, Stream, Error, Embeddings and Moderations, it must have one`,
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("got\n%s\nwithout %s", err, want)
		}
	}
}

func TestNewSetFindsRepliesThatAreNeverGiven(t *testing.T) {
	t.Parallel()
	reply := func(when scenarios.When, times int) scenarios.Reply {
		r := replying("x")[0]
		r.When, r.Times = when, times
		return r
	}
	chancy := func(chance float64) scenarios.Reply {
		r := reply(scenarios.When{}, 0)
		r.Chance = &chance
		return r
	}
	for name, c := range map[string]struct {
		replies []scenarios.Reply
		want    string
	}{
		"embeddings on another surface":          {[]scenarios.Reply{{When: scenarios.When{Surface: "chat"}, Embeddings: &scenarios.Embeddings{}}}, "reply 1 of \"x\" is never sent: the surface chat of its conditions cannot send embeddings"},
		"a message on moderations":               {[]scenarios.Reply{reply(scenarios.When{Surface: "moderations"}, 0)}, "reply 1 of \"x\" is never sent: the surface moderations of its conditions cannot send a message or a stream"},
		"after one for everything":               {[]scenarios.Reply{reply(scenarios.When{}, 0), reply(scenarios.When{Turn: 2}, 0)}, "reply 2 of \"x\" is never sent: reply 1"},
		"after one with the same condition":      {[]scenarios.Reply{reply(scenarios.When{Turn: 2}, 0), reply(scenarios.When{Turn: 2}, 0)}, "reply 2 of \"x\" is never sent: reply 1"},
		"after one with fewer conditions":        {[]scenarios.Reply{reply(scenarios.When{Turn: 2}, 0), reply(scenarios.When{Turn: 2, Model: []string{"a"}}, 0)}, "reply 2 of \"x\" is never sent: reply 1"},
		"not after one that is used up":          {[]scenarios.Reply{reply(scenarios.When{}, 2), reply(scenarios.When{}, 0)}, ""},
		"not after one with a chance":            {[]scenarios.Reply{chancy(0.5), reply(scenarios.When{}, 0)}, ""},
		"a chance of one":                        {[]scenarios.Reply{chancy(1), reply(scenarios.When{}, 0)}, "reply 1 of scenario \"x\" has the chance 1, it must be between 0 and 1"},
		"a chance of nothing":                    {[]scenarios.Reply{chancy(0), reply(scenarios.When{}, 0)}, "reply 1 of scenario \"x\" has the chance 0"},
		"with a chance after one for everything": {[]scenarios.Reply{reply(scenarios.When{}, 0), chancy(0.5)}, "reply 2 of \"x\" is never sent: reply 1"},
		"not after another condition":            {[]scenarios.Reply{reply(scenarios.When{Turn: 1}, 0), reply(scenarios.When{Turn: 2}, 0)}, ""},
		"not after one with more conditions":     {[]scenarios.Reply{reply(scenarios.When{Turn: 2, Model: []string{"a"}}, 0), reply(scenarios.When{Turn: 2}, 0)}, ""},
		"not after another long text": {[]scenarios.Reply{
			reply(scenarios.When{User: contains(strings.Repeat("a", 200))}, 0),
			reply(scenarios.When{User: contains(strings.Repeat("a", 200) + "b")}, 0),
		}, ""},
		"not after another content of a tool result": {[]scenarios.Reply{
			reply(scenarios.When{ToolResults: []scenarios.ToolResultMatch{{ID: "c", Content: contains("a")}}}, 0),
			reply(scenarios.When{ToolResults: []scenarios.ToolResultMatch{{ID: "c", Content: contains("b")}}}, 0),
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := scenarios.NewSet(&scenarios.Scenario{Name: "x", Replies: c.replies})
			switch {
			case c.want == "" && err != nil:
				t.Errorf("unexpected: %v", err)
			case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
				t.Errorf("error = %v, want %s", err, c.want)
			}
		})
	}
}

// The type of a base's answers is not that of the errors of a scenario that extends it.
func TestAnErrorHasNotTheContentTypeOfTheBase(t *testing.T) {
	t.Parallel()
	set := load(t, "name: base\nwire: { content_type: text/x }\nmessage: Hi\n---\nname: failing\nextends: base\nerror: 503\n---\nname: other\nextends: base\nmessage: Ho\n")
	for name, want := range map[string]bool{"failing": false, "other": true} {
		if got := set.Lookup(name).Wire.ContentType != nil; got != want {
			t.Errorf("%s has the content type: %v, want %v", name, got, want)
		}
	}
}

// What is laid on top takes the place of all ways to say it.
func TestOneWayToSaySomethingReplacesTheOthers(t *testing.T) {
	t.Parallel()
	set := load(t, `
name: base
wire: { multiline_data: true }
envelope: { set: { service_tier: base } }
replies: [{ message: Hi, envelope: { set: { provider: base } } }]
---
name: top
extends: base
wire: { multiline_data: 3 }
envelope: { omit: [service_tier, provider] }
`)
	m := set.SelectionsOf("top", 1)[0].Manner
	if m.Wire.MultilineData != nil || m.Wire.DataLines != 3 {
		t.Errorf("multiline_data is %v and %d, want 3 lines alone", m.Wire.MultilineData, m.Wire.DataLines)
	}
	if e := m.Envelope; len(e.Set) != 0 || len(e.Omit) != 2 {
		t.Fatalf("the envelope sets %v and omits %v, want nothing and two places", e.Set, e.Omit)
	}
	for _, p := range m.Envelope.Omit {
		if !p.Undoes {
			t.Errorf("omit %s is taken to remove what the service sends", p)
		}
	}
}

func TestExtendsTakesOverRepliesAndLaysItsOwnPartsOnTop(t *testing.T) {
	t.Parallel()
	set := load(t, `
name: plain
tags: [text]
seed: 7
when: { model: gpt-4o }
envelope: { id: base, model: m, extra: { region: eu } }
pace: { every: 10ms }
damage: [{ drop: role }]
replies:
  - message: Hello
    wire: { newline: cr, space: false, headers: { X-A: reply, X-B: reply } }
    damage: [{ drop: usage }]
---
name: derived
extends: plain
envelope: { id: own, extra: { zone: b } }
pace: { recorded: [7ms] }
wire: { newline: crlf, headers: { x-a: derived } }
damage: [{ drop: done }]
end: close
---
name: grandchild
extends: derived
when: { model: "*-mini" }
wire: { bom: true }
end: { stall: 5s }
`)
	sel, miss := set.Match(t.Context(), request(t, `{"model":"fake:grandchild"}`), nil, "", 1)
	if miss != nil {
		t.Fatal(miss)
	}
	m := sel.Manner
	if got := m.Envelope.ID.Value.Source + " " + m.Envelope.Model.Value.Source + " " + m.Envelope.Extra.String(); got != `own m {"region":"eu","zone":"b"}` {
		t.Errorf("envelope: %s", got)
	}
	if m.Pace.Every != nil || len(m.Pace.Recorded) != 1 {
		t.Errorf("pace: %+v", m.Pace)
	}
	if m.Wire.Newline != "crlf" || m.Wire.Space == nil || *m.Wire.Space || m.Wire.BOM == nil || !*m.Wire.BOM {
		t.Errorf("wire: %+v", m.Wire)
	}
	var headers, damage []string
	for _, h := range m.Wire.Headers {
		headers = append(headers, h.Name+"="+h.Value.Source)
	}
	for _, d := range m.Damage {
		damage = append(damage, d.Frames.Kind)
	}
	if got := strings.Join(headers, " "); got != "X-B=reply x-a=derived" {
		t.Errorf("headers: %s", got)
	}
	if got := strings.Join(damage, " "); got != "role usage done" {
		t.Errorf("damage: %s", got)
	}
	if m.End.Kind != scenarios.EndStall || sel.Seed != 7 || !reflect.DeepEqual(sel.Scenario.Tags, []string{"text"}) {
		t.Errorf("end %v, seed %d, tags %v", m.End.Kind, sel.Seed, sel.Scenario.Tags)
	}
	if got := set.Lookup("derived").When.Model[0] + " " + sel.Scenario.When.Model[0]; got != "gpt-4o *-mini" {
		t.Errorf("conditions: %s", got)
	}
	base, _ := set.Match(t.Context(), request(t, `{"model":"fake:plain"}`), nil, "", 1)
	if base.Manner.Wire.Newline != "cr" || base.Manner.End.Kind != "" || len(base.Manner.Damage) != 2 {
		t.Errorf("the base has changed: %+v", base.Manner)
	}
}

func TestExtendsWithRepliesOfItsOwnKeepsOnlyTheManner(t *testing.T) {
	t.Parallel()
	set := load(t, `
name: base
wire: { newline: crlf }
damage: [{ drop: role }]
replies: [{ message: a, when: { turn: 1 } }, { message: b }]
---
name: own
extends: base
damage: [{ drop: done }]
message: c
`)
	sel, _ := set.Match(t.Context(), request(t, `{"model":"fake:own"}`), nil, "", 1)
	if n := len(sel.Scenario.Replies); n != 1 || sel.Manner.Wire.Newline != "crlf" || len(sel.Manner.Damage) != 2 {
		t.Errorf("%d replies, manner %+v", n, sel.Manner)
	}
}

func TestExtendsRefusesCirclesAndUnknownNames(t *testing.T) {
	t.Parallel()
	_, diags := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte(`
name: a
extends: b
---
name: b
extends: a
---
name: c
extends: plian
---
name: plain
message: Hello
---
name: self
extends: self
`)})
	got := diags.Error()
	for _, want := range []string{"extends goes in a circle: a -> b -> a", `extends "plian", but there is no scenario of that name (did you mean "plain"?)`, "circle: self -> self"} {
		if !strings.Contains(got, want) {
			t.Errorf("got\n%s\nwithout %s", got, want)
		}
	}
	if len(diags) != 3 {
		t.Errorf("%d problems, want 3:\n%s", len(diags), got)
	}
}

func TestASetDoesNotChangeWithTheScenariosItWasMadeOf(t *testing.T) {
	t.Parallel()
	s := &scenarios.Scenario{Name: "x", Replies: replying("before")}
	set := newSet(t, s)
	s.Replies[0].Message.Content = scenarios.Some(scenarios.Text{Source: "after"})
	s.Name = "y"
	if got := set.Lookup("x").Replies[0].Message.Content.Value.Source; got != "before" {
		t.Errorf("content = %q, want before", got)
	}
}

// What a scenario made in Go says to no effect is refused by its name. A word that it takes over
// must have an effect there or here.
func TestWordsOfScenariosMadeInGoMustHaveAnEffect(t *testing.T) {
	t.Parallel()
	refused := []scenarios.Reply{{Error: &scenarios.APIError{Status: 429}}}
	spelled := scenarios.Manner{Wire: scenarios.Wire{Newline: "crlf"}}
	for want, list := range map[string][]*scenarios.Scenario{
		`scenario "e", reply 1: newline has no effect here: it needs a stream of events, and an error is sent instead`: {{Name: "e", Replies: refused, Manner: spelled}},
		`scenario "p", reply 1: done has no effect here: it answers on its path alone`: {{Name: "p", When: scenarios.When{Path: []string{"/v1/files"}},
			Replies: []scenarios.Reply{{Stream: new([]scenarios.Step)}}, Manner: scenarios.Manner{Wire: scenarios.Wire{Done: new(int)}}}},
		"": {{Name: "base", Replies: replying("a"), Manner: spelled}, {Name: "e", Extends: "base", Replies: refused}},
	} {
		_, err := scenarios.NewSet(list...)
		if got := fmt.Sprint(err); want == "" && err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("got %s, want %q", got, want)
		}
	}
}

func TestAnEmptySetMatchesNothing(t *testing.T) {
	t.Parallel()
	for _, set := range []*scenarios.Set{nil, newSet(t)} {
		if sel, miss := set.Match(t.Context(), &scenarios.Request{}, nil, "", 1); sel != nil || miss.Reason != "there are no scenarios" {
			t.Errorf("got %v, %+v", sel, miss)
		}
		if set.Lookup("x") != nil || len(set.Scenarios()) != 0 {
			t.Error("an empty set holds something")
		}
	}
}

// What a word says in one way is not left over when a manner above it says it in another.
func TestTheWaysToSayOneThingReplaceEachOther(t *testing.T) {
	t.Parallel()
	no := false
	listed := &scenarios.Manner{Envelope: scenarios.Envelope{Obfuscations: []string{"a"}}}
	none := &scenarios.Manner{Envelope: scenarios.Envelope{Obfuscation: &no}}
	if e := listed.Overlay(none).Envelope; e.Obfuscations != nil || e.Obfuscation == nil {
		t.Errorf("obfuscation: false over a list leaves %v", e.Obfuscations)
	}
	if e := none.Overlay(listed).Envelope; e.Obfuscation != nil || len(e.Obfuscations) != 1 {
		t.Errorf("a list over obfuscation: false leaves %v", *e.Obfuscation)
	}
}

// Of several replies that take all requests of another, the first is named.
func TestAReplyThatIsNeverSentNamesTheFirstBeforeIt(t *testing.T) {
	t.Parallel()
	_, problems := server.CheckFiles(yamlfile.Source{Name: "x.yaml", Data: []byte("name: x\nreplies: [{ when: { turn: 1 }, message: a }, { message: b }, { when: { turn: 1 }, message: c }]\n")})
	if len(problems) != 1 || !strings.Contains(problems[0].Message, "reply 1 answers every request that reply 3 could answer") {
		t.Errorf("got %v", problems)
	}
}
