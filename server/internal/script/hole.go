package script

import (
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// PromptTokens is the hole for the number of tokens of the request, which the surface counts.
// Surfaces number their own holes from SurfaceHoles.
const (
	PromptTokens = hole.Envelope
	SurfaceHoles = hole.Envelope + 1
)

// Values receives the values of the holes, as JSON.
type Values interface {
	Set(id hole.ID, json []byte) // Set copies the text.
	SetInt(id hole.ID, n int64)
	SetSeries(id hole.ID, pieces hole.Pieces)
}

// Fill fills the holes for the selection's request. PromptTokens is the number of tokens of the
// request. Spent is what the request costs with its answer: the total of usage, even if usage
// is not sent. The error has the position of the text that could not be rendered.
func (s *Script) Fill(sel *scenarios.Selection, style ojson.Style, promptTokens int, into Values) (spent int, err error) {
	into.SetInt(PromptTokens, int64(promptTokens))
	rendered := 0
	if len(s.fillers) > 0 {
		f := fillState{sel: sel, style: style, prompt: promptTokens, into: into, events: s.events, size: s.size}
		for _, b := range s.fillers {
			if err := b.fill(&f); err != nil {
				return 0, err
			}
		}
		rendered = f.tokens.completion
	}
	if s.totalWritten >= 0 {
		return int(s.totalWritten), nil
	}
	if s.promptWritten >= 0 {
		promptTokens = int(s.promptWritten)
	}
	return promptTokens + max(0, s.tokens.completion+rendered), nil
}

// fillState is the state of filling the holes for one request.
type fillState struct {
	sel      *scenarios.Selection
	style    ojson.Style
	prompt   int
	into     Values
	renderer *render.Renderer
	ids      *rand.Rand
	json     []byte             // json is a buffer for one text.
	texts    map[hole.ID]string // texts are the rendered texts so far.
	tokens   tokenCount         // tokens counts the tokens of the rendered texts so far.
	events   int                // events is the number of events, with the series filled so far.
	size     int                // size is the length of the texts so far, in bytes.
}

// setText fills a hole with a text as a JSON string.
func (f *fillState) setText(id hole.ID, text string) {
	if f.texts == nil {
		f.texts = map[hole.ID]string{}
	}
	f.texts[id] = text
	f.json = f.style.Append(f.json[:0], ojson.String(text))
	f.into.Set(id, f.json)
}

// filler fills one hole, or prepares how later ones are filled.
type filler interface{ fill(f *fillState) error }

// textSource computes a text for a request.
type textSource interface {
	text(f *fillState) (string, error)
}

// templateText is a template, rendered for the nth time in its answer.
type templateText struct {
	render.Template
	nth int
	pos diag.Pos
}

func (t templateText) text(f *fillState) (string, error) {
	if f.renderer == nil {
		f.renderer = render.New(f.sel, scriptPurpose)
	}
	text, err := f.renderer.Render(t.Template, t.nth)
	if err == nil {
		err = grow(&f.size, len(text))
	}
	return text, render.Placed(t.pos, err)
}

// valueText is the JSON of a value that contains templates, whose holes were filled before.
type valueText struct{ value ojson.Value }

func (v valueText) text(f *fillState) (string, error) {
	filled := hole.Fill(v.value, func(id hole.ID) (ojson.Value, bool) {
		text, ok := f.texts[id]
		return ojson.String(text), ok
	})
	return filled.String(), nil
}

// textFiller fills a hole with a text as a JSON string.
type textFiller struct {
	source    textSource
	into      hole.ID
	counts    bool // counts says that the tokens of the text are counted.
	reasoning bool // reasoning says that they are tokens of reasoning.
}

func (b *textFiller) fill(f *fillState) error {
	text, err := b.source.text(f)
	if err != nil {
		return err
	}
	if b.counts {
		f.tokens.add(Tokens(text), b.reasoning)
	}
	f.setText(b.into, text)
	return nil
}

// seriesFiller fills the hole of a series with the pieces of a text.
type seriesFiller struct {
	source  textSource
	cut     cutter
	byToken bool // byToken says that each piece is a token.
	into    hole.ID
	pos     diag.Pos
}

func (b *seriesFiller) fill(f *fillState) error {
	text, err := b.source.text(f)
	if err != nil {
		return err
	}
	pieces := f.quoted(text, b.cut)
	if b.byToken && len(text) <= largeText {
		f.tokens.add(pieces.Len(), false)
	} else {
		f.tokens.add(Tokens(text), false)
	}
	if f.events += pieces.Len() - 1; f.events > maxEvents {
		return render.Placed(b.pos, tooManyEvents(moreEvents, largerPieces))
	}
	f.into.SetSeries(b.into, pieces)
	return nil
}

// quoted returns the pieces of a text as JSON strings.
func (f *fillState) quoted(text string, cut cutter) (pieces hole.Pieces) {
	count := estimate(text)
	pieces = hole.NewPieces(count, len(text)+len(text)/8+len(`""`)*count)
	for piece := range cut(text) {
		pieces.Add(f.style, piece)
	}
	return pieces
}

// drawnFiller fills a hole with an id drawn for the request.
type drawnFiller struct {
	prefix, alphabet string
	length           int
	into             hole.ID
}

func (b *drawnFiller) fill(f *fillState) error {
	if f.ids == nil {
		f.ids = invent.RequestRand(f.sel, "calls")
	}
	f.setText(b.into, b.prefix+invent.Text(f.ids, b.alphabet, b.length))
	return nil
}

// tokenCount counts the tokens of an answer.
type tokenCount struct {
	completion int  // completion counts all tokens, with those of reasoning.
	reasoning  int  // reasoning counts the tokens of reasoning.
	audio      int  // audio counts the tokens of sound.
	open       bool // open says that there are more tokens, in texts that depend on the request.
}

func (t *tokenCount) add(tokens int, reasoning bool) {
	t.completion += tokens
	if reasoning {
		t.reasoning += tokens
	}
}

// countFiller fills a hole with a number of tokens: those counted at load, those of the texts
// rendered so far and, for a total, those of the prompt.
type countFiller struct {
	loaded    tokenCount
	reasoning bool  // reasoning counts only the tokens of reasoning.
	prompt    bool  // prompt adds the tokens of the prompt.
	alone     bool  // alone counts the tokens of the prompt only.
	written   int64 // written is a number to add in any case.
	into      hole.ID
}

func (b *countFiller) fill(f *fillState) error {
	n := int64(b.loaded.completion + f.tokens.completion)
	if b.reasoning {
		n = int64(b.loaded.reasoning + f.tokens.reasoning)
	}
	if b.alone {
		n = 0
	}
	if b.prompt {
		n += int64(f.prompt)
	}
	f.into.SetInt(b.into, max(0, n+b.written))
	return nil
}

// countRestart fills no hole. It forgets the tokens of the texts rendered so far, because the
// author wrote their number.
type countRestart struct{}

func (countRestart) fill(f *fillState) error {
	f.tokens.completion = 0
	return nil
}
