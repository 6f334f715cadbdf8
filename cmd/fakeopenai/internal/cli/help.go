package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/setting"
)

// exitCodesHelp is printed at the end of the program's help.
const exitCodesHelp = `Exit codes:
  0  done, and nothing was wrong
  1  problems were found: in scenarios, an unmatched request (--fail-unmatched),
     a scenario never played (--fail-unused), a server that is not ready, a run
     of a sweep that did not end as it should, recordings that differ, a file
     that fmt would change;
     exec otherwise passes on its command's own code
  2  wrong usage: an unknown command, flag or value
  3  could not run: a file that cannot be read, a port in use
`

// environmentHelp stands above the table of variables.
const environmentHelp = `Environment:
  Every flag has a variable. A flag on the command line wins over its variable,
  an empty variable counts as not set, and one with a bad value is an error.
  ` + setting.ScenariosVariable + ` says the paths where the arguments say none.

`

// nameVariables adds to the help of a command the variable of each flag.
func nameVariables(cmd *cobra.Command) *cobra.Command {
	cmd.Flags().SortFlags = false // they are defined in an order of their own
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if setting.HasVariable(flag) {
			flag.Usage += " [$" + setting.Variable(flag.Name) + "]"
		}
	})
	return cmd
}

// completeHelp adds to the help of the program all variables and the exit codes.
func completeHelp(root *cobra.Command) {
	commandsOf := map[string][]string{}
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if setting.HasVariable(flag) {
				name := setting.Variable(flag.Name)
				commandsOf[name] = append(commandsOf[name], cmd.Name())
			}
		})
	}
	commandsOf[setting.ScenariosVariable] = sourcesCommands
	// Subcommands take their help from the root's template.
	root.SetUsageTemplate(root.UsageTemplate() + "{{ if not .HasParent }}\n" + environmentHelp + variableTable(commandsOf) + "\n" + exitCodesHelp + "{{ end }}")
}

// variableTable lists variables and the commands that read them.
func variableTable(commandsOf map[string][]string) string {
	var text strings.Builder
	for _, name := range slices.Sorted(maps.Keys(commandsOf)) {
		fmt.Fprintf(&text, "  %-26s %s\n", name, strings.Join(commandsOf[name], ", "))
	}
	return text.String()
}
