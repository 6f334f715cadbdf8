package sweep_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	set := checked(t, `
name: x
message: one two three four five
---
name: cut
message: Hi
end: cut
---
name: error
message: Hi
end: close
expect: { error: true }
---
name: error-429
error: 429
---
name: open
message: Hi
end: { cut: { after: all } }
---
name: any
message: Hi
wire: { done: false }
expect: [{ text: Hi }, { error: true }]
`)
	ask := func(scenarios ...string) (answers []sweep.Answer) {
		for _, name := range scenarios {
			answers = append(answers, answered(t, set, "/v1/chat/completions", strings.Replace(askChat, "gpt-4o", "fake:"+name, 1))...)
		}
		return answers
	}
	variant := sweep.AsWritten()
	truncation := sweep.Truncate(set, ask("x"))[0]
	for _, tt := range []struct {
		name       string
		c          sweep.Case
		complained bool
		answers    []sweep.Answer
		want       sweep.Verdict
		bad        bool
	}{
		{"a variant that does not matter", variant, false, ask("x"), sweep.OK, false},
		{"a variant that matters", variant, true, ask("x"), sweep.Failed, true},
		{"an end that is noticed", truncation, true, ask("x"), sweep.OK, false},
		{"an end that is not", truncation, false, ask("x"), sweep.PassedSilently, true},
		{"nothing was asked for", variant, false, nil, sweep.NoRequest, true},
		{"nothing that a scenario answers", variant, true, []sweep.Answer{{Status: 404}}, sweep.NoRequest, true},
		{"an error that is expected", variant, true, ask("error"), sweep.OK, false},
		{"no error where one is expected", variant, false, ask("error"), sweep.PassedSilently, true},
		{"an error that careful readers report", variant, true, ask("cut"), sweep.OK, false},
		{"no error where careful readers report one", variant, false, ask("cut"), sweep.PassedSilently, true},
		{"an error of the API", variant, true, ask("error-429"), sweep.OK, false},
		{"an error of the API that is no failure", variant, false, ask("error-429"), sweep.PassedSilently, true},
		{"an error, and a whole answer after it", variant, false, ask("error-429", "x"), sweep.OK, false},
		{"a whole answer before the connection breaks", variant, false, ask("open"), sweep.OK, false},
		{"a connection that breaks behind the whole answer", variant, true, ask("open"), sweep.OK, false},
		{"an error where it is allowed", variant, true, ask("any"), sweep.OK, false},
		{"no error where it is allowed", variant, false, ask("any"), sweep.OK, false},
		{"only another reply", truncation, true, []sweep.Answer{{Scenario: "x", Reply: 1}}, sweep.NoRequest, true},
	} {
		got := tt.c.Judge(set, tt.complained, tt.answers)
		if got != tt.want || got.Bad() != tt.bad {
			t.Errorf("%s: the verdict is %q, bad %t; want %q, %t", tt.name, got, got.Bad(), tt.want, tt.bad)
		}
		if hasReason := got.Reason() != ""; hasReason == (got == sweep.OK || got == sweep.Failed) {
			t.Errorf("%s: the reason is %q", tt.name, got.Reason())
		}
	}
}
