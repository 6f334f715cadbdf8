package cli

import (
	"runtime"
	"runtime/debug"
	"testing"
)

func TestTheVersionNamesTheCommit(t *testing.T) {
	t.Parallel()
	build := "(" + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + ")"
	commit := []debug.BuildSetting{{Key: "vcs.revision", Value: "c0ffee"}, {Key: "vcs.time", Value: "2026-11-22T18:00:00Z"}, {Key: "vcs.modified", Value: "false"}}
	changed := append(commit[:2:2], debug.BuildSetting{Key: "vcs.modified", Value: "true"})
	for _, tt := range []struct {
		settings []debug.BuildSetting
		want     string
	}{
		{nil, "fakeopenai v1.2.3 " + build},
		{commit, "fakeopenai v1.2.3 (commit c0ffee, 2026-11-22T18:00:00Z, " + build[1:]},
		{changed, "fakeopenai v1.2.3 (commit c0ffee with changes, 2026-11-22T18:00:00Z, " + build[1:]},
	} {
		info := &debug.BuildInfo{Main: debug.Module{Version: "v1.2.3"}, Settings: tt.settings}
		if got := describeBuild(info); got != tt.want {
			t.Errorf("got %s, want %s", got, tt.want)
		}
	}
}
