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

const afterCommands = `
Further help:
  fakeopenai COMMAND --help    a command, with its flags
  fakeopenai help environment  the variables that stand for flags
  fakeopenai docs              the language of scenarios
  fakeopenai completion SHELL  completion for bash, zsh, fish or powershell

Exit codes:
  0    done, and nothing was wrong
  1    something was found: a problem in a scenario, an unmatched request, a
       failed case, a difference; exec and record pass on their command's code
  2    wrong usage: an unknown command, flag, value or name
  3    could not run: a file that cannot be read, a port in use
  127  exec and record: there is no such command
`

// printUsage prints the usage of a command, and for the program itself also the further help and the exit codes.
func printUsage(cmd *cobra.Command) error {
	console.PrintUsage(cmd.OutOrStderr(), cmd)
	if !cmd.HasParent() {
		fmt.Fprint(cmd.OutOrStderr(), afterCommands)
	}
	return nil
}

// finish completes a command: errors that it returns have an exit code, and shells complete flags that offer
// words.
func finish(cmd *cobra.Command) *cobra.Command {
	cmd.RunE = markFailures(cmd.RunE)
	cmd.Long = console.Wrapped(cmd.Long)
	cmd.Flags().SortFlags = false // the help shows the flags in the order of their definition
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

func environmentTopic(root *cobra.Command) *cobra.Command {
	commandsOf := map[string][]string{console.ScenariosVariable: {"all that take paths"}}
	for _, cmd := range root.Commands() {
		cmd.Flags().VisitAll(func(flag *pflag.Flag) {
			if console.HasVariable(cmd, flag) {
				name := console.Variable(flag.Name)
				commandsOf[name] = append(commandsOf[name], cmd.Name())
			}
		})
	}
	var table strings.Builder
	for _, name := range slices.Sorted(maps.Keys(commandsOf)) {
		fmt.Fprintf(&table, "  %-26s %s\n", name, strings.Join(commandsOf[name], ", "))
	}
	return &cobra.Command{Use: "environment", Short: "Print the variables that stand for flags", Long: console.Wrapped(environmentHelp + "\n" + table.String())}
}

// environmentHelp is the rule above the table of environment variables.
const environmentHelp = `Every flag of serve, exec, record and healthcheck has a variable: FAKEOPENAI_URL_FILE
is --url-file. A flag on the command line wins over its variable, an empty
variable counts as not set, and one with a bad value is an error.
` + console.ScenariosVariable + ` has the paths where the arguments have none.
`

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
