package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Farewell is what the selected reply's stream is sent last when the server is
// shut down while it is open, as lines; nil for nothing.
func Farewell(sel *scenarios.Selection, ask Ask) (*Lines, error) {
	steps := sel.Manner.Wire.OnShutdown
	if len(steps) == 0 {
		return nil, nil
	}
	b := NewBuilder(sel, ask)
	b.ownDone = true // no [DONE] but a written one
	b.steps(steps)
	if len(b.Problems) > 0 {
		return nil, b.Problems[:1]
	}
	return b.result(), nil
}
