package surface

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Whole is an API each of whose answers is one JSON object, which follows from the reply and the
// request.
type Whole interface {
	Surface
	// Body is the answer that the selected reply gives to its request.
	Body(sel *scenarios.Selection) string
}

// Harmless is the score of a category of moderation that nothing is found of.
const Harmless = "0.00001"

// Unstreamed has the methods of a [Surface] that only streams need: an API that embeds it can say
// no message and no stream.
type Unstreamed struct{}

// Want is the same for all requests.
func (Unstreamed) Want(*scenarios.Selection, bool) script.Want { return script.Want{N: 1} }

// Derive returns no steps.
func (Unstreamed) Derive(*script.Builder, *scenarios.Message) []scenarios.Step { return nil }

// Speak returns no units.
func (Unstreamed) Speak(*script.Script, *Options) ([]compile.Unit, error) { return nil, nil }

// Hear hears nothing.
func (Unstreamed) Hear(*script.Group, *Options) lint.Heard { return lint.Heard{} }

// HearJSON hears nothing.
func (Unstreamed) HearJSON(ojson.Value) lint.Heard { return lint.Heard{} }

// Gather gathers nothing.
func (Unstreamed) Gather(*Reading, string, ojson.Value) {}

// Fold returns no body.
func (Unstreamed) Fold([]compile.Unit, Options) ojson.Value { return ojson.Value{} }

// FillEnvelope does nothing.
func (Unstreamed) FillEnvelope(*Envelope, *Filler) {}

// CheckShapes checks nothing.
func (Unstreamed) CheckShapes(*lint.Transcript, lint.Report) {}

// Unfiltered returns the results of Azure's content filter for a text in which it found nothing.
func Unfiltered() ojson.Value {
	safe := ojson.Object(ojson.M("filtered", ojson.Bool(false)), ojson.M("severity", ojson.String("safe")))
	return ojson.Object(ojson.M("hate", safe), ojson.M("self_harm", safe), ojson.M("sexual", safe), ojson.M("violence", safe))
}

// UnfilteredPrompt is [Unfiltered] for a prompt, in which the filter also looks for jailbreaks.
func UnfilteredPrompt() ojson.Value {
	v := Unfiltered()
	v.Set("jailbreak", ojson.Object(ojson.M("detected", ojson.Bool(false)), ojson.M("filtered", ojson.Bool(false))))
	return v
}
