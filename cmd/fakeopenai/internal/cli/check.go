package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
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

// findings are scenario files, and the problems found in them. They are an error if there
// are any.
type findings struct {
	Files     []yamlfile.Source
	Scenarios int // Scenarios is the number of scenarios; 0 if there are problems.
	Problems  diag.List
	Notes     diag.List // Notes are remarks on correct scenarios that may surprise their author.
}

var checkFormats = []string{"text", "json", "github", "junit"}

// Print writes the result in one of the [checkFormats].
func (f *findings) Print(w io.Writer, format string) error {
	text := ""
	if format == "github" {
		text = f.github()
	} else if len(f.Problems) > 0 {
		text = strings.TrimRight(f.render(f.Problems), "\n") + "\n\n"
	}
	report := console.Report{Name: "fakeopenai check", Cases: f.cases()}
	return report.Print(w, format, struct {
		Files     int       `json:"files"`
		Scenarios int       `json:"scenarios"`
		Problems  diag.List `json:"problems"`
		Notes     diag.List `json:"notes,omitempty"`
	}{len(f.Files), f.Scenarios, append(diag.List{}, f.Problems...), f.Notes}, text+f.summary()+"\n")
}

// cases are the files. One with problems is a case that fails.
func (f *findings) cases() (list []console.Case) {
	for _, file := range f.Files {
		var lines []string
		for _, d := range f.Problems {
			if d.File == file.Name {
				lines = append(lines, d.String())
			}
		}
		c := console.Case{Name: file.Name}
		if lines != nil {
			c.Verdict, c.Detail, c.Output = "problem", console.Count(len(lines), "problem"), strings.Join(lines, "\n")
		}
		list = append(list, c)
	}
	return list
}

// The characters that GitHub's workflow commands need escaped: in the message,
// and also in the properties before it.
var (
	githubMessage  = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

// github returns workflow commands that mark the lines in a pull request.
func (f *findings) github() string {
	var text strings.Builder
	mark := func(command string, list diag.List) {
		for _, d := range list {
			message := d.Message
			if d.Hint != "" {
				message += " (" + d.Hint + ")"
			}
			fmt.Fprintf(&text, "::%s file=%s,line=%d,col=%d,title=%s::%s\n", command,
				githubProperty.Replace(diag.Printable(filepath.ToSlash(d.File))), d.Line, d.Col, githubProperty.Replace(cmp.Or(d.Rule, "scenario")), githubMessage.Replace(diag.Printable(message)))
		}
	}
	mark("error", f.Problems)
	mark("notice", f.Notes)
	return text.String()
}

// Error counts the problems and shows each with its line of source.
func (f *findings) Error() string { return f.summary() + "\n" + f.render(f.Problems) }

// render shows each problem with its line of source.
func (f *findings) render(list diag.List) string {
	return list.Render(func(name string) []byte {
		for _, file := range f.Files {
			if file.Name == name {
				return file.Data
			}
		}
		return nil
	})
}

func (f *findings) notes() string {
	list := slices.Clone(f.Notes)
	for i := range list {
		list[i].Message = "note: " + list[i].Message
	}
	return f.render(list)
}

func (f *findings) summary() string {
	files := console.Count(len(f.Files), "file")
	if len(f.Problems) == 0 {
		return console.Count(f.Scenarios, "scenario") + " in " + files
	}
	return console.Count(len(f.Problems), "problem") + " in " + files
}

// goesOut says in one line for each scenario of a set what it sends, and in a last line who answers a plain request of each API.
func goesOut(set *scenarios.Set) string {
	var text strings.Builder
	said, plain := server.Sends(set)
	for _, s := range set.Scenarios() {
		if said[s.Name] != "" {
			text.WriteString(s.Name + ": " + said[s.Name] + "\n")
		}
	}
	return text.String() + "who answers a plain request: " + plain + "\n"
}
