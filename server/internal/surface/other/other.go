// Package other has what stands in place of an API for the requests to all other paths: their answers are
// bodies, errors, and streams of events that scenarios write out.
package other

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Surface is the surface of the paths that are those of no API.
type Surface struct{ surface.Unstreamed }

var _ surface.Surface = Surface{}

var info = surface.Info{
	Name: scenarios.SurfaceOther, Title: "other paths", Example: `{}`, Operation: "request",
	Says: func(script.Beat) bool { return false }, ModelNotFound: apierror.ModelNotFound,
}

// Info returns what the server knows of the surface.
func (Surface) Info() *surface.Info { return &info }

// Read parses a request. Its body can be JSON, a form with or without files, or anything else.
func (Surface) Read(header map[string][]string, body []byte) (*scenarios.Request, error) {
	return request.ParseAny(info.Name, header, body)
}

// Check accepts every request.
func (Surface) Check(*scenarios.Request) *request.Error { return nil }

// Want is a stream: a reply with steps is streamed to each request.
func (Surface) Want(*scenarios.Selection, bool) script.Want {
	return script.Want{Surface: info.Name, N: 1, Stream: true}
}

// Speak returns the events of a script. A whole chunk is an event with that data. There is no closing
// [DONE], unless wire.done asks for it.
func (Surface) Speak(s *script.Script, o *surface.Options) ([]compile.Unit, error) {
	if err := info.Sayable(s, o); err != nil {
		return nil, err
	}
	var units []compile.Unit
	for i := range s.Groups {
		g := &s.Groups[i]
		u := surface.NewUnit(g)
		if g.IsChunk() {
			u.Kind, u.JSON = "chunk", o.Amend(chunkIn(g), g, info.Complete)
		}
		u.Paced = u.Paced || u.Kind == "event" || u.Kind == "raw" // as the steps of other surfaces that send chunks
		units = append(units, u)
	}
	if o.EndMark && !s.OwnDone {
		units = append(units, surface.Done(compile.Unit{Step: len(s.Groups) - 1}))
	}
	return units, nil
}

// chunkIn is the JSON that the step of a group writes out.
func chunkIn(g *script.Group) ojson.Value {
	i := slices.IndexFunc(g.Beats, func(b script.Beat) bool { _, is := b.(script.Literal); return is })
	if i < 0 {
		return ojson.Value{}
	}
	return g.Beats[i].(script.Literal).Value
}
