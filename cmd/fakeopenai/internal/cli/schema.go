package cli

import (
	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

func (a *app) schemaCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "schema",
		Short: "Print the JSON Schema of scenario files, for editors",
		Long: `Print the JSON Schema (draft-07) of scenario files, for editors.

Save it beside your scenarios and name it at the beginning of each document, that is
in the first line of a file and again after each ---:

  # yaml-language-server: $schema=./scenario.schema.json

Or map it to all files at once: fakeopenai init writes such settings for VS Code.`,
		Example: "  fakeopenai schema > scenario.schema.json",
		Args:    noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := a.stdout.Write(editorSchema())
			return err
		},
	}
}

// editorSchema returns the JSON Schema of scenario files, including the names of rules
// for quirks.
func editorSchema() []byte {
	var rules []yamlfile.Rule
	for _, r := range server.Rules() {
		rules = append(rules, yamlfile.Rule{Name: r.Name, Doc: r.Doc})
	}
	return yamlfile.Schema(rules...)
}
