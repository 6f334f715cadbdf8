package scenarios_test

import (
	"context"
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/step"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// The scenarios of a set can come from a file and from Go. Match returns the reply for a request.
func Example() {
	list, problems := yamlfile.Parse("weather.yaml", []byte(`
name: weather
when: { user: { matches: 'weather in (?P<city>\w+)' } }
message: It is 18 °C in {{ .match.city }}.
`))
	if err := problems.Err(); err != nil {
		fmt.Println(err)
		return
	}
	stream := []scenarios.Step{step.Role("assistant"), step.Content("Hm?"), step.Finish("stop")}
	list = append(list, &scenarios.Scenario{Name: "anything", Replies: []scenarios.Reply{{Stream: &stream}}})
	set, err := scenarios.NewSet(list...)
	if err != nil {
		fmt.Println(err)
		return
	}

	for _, text := range []string{"What is the weather in Oslo?", "Hello"} {
		req := &scenarios.Request{Messages: []scenarios.RequestMessage{{Role: "user", Text: text}}}
		sel, miss := set.Match(context.Background(), req, nil, "", 1)
		if miss != nil {
			fmt.Println(miss.Reason)
			return
		}
		fmt.Println(sel.Scenario.Name, sel.Match)
	}
	// Output:
	// weather map[city:Oslo]
	// anything map[]
}

// Names, conditions and replies are checked together, and all problems are
// reported at once.
func ExampleNewSet() {
	_, err := scenarios.NewSet(
		&scenarios.Scenario{Name: "two words", Extends: "plain"},
		&scenarios.Scenario{Name: "empty"},
		&scenarios.Scenario{Name: "other", Extends: "emty"},
	)
	fmt.Println(err)
	// Output:
	// "two words" cannot be the name of a scenario (use letters, digits, dots, dashes and underscores)
	// extends "emty", but there is no scenario of that name (did you mean "empty"?)
	// scenario "empty" has no replies
}
