package cli

import "github.com/spf13/cobra"

// completeWords lets shells complete a flag's value.
func completeWords(cmd *cobra.Command, flag string, words ...string) {
	// The only error is a flag that is not defined, which the tests would show.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
