package files

import (
	"io"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/exit"
	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Choice is the scenario that a command is pointed at: a bundled one, or the
// first of a file, or one of a file by name.
type Choice struct {
	Sources  Sources
	Scenario string // Scenario is the scenario's name; "" is the first of the sources.
}

// Choose tells the arguments apart: a file and a name, or one of them. There are
// one or two of them. A name alone is that of a scenario of usual.
func Choose(args []string, stdin io.Reader, usual Sources) (Choice, error) {
	c := Choice{Sources: usual}
	switch {
	case LooksLikePath(args[0]):
		c.Sources = Sources{Paths: args[:1], Stdin: stdin}
		args = args[1:]
	case len(args) == 2:
		return Choice{}, exit.Misuse("%q is no file; write: fakeopenai play FILE NAME, or only the name of a bundled scenario", args[0])
	}
	if len(args) == 1 {
		c.Scenario = args[0]
	}
	return c, nil
}

// IsStdin reports whether the scenario is read from standard input.
func (c Choice) IsStdin() bool { return len(c.Sources.Paths) == 1 && c.Sources.Paths[0] == "-" }

// Pick is the name of the scenario to play.
func Pick(set *scenarios.Set, name string) (string, error) {
	if name == "" {
		return set.Scenarios()[0].Name, nil // a set that was loaded is never empty
	}
	if set.Lookup(name) == nil {
		return "", exit.Problem(UnknownScenario(name, set))
	}
	return name, nil
}
