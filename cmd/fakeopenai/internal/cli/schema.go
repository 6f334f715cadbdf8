package cli

import (
	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors",
		Long: `Print the JSON Schema (draft-07) of scenario files, for editors.

Save it beside your scenarios and name it in their first line:

  # yaml-language-server: $schema=./scenario.schema.json`,
		Example: "  fakeopenai schema > scenario.schema.json",
		Args:    cobra.NoArgs,
		RunE: markFailures(func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(yamlfile.Schema())
			return err
		}),
	}
}
