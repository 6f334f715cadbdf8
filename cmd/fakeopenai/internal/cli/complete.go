package cli

import (
	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/files"
)

// completeScenarios completes the names of bundled scenarios, and file names.
func completeScenarios(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	lib := &files.Library{}
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
