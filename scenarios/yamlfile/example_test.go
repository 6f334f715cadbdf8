package yamlfile_test

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

// Mistakes are reported with their position and, if it can be guessed, with the word that was
// meant.
func ExampleParse() {
	_, problems := yamlfile.Parse("greeting.yaml", []byte("name: greeting\nstream:\n  - contnet: Hello\n"))
	fmt.Println(problems)
	// Output: greeting.yaml:3:5: unknown key "contnet" in step (did you mean "content"?)
}

func ExampleFormat() {
	text, err := yamlfile.Format(&scenarios.Scenario{
		Name:    "greeting",
		Replies: []scenarios.Reply{{Message: &scenarios.Message{Content: scenarios.Some(scenarios.Text{Source: "Hello"})}}},
		Manner:  scenarios.Manner{Wire: scenarios.Wire{Newline: "crlf"}},
	})
	fmt.Printf("%s%v\n", text, err)
	// Output:
	// name: greeting
	// wire:
	//   newline: crlf
	// message: "Hello"
	// <nil>
}
