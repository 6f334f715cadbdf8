package answer

import (
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// builders is a pool of builders for reuse by later answers.
var builders = sync.Pool{New: func() any { return new(builder) }}

// builder makes the answer of one request. It holds all memory that the answer needs,
// so that one allocation is enough, and lives as long as the answer.
type builder struct {
	*Asked
	maker     *Maker
	tokens    int   // tokens is the sum of the request's tokens and those known of the answer.
	createdAt int64 // createdAt is the creation time in the answer, in seconds since 1970.

	made     Answer
	fillings player.Values
	filler   surface.Filler
	envelope surface.Envelope
	padding  draw.Source
}

// Release returns the memory of an answer that was played, for reuse. The answer must
// not be used afterwards.
func (a *Answer) Release() {
	if p := a.madeBy; p != nil {
		*p = builder{} // keep no reference
		builders.Put(p)
	}
}

// values fills the holes of the envelope and of the script.
func (p *builder) values(of *program) (*player.Values, error) {
	v := &p.fillings
	if p.Want.Stream && p.Want.Padding {
		p.padding = draw.SourceFor(p.Selection, "obfuscation")
		v.Pad(p.Surface.Info().Padding, &p.padding)
	}
	named := p.Request.Model
	if named == "" || strings.HasPrefix(named, "fake:") {
		named = p.Surface.Info().DefaultModel
	}
	p.envelope = surface.Envelope{
		Selection: p.Selection, Model: named, Layout: p.Want.Layout, Created: p.createdAt,
		Fingerprint: of.fingerprint, Drawn: of.drawn, Draw: p.Draw,
	}
	style := compile.Style(p.Manner.Wire.JSONStyle)
	p.filler = surface.Filler{Values: v, Selection: p.Selection, Style: style}
	if !p.Want.Stream {
		p.filler.Style, p.filler.Member = compile.BodyStyle(p.Manner.Wire.JSONStyle), true
	}
	p.Surface.FillEnvelope(&p.envelope, &p.filler)
	if p.filler.Err != nil {
		return nil, p.filler.Err
	}
	if p.Manner.Envelope.CreatedPerChunk {
		v.SetClock(p.createdAt)
	}
	var err error
	p.tokens, err = of.script.Fill(p.Selection, style, p.PromptTokens, v)
	return v, err
}
