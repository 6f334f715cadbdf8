package surface

import (
	"bytes"
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// Envelope is what decides the envelope of one answer.
type Envelope struct {
	Selection   *scenarios.Selection
	Model       string // Model is the model that answers.
	Layout      scenarios.Layout
	Created     int64   // Created is in seconds since 1970.
	Fingerprint string  // Fingerprint is what [Fingerprint] draws.
	Drawn       []Drawn // Drawn are the ids that speaking asked for.

	ids   draw.Generator
	begun bool // begun says that something draws from ids.
}

// IDs is where the ids of the answer are drawn from. Each call begins from the start.
func (e *Envelope) IDs() *rand.Rand {
	const purpose = "ids"
	if e.begun {
		return draw.RequestRand(e.Selection, purpose)
	}
	e.begun = true
	return e.ids.Reset(draw.SourceFor(e.Selection, purpose))
}

// Fingerprint draws a system_fingerprint. It is the same for all answers of a scenario.
func Fingerprint(sel *scenarios.Selection) string {
	const digits = 10
	return "fp_" + draw.Text(draw.Rand(sel, "fingerprint"), draw.Hex, digits)
}

// Drawn is an id that a surface asked for when it spoke: see [Options.Draw].
type Drawn struct {
	Hole   hole.ID
	Prefix string
}

// Filler fills the holes of an envelope.
type Filler struct {
	Values    *player.Values
	Selection *scenarios.Selection
	Style     ojson.Style // Style is the layout of JSON in the answer.
	// Member says that values are members of the answer itself, so that their lines
	// stand one level deeper.
	Member bool
	Err    error // Err is why a text that the author wrote could not be rendered; nil if all could.
}

// Open fills a hole with the text that the author wrote for it, and reports whether
// there is none.
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
func (f *Filler) Text(id hole.ID, text string) { f.set(id, ojson.String(text)) }

// ID fills a hole with an id that begins with the prefix, and goes on with n
// characters of the alphabet.
func (f *Filler) ID(id hole.ID, prefix string, from *rand.Rand, alphabet string, n int) {
	f.Values.Fill(id, func(dst []byte) []byte {
		return append(draw.AppendText(append(append(dst, '"'), prefix...), from, alphabet, n), '"')
	})
}

// Number fills a hole with a number.
func (f *Filler) Number(id hole.ID, n int64) { f.Values.SetInt(id, n) }

// Value fills a hole with a value.
func (f *Filler) Value(id hole.ID, v ojson.Value) {
	if f.Member && f.Style.Indent != "" {
		text := f.Style.Append(nil, v)
		f.Values.Set(id, bytes.ReplaceAll(text, []byte("\n"), []byte("\n"+f.Style.Indent)))
		return
	}
	f.set(id, v)
}

func (f *Filler) set(id hole.ID, v ojson.Value) {
	f.Values.Fill(id, func(dst []byte) []byte { return f.Style.Append(dst, v) })
}
