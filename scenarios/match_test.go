package scenarios_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

func TestMatchTakesScenariosInTheirOrder(t *testing.T) {
	t.Parallel()
	set := newSet(t,
		&scenarios.Scenario{Name: "anything", Replies: replying("a")},
		&scenarios.Scenario{Name: "rest", Replies: replying("r")},
		&scenarios.Scenario{Name: "weather", When: scenarios.When{User: contains("weather")}, Replies: replying("w")},
		&scenarios.Scenario{Name: "mini", When: scenarios.When{Model: []string{"*-mini"}}, Replies: replying("m")},
	)
	for name, c := range map[string]struct{ body, header, fallback, want string }{
		"a condition goes before a scenario without":         {body: `{"messages":[{"role":"user","content":"weather?"}]}`, want: "weather"},
		"the first of two that fit is taken":                 {body: `{"model":"x-mini","messages":[{"role":"user","content":"weather?"}]}`, want: "weather"},
		"without a fit the first without conditions":         {body: `{"model":"gpt-4o"}`, want: "anything"},
		"or the default instead":                             {body: `{"model":"gpt-4o"}`, fallback: "rest", want: "rest"},
		"a default with conditions needs them no more":       {body: `{"model":"gpt-4o"}`, fallback: "mini", want: "mini"},
		"the model asks by name":                             {body: `{"model":"fake:mini"}`, want: "mini"},
		"the header asks by name":                            {body: `{"model":"x"}`, header: "rest", want: "rest"},
		"the header goes before the model":                   {body: `{"model":"fake:mini"}`, header: "rest", want: "rest"},
		"a name goes before all conditions":                  {body: `{"model":"fake:rest","messages":[{"role":"user","content":"weather?"}]}`, want: "rest"},
		"a default does not go before a condition that fits": {body: `{"model":"x-mini"}`, fallback: "rest", want: "mini"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var header []string
			if c.header != "" {
				header = []string{"X-Fakeopenai-Scenario", c.header}
			}
			sel, miss := set.Match(t.Context(), request(t, c.body, header...), nil, c.fallback, 1)
			if miss != nil {
				t.Fatalf("miss: %+v", miss)
			}
			if sel.Scenario.Name != c.want {
				t.Errorf("matched %q, want %q", sel.Scenario.Name, c.want)
			}
		})
	}
}

func TestMissSaysWhatFailed(t *testing.T) {
	t.Parallel()
	yes := true
	for name, c := range map[string]struct {
		when     scenarios.When
		body     string
		scenario string
		reason   string
	}{
		"model":                {scenarios.When{Model: []string{"gpt-4o"}}, `{"model":"gpt-4o-mini"}`, "x", `model is "gpt-4o-mini", which "gpt-4o" does not match`},
		"models":               {scenarios.When{Model: []string{"gpt-4o", "o*"}}, `{"model":"gpt-5"}`, "x", `model is "gpt-5", which none of "gpt-4o", "o*" matches`},
		"too long a prompt":    {scenarios.When{PromptTokens: &scenarios.Bounds{Max: 1}}, `{}`, "x", `prompt_tokens is 2, not at most 1`},
		"too short a prompt":   {scenarios.When{PromptTokens: &scenarios.Bounds{Min: 4}}, `{}`, "x", `prompt_tokens is 2, not at least 4`},
		"outside of bounds":    {scenarios.When{PromptTokens: &scenarios.Bounds{Min: 4, Max: 9}}, `{}`, "x", `prompt_tokens is 2, not at least 4 and at most 9`},
		"surface":              {scenarios.When{Surface: "responses"}, `{}`, "x", `surface is chat, not responses`},
		"stream":               {scenarios.When{Stream: &yes}, `{}`, "x", `stream is false, not true`},
		"turn":                 {scenarios.When{Turn: 2}, `{}`, "x", `turn is 1, not 2`},
		"attempt":              {scenarios.When{Attempt: 2}, `{}`, "x", `attempt is 1, not 2`},
		"no user message":      {scenarios.When{User: contains("a")}, `{}`, "x", `there is no user message`},
		"user contains":        {scenarios.When{User: contains("rain")}, `{"messages":[{"role":"user","content":"sun"}]}`, "x", `the last user message is "sun", which does not contain "rain"`},
		"user equals":          {scenarios.When{User: equals("rain")}, `{"messages":[{"role":"user","content":"sun"}]}`, "x", `the last user message is "sun", which is not "rain"`},
		"user is none":         {scenarios.When{User: anyOf(*equals("rain"), *contains("snow"))}, `{"messages":[{"role":"user","content":"sun"}]}`, "x", `the last user message is "sun", which is not "rain" and does not contain "snow"`},
		"no such message":      {scenarios.When{Messages: anyOf(*equals("rain"), *contains("snow"))}, `{"messages":[{"role":"user","content":"sun"}]}`, "x", `there is no message that is "rain" or contains "snow"`},
		"no system message":    {scenarios.When{System: contains("a")}, `{}`, "x", `there is no system or developer message`},
		"system":               {scenarios.When{System: contains("a")}, `{"messages":[{"role":"developer","content":"b"}]}`, "x", `there is no system or developer message that contains "a"`},
		"messages":             {scenarios.When{Messages: contains("a")}, `{"messages":[{"role":"user","content":"b"}]}`, "x", `there is no message that contains "a"`},
		"no tool":              {scenarios.When{Tools: []string{"f"}}, `{}`, "x", `the tool "f" is not offered (no tool is)`},
		"other tools":          {scenarios.When{Tools: []string{"f"}}, `{"tools":[{"type":"function","function":{"name":"g"}},{"type":"custom","custom":{"name":"h"}}]}`, "x", `the tool "f" is not offered (offered are g, h)`},
		"no tool result":       {scenarios.When{ToolResults: []scenarios.ToolResultMatch{{ID: "c"}}}, `{}`, "x", `the request brings no tool result for "c"`},
		"other tool result":    {scenarios.When{ToolResults: []scenarios.ToolResultMatch{{Content: contains("18")}}}, `{"messages":[{"role":"tool","tool_call_id":"c","content":"19"}]}`, "x", `the tool result is "19", which does not contain "18"`},
		"no header":            {scenarios.When{Header: []scenarios.HeaderMatch{{Name: "X-A"}}}, `{}`, "x", `there is no header X-A`},
		"no header to compare": {scenarios.When{Header: []scenarios.HeaderMatch{{Name: "X-A", Match: equals("1")}}}, `{}`, "x", `there is no header X-A`},
		"the key is not shown": {scenarios.When{APIKey: equals("k")}, `{}`, "x", `the API key does not fit`},
		"a long text is cut":   {scenarios.When{User: equals("b")}, `{"messages":[{"role":"user","content":"` + strings.Repeat("a", 500) + `"}]}`, "x", `the last user message is "` + strings.Repeat("a", 80) + `…", which is not "b"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := newSet(t, &scenarios.Scenario{Name: "x", When: c.when, Replies: replying("a")})
			sel, miss := set.Match(t.Context(), request(t, c.body), nil, "", 1)
			if sel != nil {
				t.Fatalf("matched %q", sel.Scenario.Name)
			}
			if miss.Scenario != c.scenario || miss.Reason != c.reason {
				t.Errorf("got  %q: %s\nwant %q: %s", miss.Scenario, miss.Reason, c.scenario, c.reason)
			}
		})
	}
}

// anyOf is the condition that one of the conditions holds.
func anyOf(list ...scenarios.TextMatch) *scenarios.TextMatch {
	return &scenarios.TextMatch{AnyOf: list}
}

func TestAListHoldsIfOneOfItsConditionsDoes(t *testing.T) {
	t.Parallel()
	set := load(t, `
name: listed
when:
  model: [gpt-4o, 'gpt-4.1*']
  user: [hi, { contains: weather }, { matches: 'in (?P<city>\w+)' }, { matches: 'at (?P<place>\w+)' }]
  header: { X-Team: [blue, red] }
message: a
---
name: longer
extends: listed
when: { user: [hi, long], prompt_tokens: { min: 100 } }
`)
	body := func(model, user string) string {
		return fmt.Sprintf(`{"model":%q,"messages":[{"role":"user","content":%q}]}`, model, user)
	}
	for _, tt := range []struct {
		body, team string
		want       string
	}{
		{body("gpt-4o", "hi"), "red", "listed map[city: place:]"},
		{body("gpt-4.1-nano", "hi"), "blue", "listed map[city: place:]"},
		{body("gpt-4o", "the weather in Oslo"), "red", "listed map[city: place:]"},
		{body("gpt-4o", "in Oslo at noon"), "red", "listed map[city:Oslo place:]"},
		{body("gpt-4o", "at noon"), "red", "listed map[city: place:noon]"},
		{body("gpt-4", "hi"), "red", "none"},
		{body("gpt-4o", "hi!"), "red", "none"},
		{body("gpt-4o", "hi"), "green", "none"},
		{`{"messages":[{"role":"system","content":"` + strings.Repeat("long ", 20) + `"},{"role":"user","content":"long"}]}`, "", "longer map[]"},
		{body("gpt-4o", "long"), "", "none"},
	} {
		got := "none"
		if sel, _ := set.Match(t.Context(), request(t, tt.body, "X-Team", tt.team), nil, scenarios.NoDefault, 1); sel != nil {
			got = fmt.Sprint(sel.Scenario.Name, " ", sel.Match)
		}
		if got != tt.want {
			t.Errorf("%s of team %q gets %s, want %s", tt.body, tt.team, got, tt.want)
		}
	}
}

func TestAReplyThatIsNotDrawnLeavesTheRequestToOthers(t *testing.T) {
	t.Parallel()
	set := load(t, `
name: chancy
replies:
  - { chance: 0.5, times: 1, error: 503 }
  - { chance: 0.25, when: { turn: 2 }, error: 500 }
---
name: rest
when: { turn: 2 }
message: hi
`)
	second := `{"messages":[{"role":"assistant","content":"y"}]}`
	for _, tt := range []struct {
		counter    scenarios.Counter
		body, want string
	}{
		{nil, `{}`, "chancy 0"},
		{counters{}, `{"model":"fake:chancy"}`, "chancy: reply 1: its chance of 0.5 did not give it"},
		{counters{0: 1}, `{}`, "chancy: reply 1: it was given 1 of 1 times"},
		{counters{}, second, "rest 0"},
	} {
		got := ""
		if sel, miss := set.Match(t.Context(), request(t, tt.body), tt.counter, "", 1); sel != nil {
			got = fmt.Sprint(sel.Scenario.Name, " ", sel.Index)
		} else {
			got = miss.Scenario + ": " + miss.Reason
		}
		if got != tt.want {
			t.Errorf("got  %s\nwant %s", got, tt.want)
		}
	}
}

// counters is a [scenarios.Counter] for one key: how often each reply was given.
type counters map[int]int

func (c counters) Available(_ string, reply, limit int) bool { return c[reply] < limit }
func (counters) Drawn(*scenarios.Selection) bool             { return false }

func TestMatchTakesTheFirstReplyThatFitsAndIsLeft(t *testing.T) {
	t.Parallel()
	set := load(t, `
name: flaky
replies:
  - when: { turn: 2 }
    message: later
  - times: 2
    error: { status: 429 }
  - times: 1
    message: fine
`)
	used := counters{}
	first := `{"messages":[{"role":"user","content":"x"}]}`
	second := `{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":"y"}]}`
	for i, c := range []struct {
		body string
		want int
	}{{first, 1}, {second, 0}, {first, 1}, {first, 2}, {second, 0}} {
		sel, miss := set.Match(t.Context(), request(t, c.body), used, "", 1)
		if miss != nil || sel.Index != c.want {
			t.Fatalf("request %d: reply %+v, %+v, want %d", i, sel, miss, c.want)
		}
		used[sel.Index]++
	}
	_, miss := set.Match(t.Context(), request(t, first), used, "", 1)
	want := scenarios.NoMatch{Scenario: "flaky", Reason: "reply 2: it was given 2 of 2 times"}
	if miss == nil || *miss != want {
		t.Errorf("got %+v, want %+v", miss, want)
	}
}

func TestMatchGoesOnToTheNextScenarioWhenNoReplyIsLeft(t *testing.T) {
	t.Parallel()
	once := replying("once")
	once[0].Times = 1
	set := newSet(t, &scenarios.Scenario{Name: "once", Replies: once}, &scenarios.Scenario{Name: "rest", Replies: replying("rest")})
	used := counters{}
	for i, want := range []string{"once", "rest", "rest"} {
		sel, _ := set.Match(t.Context(), request(t, `{}`), used, "", 1)
		if sel == nil || sel.Scenario.Name != want {
			t.Fatalf("request %d: got %+v, want %s", i, sel, want)
		}
		if want == "once" {
			used[sel.Index]++
		}
	}
}

func TestMatchCapturesNamedGroupsOfScenarioAndReply(t *testing.T) {
	t.Parallel()
	replies := replying("a")
	replies[0].When.Header = []scenarios.HeaderMatch{{Name: "X-Job", Match: matches(`^(?P<job>\d+)(?P<rest>-.*)?$`)}}
	set := newSet(t, &scenarios.Scenario{Name: "x", When: scenarios.When{User: matches(`in (?P<city>\w+)`)}, Replies: replies})

	sel, miss := set.Match(t.Context(), request(t, `{"messages":[{"role":"user","content":"in Oslo"}]}`, "X-Job", "42"), nil, "", 1)
	if miss != nil {
		t.Fatal(miss)
	}
	if got := sel.Match; got["city"] != "Oslo" || got["job"] != "42" || got["rest"] != "" || len(got) != 3 {
		t.Errorf("Match = %v", got)
	}
	sel, miss = set.Match(t.Context(), request(t, `{"model":"fake:x"}`, "X-Job", "42"), nil, "", 1)
	if miss != nil {
		t.Fatalf("asked for by name the conditions of the scenario still have to hold: %+v", miss)
	}
	if city, ok := sel.Match["city"]; city != "" || !ok {
		t.Errorf("Match = %v, want an empty city", sel.Match)
	}
}

func TestMissComesFromTheScenarioWithMostConditionsThatHold(t *testing.T) {
	t.Parallel()
	set := load(t, `
name: billing
when: { user: { contains: invoice } }
message: Paid.
---
name: weather
when: { user: { contains: weather }, model: gpt-4o, stream: true }
message: Sunny.
---
name: forecast
when: { user: { contains: weather }, model: o1, stream: true, tools: [get_forecast] }
message: Rain.
---
name: agent
when: { system: { contains: agent } }
replies:
  - when: { user: { contains: hello }, turn: 2 }
    message: Again.
  - when: { user: { contains: hello }, turn: 3, model: gpt-4o-mini }
    message: Once more.
---
name: once
when: { user: { equals: only once } }
replies:
  - times: 1
    message: Once.
`)
	used := counters{0: 1}
	for _, c := range []struct {
		name, body string
		want       scenarios.NoMatch
	}{
		{
			"one of three holds, two fail", `{"model":"gpt-4o-mini","messages":[{"role":"user","content":"weather?"}]}`,
			scenarios.NoMatch{Scenario: "weather", Reason: `model is "gpt-4o-mini", which "gpt-4o" does not match; stream is false, not true`},
		},
		{
			"more hold in the one with more that fail", `{"model":"o1","stream":true,"messages":[{"role":"user","content":"sun?"}]}`,
			scenarios.NoMatch{Scenario: "forecast", Reason: `the last user message is "sun?", which does not contain "weather"; the tool "get_forecast" is not offered (no tool is)`},
		},
		{
			"the reply with the most", `{"model":"gpt-4o-mini","messages":[{"role":"system","content":"agent"},{"role":"user","content":"hello"}]}`,
			scenarios.NoMatch{Scenario: "agent", Reason: `reply 2: turn is 1, not 3`},
		},
		{
			"none holds", `{"model":"x","messages":[{"role":"user","content":"x"}]}`,
			scenarios.NoMatch{Scenario: "billing", Reason: `the last user message is "x", which does not contain "invoice"`},
		},
		{
			"what is used up would have answered", `{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"only once"}]}`,
			scenarios.NoMatch{Scenario: "once", Reason: `it was given 1 of 1 times`},
		},
	} {
		_, miss := set.Match(t.Context(), request(t, c.body), used, "", 1)
		if miss == nil || *miss != c.want {
			t.Errorf("%s:\ngot  %+v\nwant %+v", c.name, miss, c.want)
		}
	}
}

// leaving is a counter that has no reply left, and whose client leaves after the first.
type leaving struct {
	counters
	leave context.CancelFunc
	tried int
}

func (l *leaving) Available(string, int, int) bool {
	l.leave()
	l.tried++
	return false
}

// What is tried after the client has left is at most a few megabytes.
func TestMatchingEndsWhenTheClientLeaves(t *testing.T) {
	t.Parallel()
	const replies, text = 1000, 100_000
	s := &scenarios.Scenario{Name: "many", Replies: make([]scenarios.Reply, replies)}
	for i := range s.Replies {
		s.Replies[i] = replying("a")[0]
		s.Replies[i].Times, s.Replies[i].When.User = 1, matches("x$")
	}
	set := newSet(t, s, &scenarios.Scenario{Name: "other", Replies: replying("b")})
	ctx, cancel := context.WithCancel(t.Context())
	used := &leaving{leave: cancel}
	sel, miss := set.Match(ctx, request(t, `{"messages":[{"role":"user","content":"`+strings.Repeat("x", text)+`"}]}`), used, "", 1)
	if sel != nil || !miss.Unfinished || used.tried > 2*(1<<20)/text {
		t.Errorf("%d of %d replies are tried, selected is %v, not %+v", used.tried, replies, sel, miss)
	}
	// A client that leaves at once changes no answer.
	if sel, miss := set.Match(ctx, request(t, `{"messages":[{"role":"user","content":"x"}]}`), nil, "", 1); miss != nil || sel.Scenario.Name != "many" {
		t.Errorf("a short request gets %v, %+v", sel, miss)
	}
}

func TestMissProposesANameForOneThatIsNotThere(t *testing.T) {
	t.Parallel()
	set := newSet(t, &scenarios.Scenario{Name: "weather", Replies: replying("a")})
	for model, want := range map[string]scenarios.NoMatch{
		"fake:":       {Reason: `the model "fake:" names no scenario; ask for one by its name, such as "fake:weather"`},
		"fake:wether": {Scenario: "weather", Reason: `there is no scenario named "wether"; did you mean "weather"?`},
		"fake:banana": {Reason: `there is no scenario named "banana"; ask for one that is loaded, such as "weather"`},
	} {
		if _, miss := set.Match(t.Context(), request(t, `{"model":"`+model+`"}`), nil, "", 1); miss == nil || *miss != want {
			t.Errorf("got %+v, want %+v", miss, want)
		}
	}
}

func TestMatchLooksAtTheBody(t *testing.T) {
	t.Parallel()
	set := load(t, `
name: x
when:
  body:
    temperature: 0.5
    "metadata.job": { matches: '^\d+$' }
    "messages[-1].content[0]": { equals: { type: text, text: hi } }
    "seed": { exists: false }
message: Hello
`)
	good := `{"temperature":5e-1,"metadata":{"job":"42"},"messages":[{"role":"user","content":[{"text":"hi","type":"text"}]}]}`
	if _, miss := set.Match(t.Context(), request(t, good), nil, "", 1); miss != nil {
		t.Errorf("missed: %+v", miss)
	}
	for change, want := range map[[2]string]string{
		{"5e-1", "1"}:       "temperature in the body is 1, not 0.5",
		{`"42"`, `"x"`}:     `metadata.job in the body is "x", which does not match ^\d+$`,
		{"{", `{"seed":1,`}: "there is seed in the body",
		{"hi", "ho"}:        `messages[-1].content[0] in the body is {"text":"ho","type":"text"}, not {"type":"text","text":"hi"}`,
	} {
		_, miss := set.Match(t.Context(), request(t, strings.Replace(good, change[0], change[1], 1)), nil, "", 1)
		if miss == nil || miss.Reason != want {
			t.Errorf("got %+v, want %s", miss, want)
		}
	}
}

func TestToolResultsAreThoseAfterTheLastAssistantMessage(t *testing.T) {
	t.Parallel()
	set := newSet(t, &scenarios.Scenario{Name: "x", When: scenarios.When{ToolResults: []scenarios.ToolResultMatch{{ID: "call_1", Content: contains("18")}}}, Replies: replying("a")})
	const call = `{"role":"assistant","tool_calls":[{"id":"call_1"}]},{"role":"tool","tool_call_id":"call_1","content":"18 degrees"}`
	for name, c := range map[string]struct {
		messages string
		want     bool
	}{
		"the result is new":                {call, true},
		"a user message follows it":        {call + `,{"role":"user","content":"x"}`, true},
		"it was answered already":          {call + `,{"role":"assistant","content":"It is 18."},{"role":"user","content":"x"}`, false},
		"a legacy function has a name":     {`{"role":"function","name":"call_1","content":"18"}`, true},
		"it is the result of another call": {`{"role":"tool","tool_call_id":"call_2","content":"18"}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			sel, _ := set.Match(t.Context(), request(t, `{"messages":[`+c.messages+`]}`), nil, "", 1)
			if got := sel != nil; got != c.want {
				t.Errorf("matched = %v, want %v", got, c.want)
			}
		})
	}
}

func TestAListOfToolResultsAsksForAllOfThem(t *testing.T) {
	t.Parallel()
	set := load(t, "name: x\nwhen: { tool_result: [call_1, { id: call_2, content: { contains: CET } }] }\nmessage: a\n")
	const one, two = `{"role":"tool","tool_call_id":"call_1","content":"18"}`, `{"role":"tool","tool_call_id":"call_2","content":"12:00 CET"}`
	for messages, want := range map[string]string{
		one + "," + two: "",
		two + "," + one: "",
		one:             `the request brings no tool result for "call_2"`,
		two:             `the request brings no tool result for "call_1"`,
		one + `,{"role":"tool","tool_call_id":"call_2","content":"late"}`: `the tool result for "call_2" is "late", which does not contain "CET"`,
	} {
		_, miss := set.Match(t.Context(), request(t, `{"messages":[`+messages+`]}`), nil, "", 1)
		if want == "" && miss != nil || want != "" && (miss == nil || miss.Reason != want) {
			t.Errorf("to %s: %+v, want %q", messages, miss, want)
		}
	}
}

// The reason why a scenario was not picked appears in answers, logs and reports. It never
// repeats a secret of the request, but says if the secret was missing.
func TestReasonsDoNotRepeatSecretHeaders(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"Authorization", "api-key", "X-Api-Key", "cookie", "OpenAI-Organization", "OpenAI-Project", "X-Vault-Token", "Sec-WebSocket-Protocol"} {
		when := scenarios.When{Header: []scenarios.HeaderMatch{{Name: name, Match: equals("other")}}}
		set := newSet(t, &scenarios.Scenario{Name: "x", When: when, Replies: replying("a")})
		for sent, want := range map[string]string{name: "header " + name + " does not fit", "X-A": "there is no header " + name} {
			_, miss := set.Match(t.Context(), request(t, `{}`, sent, "s3cret"), nil, "", 1)
			if miss == nil || miss.Reason != want {
				t.Errorf("with %s the reason is %v, want %q", sent, miss, want)
			}
		}
	}
}

func TestWithoutADefaultOnlyNamesAndConditionsAreAnswered(t *testing.T) {
	t.Parallel()
	plain := "name: plain\nmessage: Hello\n"
	for _, tt := range []struct {
		name, yaml, body, want string
	}{
		{"a name", plain, `{"model":"fake:plain"}`, ""},
		{"no name", plain, `{}`, `there is no default; ask for one by its name, such as "fake:plain"`},
		{"a condition that fails", plain + "---\nname: x\nwhen: { model: o3 }\nmessage: Hi", `{"model":"gpt-4o"}`, "o3"},
		{"a condition that holds", plain + "---\nname: x\nwhen: { model: o3 }\nmessage: Hi", `{"model":"o3"}`, ""},
	} {
		sel, miss := load(t, tt.yaml).Match(t.Context(), request(t, tt.body), nil, scenarios.NoDefault, 1)
		if (sel == nil) != (tt.want != "") || miss != nil && !strings.Contains(miss.Reason, tt.want) {
			t.Errorf("%s: %v, %+v", tt.name, sel, miss)
		}
	}
}
