package scenarios

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Expectation is the outcome of a healthy client that reads the answers of a scenario. No server plays
// it: the check compares it with the stream, and runs of clients are judged by it. A field that is nil
// or empty is not compared.
type Expectation struct {
	Text    *Text           // Text is the text of the first choice.
	Refusal *Text           // Refusal is the refusal of the first choice.
	Calls   *[]ExpectedCall // Calls are the calls of tools and functions in the first choice, in their order.
	Finish  string          // Finish is the finish_reason of the first choice in the words of chat completions.
	Usage   *Usage          // Usage has the token counts that are compared.
	Error   ExpectedError
	Pos     diag.Pos
}

// ExpectedCall is a call that a client should find.
type ExpectedCall struct {
	ID        string // ID is the id of the call; "" is any.
	Name      string
	Arguments ojson.Value // Arguments are compared as JSON, or a string as text; Absent is any.
	Pos       diag.Pos
}

// ExpectedError is whether a healthy client reports an error.
type ExpectedError int

// The kinds of expected errors.
const (
	NoError  ExpectedError = iota // NoError is the default: the client reports no error.
	AnError                       // AnError is an answer that no client can take for a whole one.
	AnyError                      // AnyError leaves it to the client. If it reports none, the rest must hold.
)

// Outcome is what a client came to. It is the JSON that the adapter of a client prints.
type Outcome struct {
	Text    string        `json:"text,omitempty"`
	Refusal string        `json:"refusal,omitempty"`
	Calls   []OutcomeCall `json:"calls,omitempty"`
	Finish  string        `json:"finish,omitempty"`
	Usage   ojson.Value   `json:"usage,omitzero"` // Usage is an object; Absent if the client has none.
	Error   string        `json:"error,omitempty"`
	Choices []Outcome     `json:"-"` // Choices are the outcomes of the choices after the first; no adapter prints them.
}

// OutcomeCall is a call that a client found.
type OutcomeCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// Outcomes are the outcomes of clients that read one answer to its end.
type Outcomes struct {
	// Careful are the outcomes of careful clients: one, or several where the protocol leaves it open
	// whether the answer is whole. An outcome with an error has nothing else.
	Careful []Outcome
	// Others are the outcomes of less careful clients, such as one that overlooks an error.
	Others []Outcome
}

// Is reports whether two outcomes are the same: errors, whatever their words, or the same texts, calls, finish
// and counts of tokens, of each choice.
func (o *Outcome) Is(other *Outcome) bool {
	if o.Error != "" || other.Error != "" {
		return o.Error != "" && other.Error != ""
	}
	for _, count := range []string{"prompt_tokens", "completion_tokens", "total_tokens"} {
		if !ojson.Same(o.Usage.Get(count), other.Usage.Get(count)) {
			return false
		}
	}
	same := func(a, b Outcome) bool { return a.Is(&b) }
	return o.Text == other.Text && o.Refusal == other.Refusal && o.Finish == other.Finish &&
		slices.Equal(o.Calls, other.Calls) && slices.EqualFunc(o.Choices, other.Choices, same)
}

// MustFail reports whether all careful clients report an error.
func (o *Outcomes) MustFail() bool {
	return !slices.ContainsFunc(o.Careful, func(o Outcome) bool { return o.Error == "" })
}

// ExpectedError is what the expectations of the scenario say of errors: AnError if each does, and
// AnyError if some allow one.
func (s *Scenario) ExpectedError() ExpectedError {
	must, may := len(s.Expect) > 0, false
	for _, e := range s.Expect {
		must = must && e.Error == AnError
		may = may || e.Error != NoError
	}
	switch {
	case must:
		return AnError
	case may:
		return AnyError
	}
	return NoError
}

// Misfit names the first difference of an outcome from the expected one; "" if there is none.
func (e *Expectation) Misfit(o *Outcome) string {
	switch {
	case o.Error != "" && e.Error != NoError:
		return ""
	case o.Error != "":
		return "it ends in an error: " + o.Error
	case e.Error == AnError:
		return "it does not end in an error"
	case e.Text != nil && !e.Text.is(o.Text):
		return fmt.Sprintf("the text is %s, not %s", diag.Quote(o.Text), e.Text.shown())
	case e.Refusal != nil && !e.Refusal.is(o.Refusal):
		return fmt.Sprintf("the refusal is %s, not %s", diag.Quote(o.Refusal), e.Refusal.shown())
	case e.Finish != "" && e.Finish != o.Finish:
		return fmt.Sprintf("the finish is %s, not %s", diag.Quote(o.Finish), diag.Quote(e.Finish))
	}
	for _, m := range e.counts() {
		if got := o.Usage.Get(m.Name); !ojson.Same(got, m.Value) {
			return fmt.Sprintf("%s is %s, not %s", m.Name, got.Or(ojson.Raw("missing")), m.Value)
		}
	}
	return e.misfitCalls(o.Calls)
}

func (e *Expectation) counts() []ojson.Member {
	if e.Usage == nil {
		return nil
	}
	return e.Usage.Object.Members()
}

func (e *Expectation) misfitCalls(got []OutcomeCall) string {
	if e.Calls == nil {
		return ""
	}
	if len(got) != len(*e.Calls) {
		return fmt.Sprintf("the number of calls is %d, not %d", len(got), len(*e.Calls))
	}
	for i, want := range *e.Calls {
		call := got[i]
		switch {
		case want.ID != "" && want.ID != call.ID:
			return fmt.Sprintf("the id of call %d is %s, not %s", i, diag.Quote(call.ID), diag.Quote(want.ID))
		case want.Name != call.Name:
			return fmt.Sprintf("the name of call %d is %s, not %s", i, diag.Quote(call.Name), diag.Quote(want.Name))
		case !want.takes(call.Arguments):
			return fmt.Sprintf("the arguments of call %d are %s, not %s", i, diag.Quote(call.Arguments), want.Arguments)
		}
	}
	return ""
}

func (c ExpectedCall) takes(arguments string) bool {
	switch c.Arguments.Kind() {
	case ojson.Absent:
		return true
	case ojson.StringKind:
		return arguments == c.Arguments.Text()
	}
	got, err := ojson.Parse([]byte(arguments))
	return err == nil && ojson.Same(got, c.Arguments)
}

func (t *Text) is(s string) bool {
	if t.Repeat == "" {
		return s == t.Source
	}
	if int64(len(s)) != t.Bytes {
		return false
	}
	for len(s) >= len(t.Repeat) && s[:len(t.Repeat)] == t.Repeat {
		s = s[len(t.Repeat):]
	}
	return strings.HasPrefix(t.Repeat, s)
}

func (t *Text) shown() string {
	if t.Repeat != "" {
		return fmt.Sprintf("%s, repeated for %d bytes", diag.Quote(t.Repeat), t.Bytes)
	}
	return diag.Quote(t.Source)
}
