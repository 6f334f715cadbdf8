package step_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

func Example() {
	stream := []scenarios.Step{
		step.Role("assistant"),
		step.Content("Par", step.Logprobs()),
		step.Hold("mid-answer"),
		step.Content("is.", step.After(20*time.Millisecond), step.With(step.Finish("stop"))),
	}
	text, err := yamlfile.Format(&scenarios.Scenario{Name: "capital", Replies: []scenarios.Reply{{Stream: &stream}}})
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// name: capital
	// stream:
	//   - role: assistant
	//   - content: "Par"
	//     logprobs: true
	//   - hold: "mid-answer"
	//   - content: "is."
	//     finish: stop
	//     after: 20ms
	// <nil>
}

// Each constructor makes the step whose word has the same name.
func TestStepsMeanTheWordsOfTheirNames(t *testing.T) {
	t.Parallel()
	for want, st := range map[string]scenarios.Step{
		`role: assistant`:                      step.Role("assistant"),
		`content: "Hi"`:                        step.Content("Hi"),
		`refusal: "No."`:                       step.Refusal("No."),
		`reasoning: "Hm."`:                     step.Reasoning("Hm."),
		`text: "a b" by: word`:                 step.Text("a b", scenarios.Cut{Unit: "word"}),
		`tool_call: {name: f, arguments: "1"}`: step.ToolCall("", "f", "1"),
		`tool_call: {id: call_1, name: f, arguments: "{}"} pieces: ["{", "}"]`:           step.ToolCall("call_1", "f", "{}", step.Pieces("{", "}")),
		`item: {type: "web_search_call", action: {type: "search", query: "x"}} by: word`: step.Item(`{"type":"web_search_call","action":{"type":"search","query":"x"}}`, func(st *scenarios.Step) { st.Item.By = scenarios.Cut{Unit: "word"} }),
		`custom_tool: {id: call_1, name: f, input: "x"}`:                                 step.CustomTool("call_1", "f", "x"),
		`function_call: {name: f, arguments: "{}"}`:                                      step.FunctionCall("f", "{}"),
		`fragment: {index: 0, name: f, arguments: {a: 1}}`: step.Fragment(scenarios.CallFragment{
			Index: scenarios.Some(0), Name: scenarios.Some(scenarios.Text{Source: "f"}), Arguments: scenarios.Arguments{Value: new(ojson.Object(ojson.M("a", ojson.Int(1))))},
		}),
		`fragment: [{index: null}, {id: ""}]`:                              step.Fragment(scenarios.CallFragment{Index: scenarios.NullOf[int]()}, scenarios.CallFragment{ID: scenarios.Some(scenarios.Text{})}),
		`fake: {words: 3} by: {size: 4}`:                                   step.Fake(scenarios.Fake{Words: 3, By: scenarios.Cut{Size: 4}}),
		`heartbeat: 1`:                                                     step.Heartbeat(),
		`heartbeat: 1 every: 1s jitter: 10ms repeat: 3`:                    step.Heartbeat(step.Repeat(3), step.Every(time.Second), step.Jitter(10*time.Millisecond)),
		`finish: stop choice: 1`:                                           step.Finish("stop", step.Choice(1)),
		`usage: {prompt_tokens: 3, completion_tokens: 2}`:                  step.Usage(3, 2),
		`delta: {x: 1.0} omit: ["finish_reason", "id"] set: {"a.b": null}`: step.Delta(`{"x":1.0}`, step.Omit("finish_reason", "id"), step.Set("a.b", "null")),
		`chunk: [1]`:                           step.Chunk("[1]"),
		`comment: "hi"`:                        step.Comment("hi"),
		`raw: "a\n"`:                           step.Raw("a\n"),
		`event: {data: "x"}`:                   step.Event("", "x"),
		`event: {event: "ping", data: "x"}`:    step.Event("ping", "x"),
		`error: {message: "Gone.", code: "x"}`: step.Error("Gone.", "", "x"),
		`done: false`:                          step.Done(false),
		`jitter: 1ms wait: 1s`:                 step.Wait(time.Second, step.Jitter(time.Millisecond)),
		`content: "a" wire: {id: "7", space: false}`: step.Content("a", step.Wire(scenarios.StepWire{
			ID: scenarios.Some(scenarios.Text{Source: "7"}), Space: new(bool),
		})),
		`content: "a" quirks: [role-repeated]`:                 step.Content("a", step.Quirks("role-repeated")),
		`hold: "mid"`:                                          step.Hold("mid"),
		`content: "a" logprobs: true finish: stop after: 20ms`: step.Content("a", step.With(step.Finish("stop")), step.Logprobs(), step.After(20*time.Millisecond)),
	} {
		stream := []scenarios.Step{st}
		text, err := yamlfile.Format(&scenarios.Scenario{Name: "x", Replies: []scenarios.Reply{{Stream: &stream}}})
		if err != nil {
			t.Errorf("%s: %v", want, err)
			continue
		}
		_, body, _ := strings.Cut(string(text), "  - ")
		if got := strings.Join(strings.Split(strings.TrimSpace(body), "\n    "), " "); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

func TestModifiersDoNotChangeTheStepsTheyAreSharedBy(t *testing.T) {
	t.Parallel()
	omit := step.Omit("id")
	first := step.Content("a", omit, step.Omit("model"))
	second := step.Content("b", omit, step.Omit("object"))
	if got := first.Omit[1].String() + " " + second.Omit[1].String(); got != "model object" {
		t.Errorf("the steps omit %s", got)
	}
}

func TestConstructorsPanicAtMistakes(t *testing.T) {
	t.Parallel()
	for want, build := range map[string]func() scenarios.Step{
		"both steps have Content": func() scenarios.Step { return step.Content("a", step.With(step.Content("b"))) },
		"both steps have After": func() scenarios.Step {
			return step.Content("a", step.After(1), step.With(step.Finish("stop", step.After(2))))
		},
		"Repeat(0): a step is sent at least once": func() scenarios.Step { return step.Content("a", step.Repeat(0)) },
		`"[" is not closed`:                       func() scenarios.Step { return step.Content("a", step.Omit("a[")) },
		"write choices[0].index":                  func() scenarios.Step { return step.Content("a", step.Omit("$.choices.0.index")) },
	} {
		func() {
			defer func() {
				if said := fmt.Sprint(recover()); !strings.Contains(said, want) {
					t.Errorf("the panic says %q, want %q in it", said, want)
				}
			}()
			build()
		}()
	}
}
