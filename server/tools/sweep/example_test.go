package sweep_test

import (
	"context"
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/server/tools/sweep"
)

// The sweep finds a client that does not accept CR LF as the end of a line.
func Example() {
	stream := []scenarios.Step{step.Role("assistant"), step.Content("Hi!"), step.Finish("stop")}
	set, err := scenarios.NewSet(&scenarios.Scenario{Name: "greet", Replies: []scenarios.Reply{{Stream: &stream}}})
	if err != nil {
		fmt.Println(err)
		return
	}
	// run takes the place of a server that plays the set to a client.
	run := func(set *scenarios.Set) (complained bool, answers []sweep.Answer) {
		sel, _ := set.Match(context.Background(), &scenarios.Request{}, nil, "", 1)
		return sel.Manner.Wire.Newline == "crlf", []sweep.Answer{{Scenario: sel.Scenario.Name, Status: 200}}
	}

	cases, err := sweep.Cases(nil, []string{"split-crlf", "crlf-bytes"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range cases {
		changed, err := c.Set(set, 0)
		if err != nil {
			fmt.Println(err)
			return
		}
		complained, answers := run(changed)
		if verdict := c.Judge(set, complained, answers); verdict.Bad() {
			fmt.Printf("%s: %s\n%s\n", c.Name, verdict, c.Reproduction(nil, set, answers))
		}
	}
	// Output:
	// crlf: failed
	// {name: greet-crlf, wire: {newline: crlf}, stream: [{role: assistant}, {content: "Hi!"}, {finish: stop}]}
}
