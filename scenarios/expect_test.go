package scenarios_test

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

func TestAnOutcomeIsComparedWithAllThatIsExpected(t *testing.T) {
	t.Parallel()
	object := func(text string) ojson.Value {
		v, err := ojson.Parse([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	text := func(s string) *scenarios.Text { return &scenarios.Text{Source: s} }
	call := scenarios.OutcomeCall{ID: "call_1", Name: "f", Arguments: `{"a": 1, "b": 2}`}
	calls := func(list ...scenarios.ExpectedCall) *[]scenarios.ExpectedCall { return &list }
	for _, c := range []struct {
		name   string
		expect scenarios.Expectation
		got    scenarios.Outcome
		misfit string
	}{
		{"nothing compared", scenarios.Expectation{Finish: "stop"}, scenarios.Outcome{Text: "Hi", Finish: "stop"}, ""},
		{"text", scenarios.Expectation{Text: text("Hi")}, scenarios.Outcome{Text: "Ho"}, `the text is "Ho", not "Hi"`},
		{"an empty text", scenarios.Expectation{Text: text("")}, scenarios.Outcome{Text: "Hi"}, `the text is "Hi", not ""`},
		{"generated text", scenarios.Expectation{Text: &scenarios.Text{Repeat: "abc", Bytes: 7}}, scenarios.Outcome{Text: "abcabca"}, ""},
		{"generated text, too long", scenarios.Expectation{Text: &scenarios.Text{Repeat: "abc", Bytes: 7}}, scenarios.Outcome{Text: "abcabcab"}, `the text is "abcabcab", not "abc", repeated for 7 bytes`},
		{"generated text, other end", scenarios.Expectation{Text: &scenarios.Text{Repeat: "abc", Bytes: 7}}, scenarios.Outcome{Text: "abcabcb"}, `the text is "abcabcb", not "abc", repeated for 7 bytes`},
		{"generated text, torn", scenarios.Expectation{Text: &scenarios.Text{Repeat: "abc", Bytes: 7}}, scenarios.Outcome{Text: "abcxbca"}, `the text is "abcxbca", not "abc", repeated for 7 bytes`},
		{"refusal", scenarios.Expectation{Refusal: text("No")}, scenarios.Outcome{Text: "No"}, `the refusal is "", not "No"`},
		{"finish", scenarios.Expectation{Finish: "length"}, scenarios.Outcome{Finish: "stop"}, `the finish is "stop", not "length"`},
		{"usage", scenarios.Expectation{Usage: &scenarios.Usage{Object: object(`{"total_tokens": 3}`)}}, scenarios.Outcome{Usage: object(`{"total_tokens": 3, "prompt_tokens": 1}`)}, ""},
		{"other usage", scenarios.Expectation{Usage: &scenarios.Usage{Object: object(`{"total_tokens": 3}`)}}, scenarios.Outcome{Usage: object(`{"total_tokens": 4}`)}, "total_tokens is 4, not 3"},
		{"no usage", scenarios.Expectation{Usage: &scenarios.Usage{Object: object(`{"total_tokens": 3}`)}}, scenarios.Outcome{}, "total_tokens is missing, not 3"},
		{"no calls", scenarios.Expectation{Calls: calls()}, scenarios.Outcome{Calls: []scenarios.OutcomeCall{call}}, "the number of calls is 1, not 0"},
		{"a call", scenarios.Expectation{Calls: calls(scenarios.ExpectedCall{Name: "f"})}, scenarios.Outcome{Calls: []scenarios.OutcomeCall{call}}, ""},
		{"arguments", scenarios.Expectation{Calls: calls(scenarios.ExpectedCall{ID: "call_1", Name: "f", Arguments: object(`{"b":2,"a":1.0}`)})}, scenarios.Outcome{Calls: []scenarios.OutcomeCall{call}}, ""},
		{"arguments as text", scenarios.Expectation{Calls: calls(scenarios.ExpectedCall{Name: "f", Arguments: ojson.String(`{"a":1}`)})}, scenarios.Outcome{Calls: []scenarios.OutcomeCall{call}},
			`the arguments of call 0 are "{\"a\": 1, \"b\": 2}", not "{\"a\":1}"`},
		{"arguments that are no JSON", scenarios.Expectation{Calls: calls(scenarios.ExpectedCall{Name: "f", Arguments: object(`{}`)})}, scenarios.Outcome{Calls: []scenarios.OutcomeCall{{Name: "f", Arguments: "{"}}},
			`the arguments of call 0 are "{", not {}`},
		{"name", scenarios.Expectation{Calls: calls(scenarios.ExpectedCall{Name: "g"})}, scenarios.Outcome{Calls: []scenarios.OutcomeCall{call}}, `the name of call 0 is "f", not "g"`},
		{"id", scenarios.Expectation{Calls: calls(scenarios.ExpectedCall{ID: "call_2", Name: "f"})}, scenarios.Outcome{Calls: []scenarios.OutcomeCall{call}}, `the id of call 0 is "call_1", not "call_2"`},
		{"an error", scenarios.Expectation{Finish: "stop"}, scenarios.Outcome{Finish: "stop", Error: "boom"}, "it ends in an error: boom"},
		{"no error", scenarios.Expectation{Error: scenarios.AnError}, scenarios.Outcome{Text: "Hi"}, "it does not end in an error"},
		{"the error", scenarios.Expectation{Error: scenarios.AnError}, scenarios.Outcome{Error: "boom"}, ""},
		{"any error", scenarios.Expectation{Text: text("Hi"), Error: scenarios.AnyError}, scenarios.Outcome{Error: "boom"}, ""},
		{"none of any error", scenarios.Expectation{Text: text("Hi"), Error: scenarios.AnyError}, scenarios.Outcome{Text: "Ho"}, `the text is "Ho", not "Hi"`},
	} {
		if got := c.expect.Misfit(&c.got); got != c.misfit {
			t.Errorf("%s: misfit %q, want %q", c.name, got, c.misfit)
		}
	}
}
