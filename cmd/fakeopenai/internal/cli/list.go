package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server"
)

func (a *app) listCommand() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "list [paths...]",
		Short: "List scenarios by name",
		Long: `List the scenarios of files, directories and globs by name; without paths those
that are bundled. The json format says on which APIs each one answers.
` + sourcesHelp,
		Example: "  fakeopenai list\n  fakeopenai list --format json scenarios/",
		RunE: func(_ *cobra.Command, args []string) error {
			from, err := a.sources(args, a.stdin)
			if err != nil {
				return err
			}
			lib := &library{sources: from}
			set, _, err := lib.Load()
			if err != nil {
				return err
			}
			if format == "json" {
				return listJSON(a.stdout, set)
			}
			return listText(a.stdout, set.Scenarios())
		},
	}
	console.DefineFormat(cmd.Flags(), &format, "list", "text", "json")
	return cmd
}

func listText(w io.Writer, list []*scenarios.Scenario) error {
	table := console.Table(w)
	for _, s := range list {
		fmt.Fprintf(table, "%s\t%s\n", s.Name, cell(s.Description))
	}
	return table.Flush()
}

// scenarioJSON is a scenario as list --format json prints it.
type scenarioJSON struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Surfaces    []string `json:"surfaces"` // Surfaces are the APIs on which all of its replies can be played.
	File        string   `json:"file"`
	Line        int      `json:"line"`
	Replies     int      `json:"replies"`
}

func listJSON(w io.Writer, set *scenarios.Set) error {
	list, speaks := set.Scenarios(), server.Speaks(set)
	out := make([]scenarioJSON, len(list))
	for i, s := range list {
		out[i] = scenarioJSON{s.Name, s.Description, append([]string{}, s.Tags...), append([]string{}, speaks[s.Name]...), s.Pos.File, s.Pos.Line, len(s.Replies)}
	}
	return console.JSON(w, out)
}

// cell returns the first line of a text for a table: printable, without tabs.
func cell(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return diag.Printable(strings.ReplaceAll(line, "\t", " "))
}
