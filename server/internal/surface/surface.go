// Package surface defines what the server needs to know of an API: how its requests are
// read and checked, and how a script becomes its JSON. Each API is a package below this
// one.
package surface

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// Surface is one API. Its methods may be called concurrently.
type Surface interface {
	// Derive returns the steps of the stream of a message.
	script.Surface

	// Info is the same at each call, and must not be changed.
	Info() *Info

	// Read parses the body of a request and the members that scenarios can look at. The
	// error is a [*request.Error].
	Read(header map[string][]string, body []byte) (*scenarios.Request, error)
	// Check returns the error with which the real service refuses the request; nil if
	// it does not.
	Check(req *scenarios.Request) *request.Error
	// Want reads what the selection's request wants of its answer. Azure says that the
	// request came on a path of Azure OpenAI.
	Want(sel *scenarios.Selection, azure bool) script.Want

	// Speak turns the script into units, ending with the event that completes a stream.
	// The error is that of [Info.Sayable].
	Speak(s *script.Script, o *Options) ([]compile.Unit, error)
	// Hear turns a group of a script back into beats, as a client would read them from
	// the finished chunk.
	Hear(g *script.Group, o *Options) lint.Heard
	// HearJSON turns a chunk, or a whole answer, back into beats.
	HearJSON(v ojson.Value) lint.Heard
	// Gather adds to a reading what a chunk says, an event, or a whole answer. Event is the name in the
	// event: line; "" for none.
	Gather(r *Reading, event string, v ojson.Value)
	// Fold combines the units of an answer that is not streamed into one body. If the units have
	// holes, other than those of the envelope and of ids, the script has [script.Script.TextsAlone].
	Fold(units []compile.Unit, o Options) ojson.Value
	// FillEnvelope fills the holes of the surface's envelope.
	FillEnvelope(e *Envelope, f *Filler)

	// CheckShapes checks the protocol rules about the JSON of this surface.
	CheckShapes(t *lint.Transcript, report lint.Report)
}

// Keeper is a surface whose answers are stored and can be retrieved by id.
type Keeper interface {
	Surface
	// Continue adds to a parsed request the items of the conversation that it continues
	// (before), and those that its own items refer to by id (referred).
	Continue(req *scenarios.Request, before []ojson.Value, referred map[string]ojson.Value)
	// CheckMembers returns the error with which the real service refuses the request whatever was stored, or nil.
	CheckMembers(req *scenarios.Request) *request.Error
	// Include adds the names of an include parameter to the want of a stored answer.
	Include(want script.Want, names []string) script.Want
}

// Options are the inputs of Speak beside the script.
type Options struct {
	Want     script.Want
	Envelope scenarios.Envelope // Envelope is that of the reply, with the templates in Extra rendered.
	Object   string             // Object is the rendered envelope.object.
	// FromMessage says that the script was derived from a message.
	FromMessage bool
	// EndMark says that the scenario's wire asks for the event that completes a stream.
	// Some surfaces send it only then.
	EndMark bool
	// Said is how many units of the same stream were spoken before this script; 0 at
	// the start of a stream.
	Said int
	// Draw reserves a hole for a new id with this prefix, which each request fills. It
	// is nil where nothing is sent: see NewID.
	Draw func(prefix string) ojson.Value
	// Later reserves a hole for what follows from the texts of a script. For each request, fill fills
	// it once these texts are known, in the order of the calls of Later. It is nil where nothing is
	// sent.
	Later func(fill func(*Filler, hole.ID)) ojson.Value
	// Rand returns a generator for values that are the same for all requests. It is nil
	// where nothing is sent.
	Rand func() *rand.Rand
	// Edits is called for each place that a step or the envelope changes; nil for no
	// calls.
	Edits func(Edit)
}

// NewID returns a new id with this prefix: a hole, or the prefix alone where nothing is
// sent.
func (o *Options) NewID(prefix string) ojson.Value {
	if o.Draw == nil {
		return ojson.String(prefix)
	}
	return o.Draw(prefix)
}

// Streams reports whether the answer is sent as events: as the request asks, unless
// wire.format says otherwise.
func Streams(sel *scenarios.Selection) bool {
	switch sel.Manner.Wire.Format {
	case "":
		return sel.Request.Stream
	case "json":
		return false
	}
	return true
}

// TokensOfMessages follows the service's own guidance: four characters to a token, three
// tokens around each message, and three more before the answer.
func TokensOfMessages(req *scenarios.Request) int {
	tokens := 3
	for _, m := range req.Messages {
		tokens += 4 + len(m.Text)/4
	}
	return tokens
}

// NamesKinds reports whether damage selects frames by their kind. The kind can depend
// on a text: an empty text is no content.
func NamesKinds(m *scenarios.Manner) bool {
	byKind := func(s scenarios.Selector) bool {
		return slices.ContainsFunc(s.Each(), func(s scenarios.Selector) bool { return s.Kind != "" && s.Kind != "all" })
	}
	return slices.ContainsFunc(m.Damage, func(d scenarios.Damage) bool { return byKind(d.Frames) || byKind(d.With) })
}

// NewUnit makes the unit of a group. If the group is no chunk, but holds wire beats such as
// comments and raw bytes, the unit is complete.
func NewUnit(g *script.Group) compile.Unit {
	u := compile.Unit{Step: g.Step, Gap: g.Gap, Jitter: g.Jitter, Series: g.Series, PieceGap: g.PieceGap}
	if g.IsChunk() {
		u.Paced = true
	} else {
		u = wireUnit(u, g)
	}
	if w := g.Wire; w != nil {
		u.Wire = w.StepWire
		e := &u.Event
		e.Comment, e.Event = cmp.Or(e.Comment, w.Comment), cmp.Or(e.Event, w.Event)
		e.ID, e.Retry = cmp.Or(e.ID, w.ID), cmp.Or(e.Retry, w.Retry)
	}
	return u
}

// wireUnit adds the wire beat of a group to u.
func wireUnit(u compile.Unit, g *script.Group) compile.Unit {
	switch beat := g.Beats[0].(type) {
	case script.Comment:
		u.Kind, u.Event.Comment = "comment", &beat.Text
	case script.Raw:
		u.Kind, u.Raw = "raw", &beat.Bytes
	case script.Event:
		u.Kind, u.Event = "event", sse.Event{Event: textPointer(beat.Event), ID: textPointer(beat.ID), Retry: textPointer(beat.Retry)}
		if beat.Data.Present {
			u.Event.Data = []byte(beat.Data.Value)
		}
	case script.Error:
		u.Kind, u.Paced = "error", true
		if beat.Event != "" {
			u.Event.Event = &beat.Event
		}
		if beat.Body != nil {
			u.Event.Data = []byte(*beat.Body)
		} else {
			u.JSON = beat.JSON()
		}
	case script.Done:
		u = Done(u)
	case script.Wait:
		u.Kind, u.Silent = "wait", true
	case script.Hold:
		u.Kind, u.Hold = "hold", beat.Name
	}
	return u
}

// Done turns u into the unit that tells a client that the stream is complete.
func Done(u compile.Unit) compile.Unit {
	u.Kind, u.Final, u.Event = "done", true, sse.Event{Data: []byte("[DONE]")}
	return u
}

func textPointer(o scenarios.Opt[string]) *string {
	if !o.Present {
		return nil
	}
	return &o.Value
}

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
