package testkit

import (
	"bytes"
	"fmt"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Describe is everything about lines that a surface can see.
func Describe(l *script.Lines) string {
	var out bytes.Buffer
	fmt.Fprintln(&out, l.Layout, l.Drawn, l.CompletionTokens, l.OwnDone)
	for _, line := range l.Lines {
		gap := time.Duration(-1)
		if line.Gap != nil {
			gap = *line.Gap
		}
		fmt.Fprintln(&out, line.Kind, gap, line.Jitter, line.Choice, line.Delta, line.Literal, line.Logprobs, line.Finish, line.Usage,
			line.Chunk, line.Extra, pathsOf(line.Omit), line.Set, line.Text, line.Event, line.Error, line.Close, line.Hold)
	}
	return out.String()
}

func pathsOf(list []scenarios.Path) (names []string) {
	for _, p := range list {
		names = append(names, p.String())
	}
	return names
}
