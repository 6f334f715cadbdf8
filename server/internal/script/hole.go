package script

import (
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
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
// is not sent. Empty says that one of the texts is empty. The error has the position of the text that
// could not be rendered.
func (s *Script) Fill(sel *scenarios.Selection, style ojson.Style, promptTokens int, into Values) (spent int, empty bool, err error) {
	into.SetInt(PromptTokens, int64(promptTokens))
	rendered := 0
	if len(s.fillers) > 0 {
		f := fillState{sel: sel, style: style, prompt: promptTokens, into: into, events: s.events, size: s.size}
		for _, fill := range s.fillers {
			if err := fill(&f); err != nil {
				return 0, false, err
			}
		}
		rendered, empty = f.tokens.completion, f.empty
	}
	if s.totalWritten >= 0 {
		return int(s.totalWritten), empty, nil
	}
	if s.promptWritten >= 0 {
		promptTokens = int(s.promptWritten)
	}
	return promptTokens + max(0, s.tokens.completion+rendered), empty, nil
}

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
	empty    bool               // empty says that one of the texts so far is empty.
}

func (f *fillState) setText(id hole.ID, text string) {
	if f.texts == nil {
		f.texts = map[hole.ID]string{}
	}
	f.texts[id] = text
	f.empty = f.empty || text == ""
	f.json = f.style.Append(f.json[:0], ojson.String(text))
	f.into.Set(id, f.json)
}

// filler fills one hole, or prepares how later ones are filled.
type filler func(f *fillState) error

type textSource func(f *fillState) (string, error)

func (b *Builder) template(t scenarios.Text) textSource {
	b.times[t.Source]++
	nth, pos, step := b.times[t.Source], b.positionNear(t.Pos), b.position
	parsed, err := render.Parse(t.Source)
	b.fail(t.Pos, err)
	return func(f *fillState) (string, error) {
		if f.renderer == nil {
			f.renderer = render.New(f.sel, scriptPurpose)
		}
		f.renderer.At(step)
		text, err := f.renderer.Render(parsed, nth)
		if err == nil {
			err = grow(&f.size, len(text))
		}
		return text, render.Placed(pos, err)
	}
}

// filledJSON is the JSON of a value that contains templates, whose holes were filled before.
func filledJSON(v ojson.Value) textSource {
	return func(f *fillState) (string, error) {
		filled := hole.Fill(v, func(id hole.ID) (ojson.Value, bool) {
			text, ok := f.texts[id]
			return ojson.String(text), ok
		})
		return filled.String(), nil
	}
}

type countedText struct{ counts, reasoning bool }

// textHole is a hole that a text fills as a JSON string. Shown stands in its place while there is
// no request.
func (b *Builder) textHole(source textSource, shown string) ojson.Value {
	b.templated = true
	id, ok := b.newHole(shown)
	if !ok {
		return ojson.String(shown)
	}
	counted := &countedText{}
	b.holes[id] = counted
	b.addFiller(func(f *fillState) error {
		text, err := source(f)
		if err != nil {
			return err
		}
		if counted.counts {
			f.tokens.add(Tokens(text), counted.reasoning)
		}
		f.setText(id, text)
		return nil
	})
	b.script.openTexts = true
	return hole.Value(id)
}

// openText is a text that depends on the request, and how it is cut. Shown stands in its place
// while there is no request.
type openText struct {
	source  textSource
	cut     cutter
	byToken bool // byToken says that each piece is a token.
	shown   string
}

// series is a beat of a step that is sent for each piece of a text that depends on the
// request.
type series struct {
	id    hole.ID
	beat  Beat
	shown string
}

func (b *Builder) series(t openText, beat Beat) *series {
	b.templated = true
	id, ok := b.newHole(t.shown)
	s := &series{id: id, beat: beat, shown: t.shown}
	if !ok {
		return s
	}
	pos := b.positionNear(diag.Pos{})
	b.addFiller(func(f *fillState) error {
		text, err := t.source(f)
		if err != nil {
			return err
		}
		pieces := f.quoted(text, t.cut)
		tokens := pieces.Len()
		if !t.byToken || len(text) > largeText {
			tokens = Tokens(text)
		}
		f.tokens.add(tokens, false)
		if f.events += pieces.Len() - 1; f.events > maxEvents {
			return render.Placed(pos, tooManyEvents(moreEvents, largerPieces))
		}
		f.empty = f.empty || pieces.Len() == 0
		f.into.SetSeries(id, pieces)
		return nil
	})
	b.tokens.open, b.script.openTexts = true, true
	return s
}

func (b *Builder) addFiller(f filler) { b.script.fillers = append(b.script.fillers, f) }

func (f *fillState) quoted(text string, cut cutter) (pieces hole.Pieces) {
	count := estimate(text)
	pieces = hole.NewPieces(count, len(text)+len(text)/8+len(`""`)*count)
	for piece := range cut.pieces(text) {
		pieces.Add(f.style, piece)
	}
	return pieces
}

type tokenCount struct {
	completion int  // completion counts all tokens, those of reasoning included.
	reasoning  int  // reasoning counts the tokens of reasoning.
	audio      int  // audio counts the tokens of sound.
	open       bool // open says that there are more tokens, in texts that depend on the request.
}

func (t tokenCount) all() int { return t.completion }

func (t *tokenCount) add(tokens int, reasoning bool) {
	t.completion += tokens
	if reasoning {
		t.reasoning += tokens
	}
}
