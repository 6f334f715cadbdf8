package answer

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/other"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/realtime"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/whole"
)

// surfaces are the APIs that the server speaks. The first one is for scenarios that
// name none: it is [scenarios.DefaultSurface].
var surfaces = [...]surface.Surface{
	chat.Surface{},
	chat.Completions,
	responses.Surface{},
	realtime.Surface{},
}

// wholes are the APIs whose answers are never streamed.
var wholes = [...]surface.Whole{whole.Embeddings{}, whole.Moderations{}}

// Other is the surface of the paths that are those of no API.
var Other surface.Surface = other.Surface{}

// Surfaces are the APIs that the server streams on.
func Surfaces() []surface.Surface { return surfaces[:] }

// All are the APIs that the server plays: those that it streams on, then the others.
func All() []surface.Surface {
	all := slices.Clip(Surfaces())
	for _, on := range wholes {
		all = append(all, on)
	}
	return all
}

// SurfaceNamed returns the API of that name, or the first one if there is none, as
// for a scenario that names no surface.
func SurfaceNamed(name string) surface.Surface {
	for _, s := range surfaces {
		if s.Info().Name == name {
			return s
		}
	}
	for _, s := range wholes {
		if s.Info().Name == name {
			return s
		}
	}
	if name == scenarios.SurfaceOther {
		return Other
	}
	return surfaces[0]
}

// SurfaceOf is the surface that a reply answers on. If no condition names one, it is the
// first that can express the reply and does not refuse it.
func SurfaceOf(s *scenarios.Scenario, r *scenarios.Reply) surface.Surface {
	if name := s.API(r); name != "" {
		return SurfaceNamed(name)
	}
	_, byDefault := r.RefusedOn[scenarios.DefaultSurface]
	return surfaceWith(func(i *surface.Info) bool {
		_, refused := r.RefusedOn[i.Name]
		return !refused && (i.Items || !r.NeedsItems() && !byDefault) && (i.Hears || !r.Listens())
	})
}

// Sender returns the surface whose answer, chunk or event v says that it is; nil for none.
func Sender(v ojson.Value) surface.Surface {
	for _, s := range surfaces {
		if s.Info().Sent(v) {
			return s
		}
	}
	return nil
}

// Hear reads a chunk, an event or a whole answer as a client does.
func Hear(v ojson.Value) lint.Heard {
	if s := Sender(v); s != nil {
		return s.HearJSON(v)
	}
	return surfaceWith(func(i *surface.Info) bool { return i.IsChunk(v, infos()) }).HearJSON(v)
}

// surfaceWith returns the first surface for which is reports true, or the first of all if there is none.
func surfaceWith(is func(*surface.Info) bool) surface.Surface {
	for _, s := range surfaces {
		if is(s.Info()) {
			return s
		}
	}
	return surfaces[0]
}

func infos() []*surface.Info {
	var list []*surface.Info
	for _, s := range surfaces {
		list = append(list, s.Info())
	}
	return list
}

// Spoken lists, by scenario name, the surfaces on which each scenario of a set answers:
// those that can express all of its replies, except replies for another surface alone.
func Spoken(set *scenarios.Set) map[string][]string {
	type place struct{ scenario, surface string }
	said := map[place]bool{} // said says whether the surface can express the replies so far.
	maker := NewMaker()
	for sel := range set.Selections(1) {
		speakers, only := Surfaces(), sel.Scenario.API(sel.Reply)
		if only != "" {
			speakers = []surface.Surface{SurfaceNamed(only)}
		}
		for _, on := range speakers {
			at := place{sel.Scenario.Name, on.Info().Name}
			if before, known := said[at]; known && !before {
				continue
			}
			sel.Request = &scenarios.Request{Surface: at.surface, Model: on.Info().DefaultModel, Stream: true, N: 1}
			said[at] = maker.Sayable(Ask(on, sel, false)) == nil
		}
	}
	spoken := map[string][]string{}
	for _, s := range set.Scenarios() {
		for _, on := range append(All(), Other) {
			if said[place{s.Name, on.Info().Name}] {
				spoken[s.Name] = append(spoken[s.Name], on.Info().Name)
			}
		}
	}
	return spoken
}
