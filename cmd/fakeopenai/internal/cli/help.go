package cli

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// exitCodesHelp is printed at the end of the program's help.
const exitCodesHelp = `Exit codes:
  0  done, and nothing was wrong
  1  problems were found: in scenarios, an unmatched request (--fail-unmatched),
     a scenario never played (--fail-unused), a server that is not ready, a run
     of a sweep or a hunt that did not end as it should, recordings that differ,
     a file that fmt would change, an answer that record could not record;
     exec and record otherwise pass on their command's own code
  2  wrong usage: an unknown command, flag or value
  3  could not run: a file that cannot be read, a port in use
`

// environmentHelp is the text above the table of environment variables.
const environmentHelp = `Environment:
  Every flag has a variable. A flag on the command line wins over its variable,
  an empty variable counts as not set, and one with a bad value is an error.
  ` + console.ScenariosVariable + ` says the paths where the arguments say none.

`

// finish completes a command: errors that it returns have an exit code, the usage of each
// flag names its environment variable, and shells complete flags that offer words.
func finish(cmd *cobra.Command) *cobra.Command {
	cmd.RunE = markFailures(cmd.RunE)
	cmd.Flags().SortFlags = false // the help shows the flags in the order of their definition
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		if console.HasVariable(flag) {
			flag.Usage += " [$" + console.Variable(flag.Name) + "]"
		}
	})
	console.Complete(cmd)
	return cmd
}

// refuseUnknownTopics makes "help COMMAND" and "COMMAND --help" fail for an unknown
// command. By default cobra prints the help of the program, with exit code 0.
func (a *app) refuseUnknownTopics(root *cobra.Command) {
	printHelp := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if words := cmd.Flags().Args(); cmd == root && len(words) > 0 {
			a.noHelp = a.withoutCommand(root, words)
			return
		}
		printHelp(cmd, args)
	})
	root.InitDefaultHelpCmd()
	for _, help := range root.Commands() {
		if help.Name() != "help" {
			continue
		}
		run := help.Run
		help.RunE = func(cmd *cobra.Command, args []string) error {
			topic, rest, err := root.Find(args)
			switch {
			case err != nil || topic == root && len(rest) > 0:
				return a.withoutCommand(root, args)
			case len(rest) > 0:
				return console.Misuse("%s has no command %q", topic.Name(), rest[0])
			}
			run(cmd, args)
			return nil
		}
	}
}

// completeHelp adds the table of all variables and the exit codes to the program's help.
func completeHelp(root *cobra.Command) {
	commandsOf := map[string][]string{}
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if console.HasVariable(flag) {
				name := console.Variable(flag.Name)
				commandsOf[name] = append(commandsOf[name], cmd.Name())
			}
		})
	}
	commandsOf[console.ScenariosVariable] = sourcesCommands
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(commandsOf)) {
		fmt.Fprintf(&table, "  %-26s %s\n", name, strings.Join(commandsOf[name], ", "))
	}
	// Subcommands inherit this template; HasParent is false for the root alone.
	root.SetUsageTemplate(root.UsageTemplate() + "{{ if not .HasParent }}\n" + environmentHelp + table.String() + "\n" + exitCodesHelp + "{{ end }}")
}

func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	lib := &library{}
	set, _, err := lib.Load()
	if err != nil {
		return nil, cobra.ShellCompDirectiveDefault
	}
	var names []string
	for _, s := range set.Scenarios() {
		names = append(names, s.Name+"\t"+cell(s.Description))
	}
	return names, cobra.ShellCompDirectiveDefault
}

// refuseUnknownShells makes the completion command fail without a known shell. By
// default cobra prints its help, with exit code 0.
func refuseUnknownShells(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if cmd.Name() != "completion" {
			continue
		}
		cmd.Args = cobra.ArbitraryArgs
		cmd.RunE = func(*cobra.Command, []string) error {
			return console.Misuse("completion needs the name of a shell: bash, zsh, fish or powershell")
		}
	}
}
