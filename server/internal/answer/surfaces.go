package answer

import (
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/completions"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// surfaces are the APIs that the server speaks. The first one is for scenarios that
// name none.
var surfaces = [...]surface.Surface{
	chat.Surface{},
	completions.Surface{},
	responses.Surface{},
}

// Surfaces are the APIs that the server speaks.
func Surfaces() []surface.Surface { return surfaces[:] }

// SurfaceNamed returns the surface of that name, or the first one if there is none, as
// for a scenario that names no surface.
func SurfaceNamed(name string) surface.Surface {
	for _, s := range surfaces {
		if s.Name() == name {
			return s
		}
	}
	return surfaces[0]
}
