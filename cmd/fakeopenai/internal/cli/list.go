package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
	"github.com/fakeopenai/fakeopenai/server"
)

func (a *app) listCommand() *cobra.Command {
	var format string
	var faults bool
	cmd := &cobra.Command{
		Use:   "list [paths...]",
		Short: "List scenarios by name",
		Long: `List the scenarios of files, directories and globs by name, or without paths the
bundled scenarios. The json format says which APIs play each scenario. --faults lists the
bundled faults instead, which --fault lays over the answers of a server.
` + sourcesHelp,
		Example: "  fakeopenai list\n  fakeopenai list --format json scenarios/",
		RunE: func(_ *cobra.Command, args []string) error {
			if faults {
				return a.listFaults(args, format)
			}
			from, err := a.sources(args, a.stdin)
			if err != nil {
				return err
			}
			lib := &library{sources: from}
			set, files, err := lib.Load()
			if err != nil {
				return err
			}
			if format == "json" {
				return listJSON(a.stdout, set)
			}
			var sends map[string]string
			if !from.areBundled() {
				found := findings{Files: files, Notes: notesOf(set)}
				fmt.Fprint(a.stderr, found.notes())
				sends, _ = server.Sends(set)
			}
			return listText(a.stdout, set.Scenarios(), sends)
		},
	}
	console.DefineFormat(cmd.Flags(), &format, "list", "text", "json")
	console.Switch(cmd.Flags(), &faults, "faults", "list the bundled faults, by the names that --fault takes")
	return cmd
}

func (a *app) listFaults(args []string, format string) error {
	if len(args) > 0 {
		return console.Misuse("list --faults lists what is bundled; leave the paths out")
	}
	var list []*scenarios.Scenario
	for _, preset := range yamlfile.FaultPresets() {
		docs, _ := yamlfile.ParseFaults(preset.Name, preset.Data) // without problems: they are bundled
		list = append(list, docs...)
	}
	if format != "json" {
		return listText(a.stdout, list, nil)
	}
	out := make([]scenarioJSON, len(list))
	for i, doc := range list {
		out[i] = scenarioJSON{Name: doc.Name, Description: doc.Description, Tags: []string{}, Surfaces: []string{}, Faults: len(doc.Faults)}
	}
	return console.JSON(a.stdout, out)
}

// listText prints names, descriptions and, if there are any, what the scenarios send.
func listText(w io.Writer, list []*scenarios.Scenario, sends map[string]string) error {
	table := console.Table(w)
	for _, s := range list {
		fmt.Fprintf(table, "%s\t%s", s.Name, cell(s.Description))
		if said := sends[s.Name]; said != "" {
			fmt.Fprint(table, "\t", said)
		}
		fmt.Fprintln(table)
	}
	return table.Flush()
}

type scenarioJSON struct {
	Name        string   `json:"name"`
	Description string   `json:"description"`
	Tags        []string `json:"tags"`
	Surfaces    []string `json:"surfaces"`        // Surfaces are the APIs on which all of its replies can be played.
	Sends       string   `json:"sends,omitempty"` // Sends is the sentence of check about what goes out.
	File        string   `json:"file"`
	Line        int      `json:"line"`
	Replies     int      `json:"replies"`
	Faults      int      `json:"faults,omitempty"` // Faults is the number of faults in a document of faults.
}

func listJSON(w io.Writer, set *scenarios.Set) error {
	list, speaks := set.Scenarios(), server.Speaks(set)
	sends, _ := server.Sends(set)
	out := make([]scenarioJSON, len(list))
	for i, s := range list {
		out[i] = scenarioJSON{s.Name, s.Description, append([]string{}, s.Tags...), append([]string{}, speaks[s.Name]...), sends[s.Name], s.Pos.File, s.Pos.Line, len(s.Replies), 0}
	}
	return console.JSON(w, out)
}

// cell returns the first line of a text for a table: printable, without tabs.
func cell(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return diag.Printable(strings.ReplaceAll(line, "\t", " "))
}
