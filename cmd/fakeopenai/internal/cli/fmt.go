package cli

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

func (a *app) fmtCommand() *cobra.Command {
	var check bool // check lists the files that would change, and writes none.
	cmd := &cobra.Command{
		Use:   "fmt [paths...]",
		Short: "Format scenario files",
		Long: `Format scenario files: the keys in the order of the reference, two spaces of
indentation, double quotes. Comments and blank lines stay. Words of former versions
become those of today that say the same. Before fmt writes a file, it checks that the
file still means the same. stdout names each file that changed.

Paths are files, directories and globs; - reads standard input and writes standard
output. ` + sourcesHelp + `

fmt does not change a file with problems, reports the problems like check, and ends
with exit code 1. With --check the exit code is also 1 if a file would change.`,
		Example: `  fakeopenai fmt scenarios/
  fakeopenai fmt --check scenarios/
  fakeopenai fmt - < greet.yaml`,
		RunE: func(_ *cobra.Command, args []string) error {
			from, err := a.sources(args, a.stdin)
			switch {
			case err != nil:
				return err
			case from.Bundled():
				return console.Misuse("fmt needs files, as in: fakeopenai fmt scenarios/")
			}
			return a.fmt(from, check)
		},
	}
	console.Switch(cmd.Flags(), &check, "check", "list the files that would change, and write none")
	return cmd
}

// fmt lays out files. A broken file does not keep the others from being laid out.
func (a *app) fmt(from sources, check bool) error {
	list, err := from.Read()
	if err != nil {
		return err
	}
	broken := &findings{Files: list}
	var failures []error
	changed := false
	for _, f := range list {
		text, err := yamlfile.Tidy(f.Name, f.Data)
		problems, isList := errors.AsType[diag.List](err)
		broken.Problems = append(broken.Problems, problems...)
		if err == nil {
			changed = changed || !bytes.Equal(text, f.Data)
			err = a.writeTidied(f, text, from.stdin != nil && f.Name == stdinName, check)
		}
		if err != nil && !isList {
			failures = append(failures, err)
		}
	}
	if len(broken.Problems) > 0 {
		failures = append(failures, console.Problem(broken))
	}
	if changed && check && failures == nil {
		return console.ExitWith(console.ExitProblems)
	}
	return errors.Join(failures...)
}

// writeTidied writes the new text of a file or, with --check, prints the file's name.
func (a *app) writeTidied(f yamlfile.Source, text []byte, isStdin, check bool) error {
	if isStdin && !check {
		_, err := a.stdout.Write(text)
		return err
	}
	if bytes.Equal(text, f.Data) {
		return nil
	}
	if !check {
		if _, err := writeAtomically(f.Name, f.Name, text); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(a.stdout, diag.OneLine(f.Name))
	return err
}
