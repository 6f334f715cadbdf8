package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// sourcesHelp is the line about the variable in the help of the commands that get their sources from [app.sources].
const sourcesHelp = `Without paths it takes those of ` + console.ScenariosVariable + `, separated as in PATH.`

// sources returns the scenario files that the paths name or, without paths, those of the
// environment variable, or else the bundled fixtures. The path - means stdin; if stdin
// is nil, it is refused.
func (a *app) sources(paths []string, stdin io.Reader) (sources, error) {
	variable := a.env[console.ScenariosVariable]
	if len(paths) > 0 || variable == "" {
		return sources{paths: paths, stdin: stdin}, nil
	}
	list := slices.DeleteFunc(filepath.SplitList(variable), func(path string) bool { return path == "" })
	if len(list) == 0 {
		return sources{}, console.Misuse("invalid value %q for environment variable %s: write files, directories or globs, separated by %q",
			variable, console.ScenariosVariable, string(filepath.ListSeparator))
	}
	return sources{paths: list, origin: console.ScenariosVariable, stdin: stdin}, nil
}

// needsPaths refuses the named flags on the command line if there are no paths: they
// have no effect on the bundled fixtures, which never change.
func needsPaths(cmd *cobra.Command, from sources, names ...string) error {
	if given := console.Given(cmd.Flags(), names...); given != nil && from.Bundled() {
		example := fmt.Sprintf("fakeopenai %s %s scenarios/", cmd.Name(), given[0])
		if cmd.Name() == "exec" {
			example += " -- npm test"
		}
		return console.Misuse("%s is for scenario files; name them, as in: %s", given[0], example)
	}
	return nil
}

// defineAllowEmpty adds --allow-empty, for commands that can load scenarios later.
func defineAllowEmpty(flags *pflag.FlagSet, target *bool) {
	console.Switch(flags, target, "allow-empty", "start even if directories and globs have no scenario file yet")
}
