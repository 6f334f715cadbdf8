package responses

import "github.com/fakeopenai/fakeopenai/server/internal/lint"

// Checks are the rules about the order of events.
func (Surface) Checks() map[string]lint.Check { return nil }
