package scenarios

import (
	"strings"
	"testing"
)

// request is a chat request with this body.
func request(t *testing.T, body string, header ...string) *Request {
	t.Helper()
	h := map[string][]string{}
	for i := 0; i < len(header); i += 2 {
		h[header[i]] = append(h[header[i]], header[i+1])
	}
	req, err := ParseRequest("chat", h, []byte(body))
	if err != nil {
		t.Fatalf("ParseRequest: %v", err)
	}
	return req
}

func replying(text string) []Reply {
	return []Reply{{Message: &Message{Content: Some(Text{Source: text})}}}
}

func contains(s string) *TextMatch { return &TextMatch{Contains: &s} }
func equals(s string) *TextMatch   { return &TextMatch{Equals: &s} }

func matches(t *testing.T, expr string) *TextMatch {
	t.Helper()
	re, err := NewRegexp(expr)
	if err != nil {
		t.Fatal(err)
	}
	return &TextMatch{Matches: re}
}

func newSet(t *testing.T, list ...*Scenario) *Set {
	t.Helper()
	set, err := NewSet(list...)
	if err != nil {
		t.Fatalf("NewSet: %v", err)
	}
	return set
}

func TestMatchTakesScenariosInTheirOrder(t *testing.T) {
	t.Parallel()
	set := newSet(t,
		&Scenario{Name: "anything", Replies: replying("a")},
		&Scenario{Name: "rest", Replies: replying("r")},
		&Scenario{Name: "weather", When: When{User: contains("weather")}, Replies: replying("w")},
		&Scenario{Name: "mini", When: When{Model: "*-mini"}, Replies: replying("m")},
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
			sel, miss := set.Match(request(t, c.body, header...), nil, c.fallback, 1)
			if miss != nil {
				t.Fatalf("miss: %+v", miss)
			}
			if sel.Scenario.Name != c.want {
				t.Errorf("matched %q, want %q", sel.Scenario.Name, c.want)
			}
		})
	}
}

func TestMissNamesTheNearestScenarioAndItsFirstFailure(t *testing.T) {
	t.Parallel()
	yes := true
	for name, c := range map[string]struct {
		when     When
		body     string
		scenario string
		reason   string
	}{
		"model":                {When{Model: "gpt-4o"}, `{"model":"gpt-4o-mini"}`, "x", `model is "gpt-4o-mini", which "gpt-4o" does not match`},
		"surface":              {When{Surface: "responses"}, `{}`, "x", `surface is chat, not responses`},
		"stream":               {When{Stream: &yes}, `{}`, "x", `stream is false, not true`},
		"turn":                 {When{Turn: 2}, `{}`, "x", `turn is 1, not 2`},
		"attempt":              {When{Attempt: 2}, `{}`, "x", `attempt is 1, not 2`},
		"no user message":      {When{User: contains("a")}, `{}`, "x", `there is no user message`},
		"user contains":        {When{User: contains("rain")}, `{"messages":[{"role":"user","content":"sun"}]}`, "x", `the last user message is "sun", which does not contain "rain"`},
		"user equals":          {When{User: equals("rain")}, `{"messages":[{"role":"user","content":"sun"}]}`, "x", `the last user message is "sun", which is not "rain"`},
		"no system message":    {When{System: contains("a")}, `{}`, "x", `there is no system or developer message`},
		"system":               {When{System: contains("a")}, `{"messages":[{"role":"developer","content":"b"}]}`, "x", `there is no system or developer message that contains "a"`},
		"messages":             {When{Messages: contains("a")}, `{"messages":[{"role":"user","content":"b"}]}`, "x", `there is no message that contains "a"`},
		"no tool":              {When{Tools: []string{"f"}}, `{}`, "x", `the tool "f" is not offered; no tool is`},
		"other tools":          {When{Tools: []string{"f"}}, `{"tools":[{"type":"function","function":{"name":"g"}},{"type":"custom","custom":{"name":"h"}}]}`, "x", `the tool "f" is not offered; offered are g, h`},
		"no tool result":       {When{ToolResult: &ToolResultMatch{ID: "c"}}, `{}`, "x", `the request brings no tool result for "c"`},
		"other tool result":    {When{ToolResult: &ToolResultMatch{Content: contains("18")}}, `{"messages":[{"role":"tool","tool_call_id":"c","content":"19"}]}`, "x", `the tool result is "19", which does not contain "18"`},
		"no header":            {When{Header: []HeaderMatch{{Name: "X-A"}}}, `{}`, "x", `there is no header X-A`},
		"no header to compare": {When{Header: []HeaderMatch{{Name: "X-A", Match: equals("1")}}}, `{}`, "x", `there is no header X-A`},
		"the key is not shown": {When{APIKey: equals("k")}, `{}`, "x", `the API key does not fit`},
		"a long text is cut":   {When{User: equals("b")}, `{"messages":[{"role":"user","content":"` + strings.Repeat("a", 500) + `"}]}`, "x", `the last user message is "` + strings.Repeat("a", 80) + `…", which is not "b"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := newSet(t, &Scenario{Name: "x", When: c.when, Replies: replying("a")})
			sel, miss := set.Match(request(t, c.body), nil, "", 1)
			if sel != nil {
				t.Fatalf("matched %q", sel.Scenario.Name)
			}
			if miss.Scenario != c.scenario || miss.Reason != c.reason {
				t.Errorf("got  %q: %s\nwant %q: %s", miss.Scenario, miss.Reason, c.scenario, c.reason)
			}
		})
	}
}
