package scenarios

import (
	"testing"

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
	text := func(s string) *Text { return &Text{Source: s} }
	call := OutcomeCall{ID: "call_1", Name: "f", Arguments: `{"a": 1, "b": 2}`}
	calls := func(list ...ExpectedCall) *[]ExpectedCall { return &list }
	for _, c := range []struct {
		name   string
		expect Expectation
		got    Outcome
		misfit string
	}{
		{"nothing compared", Expectation{Finish: "stop"}, Outcome{Text: "Hi", Finish: "stop"}, ""},
		{"text", Expectation{Text: text("Hi")}, Outcome{Text: "Ho"}, `the text is "Ho", not "Hi"`},
		{"an empty text", Expectation{Text: text("")}, Outcome{Text: "Hi"}, `the text is "Hi", not ""`},
		{"generated text", Expectation{Text: &Text{Repeat: "abc", Bytes: 7}}, Outcome{Text: "abcabca"}, ""},
		{"generated text, too long", Expectation{Text: &Text{Repeat: "abc", Bytes: 7}}, Outcome{Text: "abcabcab"}, `the text is "abcabcab", not "abc", repeated for 7 bytes`},
		{"generated text, other end", Expectation{Text: &Text{Repeat: "abc", Bytes: 7}}, Outcome{Text: "abcabcb"}, `the text is "abcabcb", not "abc", repeated for 7 bytes`},
		{"generated text, torn", Expectation{Text: &Text{Repeat: "abc", Bytes: 7}}, Outcome{Text: "abcxbca"}, `the text is "abcxbca", not "abc", repeated for 7 bytes`},
		{"refusal", Expectation{Refusal: text("No")}, Outcome{Text: "No"}, `the refusal is "", not "No"`},
		{"finish", Expectation{Finish: "length"}, Outcome{Finish: "stop"}, `the finish is "stop", not "length"`},
		{"usage", Expectation{Usage: &Usage{Object: object(`{"total_tokens": 3}`)}}, Outcome{Usage: object(`{"total_tokens": 3, "prompt_tokens": 1}`)}, ""},
		{"other usage", Expectation{Usage: &Usage{Object: object(`{"total_tokens": 3}`)}}, Outcome{Usage: object(`{"total_tokens": 4}`)}, "total_tokens is 4, not 3"},
		{"no usage", Expectation{Usage: &Usage{Object: object(`{"total_tokens": 3}`)}}, Outcome{}, "total_tokens is missing, not 3"},
		{"no calls", Expectation{Calls: calls()}, Outcome{Calls: []OutcomeCall{call}}, "the number of calls is 1, not 0"},
		{"a call", Expectation{Calls: calls(ExpectedCall{Name: "f"})}, Outcome{Calls: []OutcomeCall{call}}, ""},
		{"arguments", Expectation{Calls: calls(ExpectedCall{ID: "call_1", Name: "f", Arguments: object(`{"b":2,"a":1.0}`)})}, Outcome{Calls: []OutcomeCall{call}}, ""},
		{"arguments as text", Expectation{Calls: calls(ExpectedCall{Name: "f", Arguments: ojson.String(`{"a":1}`)})}, Outcome{Calls: []OutcomeCall{call}},
			`the arguments of call 0 are "{\"a\": 1, \"b\": 2}", not "{\"a\":1}"`},
		{"arguments that are no JSON", Expectation{Calls: calls(ExpectedCall{Name: "f", Arguments: object(`{}`)})}, Outcome{Calls: []OutcomeCall{{Name: "f", Arguments: "{"}}},
			`the arguments of call 0 are "{", not {}`},
		{"name", Expectation{Calls: calls(ExpectedCall{Name: "g"})}, Outcome{Calls: []OutcomeCall{call}}, `the name of call 0 is "f", not "g"`},
		{"id", Expectation{Calls: calls(ExpectedCall{ID: "call_2", Name: "f"})}, Outcome{Calls: []OutcomeCall{call}}, `the id of call 0 is "call_1", not "call_2"`},
		{"an error", Expectation{Finish: "stop"}, Outcome{Finish: "stop", Error: "boom"}, "it ends in an error: boom"},
		{"no error", Expectation{Error: AnError}, Outcome{Text: "Hi"}, "it does not end in an error"},
		{"the error", Expectation{Error: AnError}, Outcome{Error: "boom"}, ""},
		{"any error", Expectation{Text: text("Hi"), Error: AnyError}, Outcome{Error: "boom"}, ""},
		{"none of any error", Expectation{Text: text("Hi"), Error: AnyError}, Outcome{Text: "Ho"}, `the text is "Ho", not "Hi"`},
	} {
		if got := c.expect.Misfit(&c.got); got != c.misfit {
			t.Errorf("%s: misfit %q, want %q", c.name, got, c.misfit)
		}
	}
}
