package sweep_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

func TestJudge(t *testing.T) {
	t.Parallel()
	const whole, part = `{"finish_reason":"stop"}`, `{"finish`
	set := checked(t, "name: x\nmessage: Hi\n---\nname: error\nmessage: Hi\nend: cut\nexpect: { error: true }\n---\nname: any\nmessage: Hi\nwire: { done: false }\nexpect: [{ text: Hi }, { error: true }]\n")
	variant := sweep.AsWritten()
	truncation := sweep.Truncate(sent([]byte(whole)), sweep.Truncations)[0]
	for _, tt := range []struct {
		name       string
		c          sweep.Case
		complained bool
		answers    []sweep.Answer
		want       sweep.Verdict
		bad        bool
	}{
		{"a variant that does not matter", variant, false, sent([]byte(whole)), sweep.OK, false},
		{"a variant that matters", variant, true, sent([]byte(whole)), sweep.Failed, true},
		{"an end that is noticed", truncation, true, sent([]byte(part)), sweep.OK, false},
		{"an end that is not", truncation, false, sent([]byte(part)), sweep.PassedSilently, true},
		{"an end behind the finish", truncation, false, sent([]byte(whole)), sweep.NothingLost, false},
		{"nothing was asked for", variant, false, nil, sweep.NoRequest, true},
		{"nothing that a scenario answers", variant, true, []sweep.Answer{{Status: 404}}, sweep.NoRequest, true},
		{"an error that is expected", variant, true, []sweep.Answer{{Scenario: "error"}}, sweep.OK, false},
		{"no error where one is expected", variant, false, []sweep.Answer{{Scenario: "error"}}, sweep.PassedSilently, true},
		{"an error where it is allowed", variant, true, []sweep.Answer{{Scenario: "any"}}, sweep.OK, false},
		{"no error where it is allowed", variant, false, []sweep.Answer{{Scenario: "any"}}, sweep.OK, false},
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
