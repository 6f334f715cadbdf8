package cli

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server"
)

func (a *app) explainCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "explain [RULE]",
		Short: "Explain a rule of the protocol",
		Long: `Explain a rule of the protocol that streams are checked against, and print
a scenario that breaks it. Without a name all rules are listed.`,
		Example:           "  fakeopenai explain\n  fakeopenai explain missing-finish",
		Args:              arguments(0, 1, "explain takes one rule, not %d arguments"),
		ValidArgsFunction: completeRules,
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return printRules(a.stdout, "text")
			}
			return explain(a.stdout, args[0])
		},
	}
}

// explain prints the meaning of the named rule, what clients do with streams that break
// it, and an example that breaks it.
func explain(w io.Writer, name string) error {
	rules := server.Rules()
	i := slices.IndexFunc(rules, func(r server.Rule) bool { return r.Name == name })
	if i < 0 {
		return unknownRule(name, rules)
	}
	rule := rules[i]
	doc := rule.Doc
	if rule.Clients != "" {
		doc += "\n" + rule.Clients
	}
	_, err := fmt.Fprintf(w, `%s
    %s

This scenario breaks it. One that means to says so with quirks: [%s]

%s`, rule.Name, indent(doc), rule.Name, rule.Example)
	return err
}

func unknownRule(name string, rules []server.Rule) error {
	var names []string
	for _, r := range rules {
		names = append(names, r.Name)
	}
	if hint := diag.DidYouMean(name, names); hint != "" {
		return console.Misuse("there is no rule %q; %s", name, hint)
	}
	return console.Misuse("there is no rule %q; fakeopenai explain lists them", name)
}

func indent(doc string) string {
	return strings.ReplaceAll(strings.TrimSpace(doc), "\n", "\n    ")
}

func completeRules(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, r := range server.Rules() {
		names = append(names, r.Name+"\t"+cell(r.Doc))
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
