package files

import (
	"io"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Choice is the one scenario that the arguments of a command name: a bundled one, the
// first of a file, or one of a file by its name.
type Choice struct {
	Sources  Sources
	Scenario string // Scenario is the scenario's name; "" is the first of the sources.
}

// Choose reads one or two arguments: a file, a name, or a file and a name. A name alone
// is looked up in usual.
func Choose(args []string, stdin io.Reader, usual Sources) (Choice, error) {
	c := Choice{Sources: usual}
	switch {
	case LooksLikePath(args[0]):
		c.Sources = Sources{Paths: args[:1], Stdin: stdin}
		args = args[1:]
	case len(args) == 2:
		return Choice{}, console.Misuse("%q is no file; write: fakeopenai play FILE NAME, or only the name of a bundled scenario", args[0])
	}
	if len(args) == 1 {
		c.Scenario = args[0]
	}
	return c, nil
}

// IsStdin reports whether the scenario is read from standard input.
func (c Choice) IsStdin() bool { return len(c.Sources.Paths) == 1 && c.Sources.Paths[0] == "-" }

// Pick returns the name of the scenario to play: the given one, or that of the first.
func Pick(set *scenarios.Set, name string) (string, error) {
	if name == "" {
		return set.Scenarios()[0].Name, nil // a loaded set is never empty
	}
	if set.Lookup(name) == nil {
		return "", console.Problem(UnknownScenario(name, set))
	}
	return name, nil
}
