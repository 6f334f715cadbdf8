package cli

import (
	"bytes"
	"math"
	"slices"

	"github.com/spf13/cobra"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile"
)

func (a *app) showCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME [paths...]",
		Short: "Print the YAML of a scenario",
		Long: `Print the YAML of a scenario, with its comments, to copy from: of a bundled
scenario, or of a scenario in the given files, directories and globs. A name of
list --faults prints bundled faults. Without paths the command also finds the scenarios
of the bundled folders dialects, endpoints, findings and zoo by name.
` + sourcesHelp,
		Example:           "  fakeopenai show tool-call > tool-call.yaml",
		Args:              arguments(1, math.MaxInt, "show needs the name of a scenario; fakeopenai list prints the bundled names"),
		ValidArgsFunction: completeScenarios,
		RunE: func(_ *cobra.Command, args []string) error {
			from, err := a.sources(args[1:], a.stdin)
			if err != nil {
				return err
			}
			lib := &library{sources: from}
			set, read, err := lib.Load()
			if err != nil {
				return err
			}
			s := set.Lookup(args[0])
			if preset := bundledFaults(args[0]); s == nil && preset != nil && len(args) == 1 {
				_, err = a.stdout.Write(preset)
				return err
			}
			if s == nil && len(args) == 1 {
				s, read = inBundledFolders(args[0])
			}
			if s == nil {
				return console.Misuse("%w", unknownScenario(args[0], set))
			}
			_, err = a.stdout.Write(source(s, read))
			return err
		},
	}
}

// inBundledFolders returns the scenario of a name in the bundled folders, with the files of its folder; nil if there is none.
func inBundledFolders(name string) (*scenarios.Scenario, []yamlfile.Source) {
	for folder, files := range bundledFolders {
		list, _ := yamlfile.ReadSources(files, folder) // It cannot fail: the folder is embedded.
		if !slices.ContainsFunc(list, func(src yamlfile.Source) bool { return bytes.Contains(src.Data, []byte("name: "+name+"\n")) }) {
			continue // to load a folder takes a while
		}
		if set, files, err := (&library{sources: sources{paths: []string{folder}}}).Load(); err == nil && set.Lookup(name) != nil {
			return set.Lookup(name), files
		}
	}
	return nil, nil
}

func bundledFaults(name string) []byte {
	for _, preset := range yamlfile.FaultPresets() {
		if preset.Name == name {
			return preset.Data
		}
	}
	return nil
}

func source(s *scenarios.Scenario, files []yamlfile.Source) []byte {
	for _, f := range files {
		if f.Name == s.Pos.File {
			return document(f.Data, s.Pos.Line)
		}
	}
	return nil
}

// document returns the YAML document around a line (counted from 1), without the
// separators --- and ...
func document(src []byte, line int) []byte {
	lines := bytes.SplitAfter(src, []byte("\n"))
	first, last := min(line-1, len(lines)), min(line, len(lines))
	for first > 0 && !isMarker(lines[first-1]) {
		first--
	}
	for last < len(lines) && !isMarker(lines[last]) {
		last++
	}
	return bytes.Join(lines[first:last], nil)
}

func isMarker(line []byte) bool {
	word := bytes.TrimRight(line, " \t\r\n")
	return bytes.Equal(word, []byte("---")) || bytes.Equal(word, []byte("...")) || bytes.HasPrefix(line, []byte("--- "))
}
