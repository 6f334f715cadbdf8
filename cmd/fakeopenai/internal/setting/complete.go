package setting

import "github.com/spf13/cobra"

// CompleteWords makes shells complete a flag's value from the words.
func CompleteWords(cmd *cobra.Command, flag string, words ...string) {
	// The only error is an undefined flag, which the tests would show.
	_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp))
}
