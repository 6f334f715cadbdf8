package setting

import "github.com/spf13/cobra"

// CompleteWords lets shells complete a flag's value.
func CompleteWords(cmd *cobra.Command, flag string, words ...string) {
	// The only error is a flag that is not defined, which the tests would show.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
