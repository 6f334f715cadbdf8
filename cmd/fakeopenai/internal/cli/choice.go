package cli

import (
	"io"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// choice is the scenario that a command is pointed at: a bundled one, or the
// first of a file, or one of a file by name.
type choice struct {
	sources  sources
	scenario string // "" is the first of the sources
}

// choose tells the arguments apart: a file and a name, or one of them. There are
// one or two of them.
func choose(args []string, stdin io.Reader) (choice, error) {
	var c choice
	switch {
	case looksLikePath(args[0]):
		c.sources = sources{paths: args[:1], stdin: stdin}
		args = args[1:]
	case len(args) == 2:
		return choice{}, misuse("%q is no file; write: fakeopenai play FILE NAME, or only the name of a bundled scenario", args[0])
	}
	if len(args) == 1 {
		c.scenario = args[0]
	}
	return c, nil
}

// isStdin reports whether the scenario is read from standard input.
func (c choice) isStdin() bool { return len(c.sources.paths) == 1 && c.sources.paths[0] == "-" }

// pick is the name of the scenario to play.
func pick(set *scenarios.Set, name string) (string, error) {
	if name == "" {
		return set.Scenarios()[0].Name, nil // a set that was loaded is never empty
	}
	if set.Lookup(name) == nil {
		return "", problem(unknownScenario(name, set))
	}
	return name, nil
}
