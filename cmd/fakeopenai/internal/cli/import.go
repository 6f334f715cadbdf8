package cli

import (
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"regexp"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/importing"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

type importOptions struct {
	out    string
	match  string
	redact []*regexp.Regexp // redact matches further secrets.
}

func (a *app) importCommand() *cobra.Command {
	var o importOptions
	cmd := &cobra.Command{
		Use:   "import file... --out DIR",
		Short: "Convert what other tools recorded into scenarios",
		Long: `Read recordings of other tools, and write each answer as a scenario file, as
record does. The content of a file decides its format:

  server-sent events, as curl -N prints them, with the header of -i or without
  the chunks of a stream as JSON lines, and whole answers in JSON
  HAR 1.2
  cassettes of go-vcr (v2 to v4), VCR.py, Ruby's VCR and betamax
  fixtures of aimock

The path - is standard input. If a file has requests, the scenarios answer the same
requests; otherwise a request asks for a scenario by the name of its file.

import reports each part that it cannot read with its place, imports the rest, and ends
with exit code 1. It names and skips requests that a server answers by itself, such as
those for a kept response. Like record, it replaces secrets before it writes anything.`,
		Example: `  fakeopenai import cassettes/*.yaml --out scenarios/
  curl -isN https://api.openai.com/v1/… | fakeopenai import - --out scenarios/`,
		RunE: func(_ *cobra.Command, args []string) error {
			return a.importFiles(args, o)
		},
	}
	flags := cmd.Flags()
	console.Define(flags, &o.out, "out", "", "write the scenario files to this `directory`", console.Text)
	defineMatch(cmd, &o.match)
	defineRedact(flags, &o.redact)
	return cmd
}

// importFiles imports files. A file in no known format does not keep the others from
// being imported.
func (a *app) importFiles(names []string, o importOptions) error {
	if len(names) == 0 || o.out == "" {
		return console.Misuse("import needs a file and --out, as in: fakeopenai import cassette.yaml --out scenarios/")
	}
	im := &importing.Importer{Collection: recording.Collection{Matching: recording.Matching(o.match)}}
	im.Redactor.Patterns = o.redact
	imported, skipped, unread := 0, 0, 0
	for _, name := range names {
		data, err := a.readImport(name)
		if err != nil {
			return err
		}
		if name == "-" {
			name = "stdin"
		}
		found := im.Add(name, data)
		a.tellImport(im, name, &found)
		imported, skipped, unread = imported+found.Imported, skipped+len(found.Skipped), unread+len(found.Unread)
	}
	written, lost, err := a.writeImport(im, o.out)
	if err != nil {
		return err
	}
	imported, unread = imported-lost, unread+lost
	fmt.Fprintf(a.stderr, "fakeopenai: imported into %s: answers %d, files %d, skipped %d, not read %d\n",
		o.out, imported, written, skipped, unread)
	if unread > 0 {
		return console.ExitWith(console.ExitProblems)
	}
	return nil
}

// maxImport is the largest size of one file in bytes.
const maxImport = 256 << 20

func (a *app) readImport(name string) ([]byte, error) {
	in := a.stdin
	if name != "-" {
		f, err := os.Open(name) //nolint:gosec // the user names it
		if err != nil {
			return nil, err
		}
		defer f.Close()
		if info, err := f.Stat(); err == nil && info.IsDir() {
			return nil, fmt.Errorf("%s is a directory; name the files in it, as in: fakeopenai import %s --out scenarios/", name, filepath.Join(name, "*"))
		}
		in = f
	}
	data, err := io.ReadAll(io.LimitReader(in, maxImport+1))
	if err == nil && len(data) > maxImport {
		err = errors.New("it is larger than 256 MiB, which is the limit; split it")
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return data, nil
}

// tellImport prints the remarks about one file: decisions, skipped requests, unreadable
// parts.
func (a *app) tellImport(im *importing.Importer, name string, found *importing.Result) {
	say := func(what string, remarks []importing.Remark) {
		for _, r := range remarks {
			fmt.Fprintf(a.stderr, "fakeopenai: %s: %s%s\n", diag.OneLine(name), what, im.Redactor.Line(r.String()))
		}
	}
	say("", found.Notes)
	say("skipped: ", found.Skipped)
	say("not read: ", found.Unread)
}

// writeImport writes the scenario files, each atomically, and prints the notes and the
// summary of secrets. It returns the number of files, and of answers that could not be written.
func (a *app) writeImport(im *importing.Importer, dir string) (files, lost int, err error) {
	list, notes := im.Files()
	if len(list) > 0 {
		if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // scenarios are for all to read
			return 0, 0, fmt.Errorf("create --out: %w", err)
		}
	}
	for _, f := range list {
		if _, err := writeAtomically("--out", filepath.Join(dir, f.Name), f.Data); err != nil {
			return 0, 0, err
		}
	}
	for _, n := range notes {
		lost += n.Lost
		fmt.Fprintf(a.stderr, "fakeopenai: %s: %s\n", n.Scenario, im.Redactor.Line(n.Reason))
	}
	tellRedacted(log.New(a.stderr, "fakeopenai: ", 0), &im.Redactor)
	return len(list), lost, nil
}
