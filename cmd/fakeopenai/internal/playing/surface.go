package playing

import (
	"cmp"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
)

// SurfaceOf is the API that a scenario is played on: the one that is asked for,
// or its own.
func SurfaceOf(asked string, s *scenarios.Scenario) server.Surface {
	list := server.Surfaces()
	name := cmp.Or(asked, s.When.Surface, s.Replies[0].When.Surface)
	if name == "" && s.Replies[0].HasItem() {
		name = "responses"
	}
	if i := slices.IndexFunc(list, func(on server.Surface) bool { return on.Name == name }); i >= 0 {
		return list[i]
	}
	return list[0]
}
