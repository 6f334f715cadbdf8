package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
)

// modeline tells editors the schema of one YAML document.
const modeline = "# yaml-language-server: $schema=./scenario.schema.json\n"

// firstScenarios is the content of first.yaml, which init writes.
const firstScenarios = modeline + `name: greeting
description: Answers whoever says hello, with a pause in the middle.
when: { user: { matches: '(?i)hello' } }
stream:
  - role: assistant
  - content: Hello
  - wait: 300ms
  - content: " there!"
  - finish: stop
---
name: flaky
description: Fails twice, and then works. Ask for it with a question about the weather.
when: { user: { matches: '(?i)weather' } }
replies:
  - times: 2
    error: { status: 429, code: rate_limit_exceeded, retry_after: 1s }
  - message: It is 18 °C in Oslo.
`

func (a *app) initCommand() *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "init [DIR]",
		Short: "Write a first folder of scenarios",
		Long: `Write a folder with first scenarios, by default the folder scenarios, which must be
new or empty.

--schema also writes the JSON Schema with which editors complete and check scenarios, as
fakeopenai docs schema prints it, and .vscode/settings.json beside the folder, which maps
the schema to all files in it. If there are settings already, the command prints the line
to add.`,
		Example: "  fakeopenai init\n  fakeopenai init testdata/scenarios",
		Args:    arguments(0, 1, "init takes one folder, not %d arguments"),
		RunE: func(_ *cobra.Command, args []string) error {
			dir := "scenarios"
			if len(args) == 1 {
				dir = args[0]
			}
			return a.initialize(filepath.Clean(dir), schema)
		},
	}
	console.Switch(cmd.Flags(), &schema, "schema", "write the JSON Schema for editors, too")
	return cmd
}

func (a *app) initialize(dir string, withSchema bool) error {
	if base := filepath.Base(dir); base == "." || base == ".." || base == string(filepath.Separator) {
		return console.Misuse("init writes a folder of its own; name it, as in: fakeopenai init scenarios")
	}
	if there, err := os.ReadDir(dir); len(there) > 0 || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is there already, and init overwrites nothing; name a new folder, as in: fakeopenai init %s-2", dir, dir)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil { //nolint:gosec // scenarios are for all to read
		return err
	}
	first, schema := filepath.Join(dir, "first.yaml"), filepath.Join(dir, "scenario.schema.json")
	if _, err := writeAtomically(first, first, []byte(firstScenarios)); err != nil {
		return err
	}
	if withSchema {
		if _, err := writeAtomically(schema, schema, editorSchema()); err != nil {
			return err
		}
		fmt.Fprintf(a.stdout, "wrote %s and %s\n", first, schema)
		if err := a.writeSettings(dir); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.stdout, "wrote %s; for your editor: fakeopenai docs schema > %s\n", first, schema)
	}
	_, err := fmt.Fprintf(a.stdout, "try: fakeopenai play --timeline %s\n     fakeopenai serve %s\n", first, dir)
	return err
}

// writeSettings maps the schema to the folder in .vscode/settings.json, if the folder is
// below the working directory, in which VS Code is probably opened. Other folders rely
// on the modeline in each document.
func (a *app) writeSettings(dir string) error {
	if !filepath.IsLocal(dir) {
		return nil
	}
	slashed := filepath.ToSlash(dir)
	line := fmt.Sprintf("%q: { %q: %q }", "yaml.schemas", "./"+slashed+"/scenario.schema.json", slashed+"/**/*.yaml")
	name := filepath.Join(".vscode", "settings.json")
	if _, err := os.Lstat(name); !errors.Is(err, fs.ErrNotExist) {
		_, err = fmt.Fprintf(a.stdout, "%s is left as it is; for VS Code add: %s\n", name, line)
		return err
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return err
	}
	if _, err := writeAtomically(name, name, []byte("{\n  "+strings.TrimSpace(line)+"\n}\n")); err != nil {
		return err
	}
	_, err := fmt.Fprintf(a.stdout, "wrote %s, which VS Code reads with the extension redhat.vscode-yaml\n", name)
	return err
}
