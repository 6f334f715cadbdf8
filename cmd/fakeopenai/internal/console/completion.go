package console

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// offered is the annotation of flags with the words that shells complete.
const offered = "fakeopenai_words"

// Offer makes shells complete a flag's value from the words. A tab separates a word from
// its description.
func Offer(flags *pflag.FlagSet, flag string, words ...string) {
	_ = flags.SetAnnotation(flag, offered, words) // fails only for a flag that is not there
}

// Complete registers the words of [Offer] for all flags of a command.
func Complete(cmd *cobra.Command) {
	cmd.Flags().VisitAll(func(flag *pflag.Flag) {
		words := flag.Annotations[offered]
		if words == nil {
			return
		}
		complete := func(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			if flag.Value.Type() != listKind {
				return words, cobra.ShellCompDirectiveNoFileComp
			}
			return afterComma(typed, words), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		}
		_ = cmd.RegisterFlagCompletionFunc(flag.Name, complete) // fails only for a flag that is not there, or has one
	})
}

// afterComma returns the words, each after the items of a list that are typed already.
func afterComma(typed string, words []string) []string {
	items := typed[:strings.LastIndex(typed, ",")+1]
	completed := make([]string, len(words))
	for i, word := range words {
		completed[i] = items + word
	}
	return completed
}
