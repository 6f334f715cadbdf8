package surface

import (
	"bytes"
	"fmt"
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Envelope holds the values that fill the envelope of one answer: id, model, created
// and so on.
type Envelope struct {
	Selection   *scenarios.Selection
	Model       string // Model is the model that answers.
	Layout      scenarios.Layout
	Created     int64   // Created is in seconds since 1970.
	Fingerprint string  // Fingerprint is what [Fingerprint] draws.
	Drawn       []Drawn // Drawn are the ids that Speak asked for with [Options.NewID].
	Draw        int     // Draw counts the equal answers up to this one, each of which gets ids of its own; 0 counts as 1.

	ids   invent.Generator
	begun bool // begun says that an earlier call of IDs returned ids.
}

// The holes of the envelope that all APIs have. Those of one API begin with OwnHoles.
const (
	HoleID = script.SurfaceHoles + iota
	HoleCreated
	HoleModel
	HoleFingerprint
	HoleTier // HoleTier is for the service_tier that served the request.
	OwnHoles
)

// FillHead fills the holes that all APIs have, but for the id.
func (e *Envelope) FillHead(f *Filler) {
	env := &e.Selection.Manner.Envelope
	if f.Open(HoleModel, &env.Model) {
		f.Text(HoleModel, Snapshot(e.Model))
	}
	if f.Open(HoleFingerprint, &env.SystemFingerprint) {
		f.Text(HoleFingerprint, e.Fingerprint)
	}
	if f.Open(HoleTier, &env.ServiceTier) {
		f.Text(HoleTier, servedTier(e.Selection.Request))
	}
	f.Values.SetInt(HoleCreated, e.Created)
}

// servedTier is the tier that the real service reports for the requested one.
func servedTier(req *scenarios.Request) string {
	switch tier := req.Body.Get("service_tier").Text(); tier {
	case "", "auto":
		return "default"
	case "fast":
		return "priority"
	default:
		return tier
	}
}

// IDs returns a generator for the ids of the answer. Each call returns one at the start
// of the same sequence.
func (e *Envelope) IDs() *rand.Rand {
	purpose := "ids"
	if e.Draw > 1 {
		purpose = fmt.Sprint("ids ", e.Draw)
	}
	if e.begun {
		return invent.RequestRand(e.Selection, purpose)
	}
	e.begun = true
	return e.ids.Reset(invent.SourceFor(e.Selection, purpose))
}

// Fingerprint draws a system_fingerprint. It is the same for all answers of a scenario.
func Fingerprint(sel *scenarios.Selection) string {
	const digits = 10
	return "fp_" + invent.Text(invent.Rand(sel, "fingerprint"), invent.Hex, digits)
}

// Drawn is an id for which a surface reserved a hole while it spoke: see
// [Options.Draw].
type Drawn struct {
	Hole   hole.ID
	Prefix string
}

// Filler writes values into the holes of an envelope.
type Filler struct {
	Values    *player.Values
	Selection *scenarios.Selection
	Style     ojson.Style // Style is the layout of JSON in the answer.
	// Member says that the holes are members of a whole answer, so that values of
	// several lines are indented one level deeper.
	Member bool
	Err    error // Err is the first error of a template that the author wrote; nil if there is none.

	// Padding and Extra are for surfaces whose events have obfuscation and numbers: Extra is how many more
	// events there are so far than units, because of series.
	Padding Padding
	Extra   int64
}

// Padding is the state of the obfuscation of an answer. Written counts the author's paddings, Used the letters and digits
// of all other paddings so far. Letters are the first of these that were drawn, for all answers.
type Padding struct {
	Written, Used int
	Letters       []byte
}

// Open fills a hole with the author's text, if there is one. It reports whether the
// hole is still open, because the author wrote none.
func (f *Filler) Open(id hole.ID, authored *scenarios.Opt[scenarios.Text]) bool {
	if !authored.Present || authored.Null {
		return true
	}
	text, err := render.Text(f.Selection, authored.Value)
	if f.Err == nil {
		f.Err = err
	}
	f.Text(id, text)
	return false
}

// Text fills a hole with a text as a JSON string.
func (f *Filler) Text(id hole.ID, text string) { f.Value(id, ojson.String(text)) }

// ID fills a hole with the prefix, followed by n characters drawn from the alphabet.
func (f *Filler) ID(id hole.ID, prefix string, from *rand.Rand, alphabet string, n int) {
	f.Values.Fill(id, func(dst []byte) []byte {
		return append(invent.AppendText(append(append(dst, '"'), prefix...), from, alphabet, n), '"')
	})
}

// Value fills a hole with a value.
func (f *Filler) Value(id hole.ID, v ojson.Value) {
	f.Values.Fill(id, func(dst []byte) []byte {
		if f.Member && f.Style.Indent != "" && len(v.Items())+len(v.Members()) > 0 {
			return append(dst, bytes.ReplaceAll(f.Style.Append(nil, v), []byte("\n"), []byte("\n"+f.Style.Indent))...)
		}
		return f.Style.Append(dst, v)
	})
}

// Created is the creation time of a chunk: what the author wrote, or else a hole.
func (o *Options) Created() ojson.Value { return o.CreatedOr(HoleCreated) }

// CreatedOr is [Options.Created], with another hole for a time in seconds.
func (o *Options) CreatedOr(otherwise hole.ID) ojson.Value {
	env := &o.Envelope
	switch {
	case env.Created.Null:
		return ojson.Null()
	case !env.CreatedAs.IsAbsent():
		return env.CreatedAs
	case env.CreatedPerChunk:
		return hole.Value(hole.Clock)
	}
	return hole.Value(otherwise)
}

// ObjectOr is the member object: what the author wrote, or else the name that the API has for it.
func (o *Options) ObjectOr(name string) ojson.Value {
	if o.Envelope.Object.Present {
		name = o.Object
	}
	return OrNull(o.Envelope.Object, ojson.String(name))
}

// OrNull returns null if the author wrote null, and v otherwise.
func OrNull(o scenarios.Opt[scenarios.Text], v ojson.Value) ojson.Value {
	if o.Null {
		return ojson.Null()
	}
	return v
}
