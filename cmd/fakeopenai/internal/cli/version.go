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

// version describes the build: module version, which has the commit, Go and platform.
func version() string {
	release := "(unknown)"
	if info, ok := debug.ReadBuildInfo(); ok {
		release = info.Main.Version
	}
	return fmt.Sprintf("fakeopenai %s (%s, %s/%s)", release, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
