package testkit

import (
	"bytes"
	"fmt"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Describe writes everything that a surface can see of a script as a text, to be compared.
func Describe(s *script.Script) string {
	var out bytes.Buffer
	fmt.Fprintln(&out, s.OwnDone)
	for i := range s.Groups {
		g := &s.Groups[i]
		gap := time.Duration(-1)
		if g.Gap != nil {
			gap = *g.Gap
		}
		fmt.Fprint(&out, gap, g.Jitter, g.Choice, g.Series)
		if g.Edit != nil {
			fmt.Fprint(&out, g.Edit.Extra, pathsOf(g.Edit.Omit), g.Edit.Set)
		}
		for _, beat := range g.Beats {
			fmt.Fprintf(&out, " %T%v", beat, beat)
		}
		fmt.Fprintln(&out)
	}
	return out.String()
}

func pathsOf(list []scenarios.Path) (names []string) {
	for _, p := range list {
		names = append(names, p.String())
	}
	return names
}
