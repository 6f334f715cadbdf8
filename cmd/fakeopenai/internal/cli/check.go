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

func (a *app) checkCommand() *cobra.Command {
	var format string
	var rules, quiet bool
	cmd := &cobra.Command{
		Use:   "check [paths...]",
		Short: "Check scenarios and report all problems",
		Long: `Check scenario files, directories and globs, and report all problems at once. The
path - is standard input.
` + sourcesHelp + `
Exit code 1 says that there are problems. stderr has a line for each scenario: the
requests that it answers, the APIs, its events, time and ending. The last line says which
scenario answers a plain request of each API. --quiet leaves these lines out.

The github format prints workflow commands that mark the lines in a pull request,
the junit format a test for each file.`,
		Example: `  fakeopenai check scenarios/
  fakeopenai check --format json - < greet.yaml
  fakeopenai check --rules`,
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case rules && len(args) > 0:
				return console.Misuse("--rules prints the rules and checks no files; run check without it to check %s", strings.Join(args, " "))
			case rules && format != "text" && format != "json":
				return console.Misuse("--rules has the formats text and json; %s is for problems", format)
			case rules:
				return printRules(a.stdout, format)
			}
			from, err := a.sources(args, a.stdin)
			if err != nil {
				return err
			}
			if from.Bundled() {
				return console.Misuse("check needs files, as in: fakeopenai check scenarios/")
			}
			return a.check(from, format, quiet)
		},
	}
	console.DefineFormat(cmd.Flags(), &format, "report", checkFormats...)
	console.Switch(cmd.Flags(), &quiet, "quiet", "leave out the lines on stderr about each scenario")
	console.Switch(cmd.Flags(), &rules, "rules", "print the rules of the protocol that streams are checked against")
	return cmd
}

func (a *app) check(from sources, format string, quiet bool) error {
	list, err := from.Read()
	if err != nil {
		return err
	}
	set, problems := server.CheckFiles(list...)
	found := findings{Files: list, Problems: problems}
	if set != nil {
		found.Scenarios, found.Notes = len(set.Scenarios()), notesOf(set)
	}
	if format == "text" {
		fmt.Fprint(a.stderr, found.notes())
	}
	if format == "text" && set != nil && !quiet {
		fmt.Fprint(a.stderr, goesOut(set))
	}
	if err := found.Print(a.stdout, format); err != nil {
		return err
	}
	if len(problems) > 0 {
		return console.ExitWith(console.ExitProblems)
	}
	return nil
}

func notesOf(set *scenarios.Set) (list diag.List) {
	for _, s := range set.Scenarios() {
		list = append(list, server.Notes(s)...)
	}
	return list
}

func printRules(w io.Writer, format string) error {
	if format == "json" {
		return console.JSON(w, server.Rules())
	}
	var text strings.Builder
	for _, rule := range server.Rules() {
		fmt.Fprintf(&text, "%s\n    %s\n", rule.Name, indent(rule.Doc))
	}
	_, err := io.WriteString(w, text.String())
	return err
}
