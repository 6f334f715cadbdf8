package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func (a *app) versionCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  noArguments,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(a.stdout, version())
			return err
		},
	}
}

// version describes the build: module version, commit, Go and platform.
func version() string {
	release, commit := "(unknown)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		release, commit = info.Main.Version, commitOf(info)
	}
	return fmt.Sprintf("fakeopenai %s%s (%s, %s/%s)", release, commit, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// commitOf returns " commit HASH" for a build from a working tree, with " with changes"
// if the tree was modified, or "" for other builds.
func commitOf(info *debug.BuildInfo) string {
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	commit := settings["vcs.revision"]
	if commit == "" {
		return ""
	}
	if settings["vcs.modified"] == "true" {
		return " commit " + commit[:min(12, len(commit))] + " with changes"
	}
	return " commit " + commit[:min(12, len(commit))]
}
