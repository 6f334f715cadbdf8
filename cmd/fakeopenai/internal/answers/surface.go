package answers

import (
	"cmp"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server"
)

// SurfaceOf returns the API on which a scenario is played: the asked one or, if that is
// "", the scenario's own.
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
