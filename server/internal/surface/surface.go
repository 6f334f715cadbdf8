// Package surface says what an API is to the server: how its requests are read
// and checked, and how a script is spoken in its JSON. Each API is a package
// below this one.
package surface

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// Surface is one API. Its methods may be called at the same time.
type Surface interface {
	// Derive is the steps of the stream of a message.
	script.Surface

	// Name is what the language calls the surface: chat, completions.
	Name() string
	// Path is where it is asked, below /v1.
	Path() string
	// DefaultModel answers where a request names no model of its own.
	DefaultModel() string
	// Example is the body of a request for a stream with usage.
	Example() string

	// Read reads the body of a request, as far as scenarios look at it. The error is
	// a [*request.Error].
	Read(header map[string][]string, body []byte) (*scenarios.Request, error)
	// Check is the error with which the real service refuses a request, or nil.
	Check(req *scenarios.Request) *request.Error
	// ModelNotFound is the error for a model that does not exist.
	ModelNotFound(name string) *apierror.Error
	// CheckHistory is the error for a request that tells of a conversation which
	// cannot have been, or nil.
	CheckHistory(req *scenarios.Request) *request.Error
	// PromptTokens is how many tokens a request counts as.
	PromptTokens(req *scenarios.Request) int
	// Want is what the selection's request wants of its answer. Azure says that it
	// came on a path of Azure OpenAI.
	Want(sel *scenarios.Selection, azure bool) script.Want
	// DraftWant is what the request wants for which a reply is checked when it is
	// loaded: all that the reply can send.
	DraftWant(r *scenarios.Reply, m *scenarios.Manner) script.Want

	// Speak is the script as units, with the event that completes a stream. If the
	// want has loops, there is a unit for each group, which may be sent several times
	// (see [compile.All]). The error is an [*Unsayable].
	Speak(s *script.Script, o Options) ([]compile.Unit, error)
	// Sayable is the error of Speak, without what it makes.
	Sayable(s *script.Script, o Options) error
	// Hear reads a group of a script back into beats, as a client would from the
	// finished chunk.
	Hear(g *script.Group, o Options) lint.Heard
	// Fold puts the units of an answer that is not streamed together to one body.
	// They have loops, but no runs and no holes but those of the envelope and of ids.
	Fold(units []compile.Unit, o Options) ojson.Value
	// Repeated is an object with the members of a whole answer that repeat the
	// request; Absent for none.
	Repeated(req *scenarios.Request) ojson.Value
	// Complete writes a path that damage names in full.
	Complete(ojson.Path) ojson.Path
	// FillEnvelope fills the holes of the surface's envelope.
	FillEnvelope(e *Envelope, f *Filler)
	// Padding is the rule for the length of frames, nil for none.
	Padding() player.Padding

	// Checks are the rules of the protocol about the shapes of this surface's JSON.
	Checks() map[string]lint.Check
	// Skips are the rules of the protocol that do not hold for the surface.
	Skips() []string
}

// Keeper is a surface whose answers can be asked for again, by an id.
type Keeper interface {
	Surface
	// AnswerID is the hole of the id.
	AnswerID() hole.ID
	// Continue is a request that was read, with the items that came before its own
	// in the conversation that it goes on with, and those that it refers to by ids.
	Continue(req *scenarios.Request, before []ojson.Value, referred map[string]ojson.Value)
	// Include is a want of an answer that is kept, which is now asked to hold these
	// things beside what it always does and what its request includes.
	Include(want script.Want, names []string) script.Want
}

// Options are what speaking knows beside the script.
type Options struct {
	Want     script.Want
	Envelope scenarios.Envelope // Extra is rendered.
	Object   string             // Object is the rendered envelope.object, "" for none.
	// FromMessage says that the script was derived from a message.
	FromMessage bool
	// EndMark says that the wire asks for the event that completes a stream, for
	// surfaces that send it only then.
	EndMark bool
	// Said is how many units of the same stream were spoken before the script; 0 for
	// a stream from its start.
	Said int
	// Draw is a new id that begins with the prefix: a hole that each request fills.
	// Nil is while nothing is sent: see NewID.
	Draw func(prefix string) ojson.Value
	// Rand is where the surface draws from what is the same for all requests; nil is
	// while nothing is sent.
	Rand func() *rand.Rand
	// Edits hears of each place that a step or the envelope changes; nil for nobody.
	Edits func(Edit)
}

// NewID is a new id that begins with the prefix.
func (o *Options) NewID(prefix string) ojson.Value {
	if o.Draw == nil {
		return ojson.String(prefix)
	}
	return o.Draw(prefix)
}

// Edit is a place that a step or the envelope changes in a finished chunk, or the
// envelope in a whole answer.
type Edit struct {
	Group  *script.Group // Group is nil for what the envelope changes.
	Word   string        // Word is omit or set.
	Path   scenarios.Path
	Full   ojson.Path  // Full is the path from the top of the chunk.
	Chunk  ojson.Value // Chunk is the chunk before the change; Absent if such a chunk never has the place.
	Struck bool        // Struck says that there was such a place, or that only the request tells.
}

// Amend takes out and overwrites what the step of a group says, in the finished
// chunk; complete writes a path in full.
func (o *Options) Amend(v ojson.Value, g *script.Group, complete func(ojson.Path) ojson.Path) ojson.Value {
	if g.Edit == nil || len(g.Edit.Omit) == 0 && len(g.Edit.Set) == 0 {
		return v
	}
	v = v.Clone()
	tell := func(word string, p scenarios.Path, edit func(ojson.Path) bool) {
		e := Edit{Group: g, Word: word, Path: p, Full: complete(p.Path)}
		if o.Edits == nil {
			edit(e.Full)
			return
		}
		e.Chunk = v.Clone()
		e.Struck = edit(e.Full) || hole.On(e.Chunk, e.Full)
		o.Edits(e)
	}
	for _, p := range g.Edit.Omit {
		tell("omit", p, v.Remove)
	}
	for _, a := range g.Edit.Set {
		tell("set", a.Path, func(p ojson.Path) bool { return v.Put(p, a.Value) })
	}
	return v
}

// Overwrites reports whether a step or the envelope changes what the chunk of a
// group says in one of these members; complete writes a path in full.
func (o *Options) Overwrites(g *script.Group, complete func(ojson.Path) ojson.Path, members ...string) bool {
	in := func(extra ojson.Value) bool {
		return slices.ContainsFunc(members, func(name string) bool { return !extra.Get(name).IsAbsent() })
	}
	at := func(p scenarios.Path) bool { return slices.Contains(members, complete(p.Path)[0].Name) }
	setAt := func(a scenarios.Assignment) bool { return at(a.Path) }
	if env := &o.Envelope; in(env.Extra) || slices.ContainsFunc(env.Omit, at) || slices.ContainsFunc(env.Set, setAt) {
		return true
	}
	return g.Edit != nil && (in(g.Edit.Extra) || slices.ContainsFunc(g.Edit.Omit, at) || slices.ContainsFunc(g.Edit.Set, setAt))
}

// Changes reports whether a step or the envelope changes anything in the finished
// chunk of a group.
func (o *Options) Changes(g *script.Group) bool {
	env, e := &o.Envelope, g.Edit
	return len(env.Omit)+len(env.Set)+len(env.Extra.Members()) > 0 || e != nil && len(e.Omit)+len(e.Set)+len(e.Extra.Members()) > 0
}

// Streams reports whether an answer is sent piece by piece: as the request asks,
// unless the scenario's wire answers in another format.
func Streams(sel *scenarios.Selection) bool {
	switch sel.Manner.Wire.Format {
	case "":
		return sel.Request.Stream
	case "json":
		return false
	}
	return true
}

// NamesKinds reports whether damage names the frames that it strikes by their
// kind, which may follow from a text: one that is empty says nothing.
func NamesKinds(m *scenarios.Manner) bool {
	byKind := func(s scenarios.Selector) bool {
		return slices.ContainsFunc(s.Each(), func(s scenarios.Selector) bool { return s.Kind != "" && s.Kind != "all" })
	}
	return slices.ContainsFunc(m.Damage, func(d scenarios.Damage) bool { return byKind(d.Frames) || byKind(d.With) })
}

// Unsayable is the error for a reply that a surface has no words for.
type Unsayable struct {
	Surface string
	Step    int    // Step is the position of the step in the reply's stream; -1 for a message.
	What    string // What is the thing that cannot be said, in the words of the language.
	// Pos is where the envelope says it; the zero value is of a step or a message.
	Pos diag.Pos
	// InEnvelope says that it stands in the envelope.
	InEnvelope bool
	Hint       string // Hint says what to write in its place; "" is to leave it out.
}

// Error names the step and what it says.
func (u *Unsayable) Error() string {
	if u.InEnvelope {
		return fmt.Sprintf("the envelope holds %s, which %s have no words for", u.What, u.Surface)
	}
	if u.Step < 0 {
		return fmt.Sprintf("the message holds %s, which %s have no words for", u.What, u.Surface)
	}
	return fmt.Sprintf("step %d is %s, which %s have no words for", u.Step+1, u.What, u.Surface)
}

// OfResponses is the error for an envelope that says what only responses have, or nil.
func (o *Options) OfResponses(surface string) error {
	r := o.Envelope.Response
	if r == nil {
		return nil
	}
	return &Unsayable{Surface: surface, Step: -1, What: "a response", Pos: r.Pos, InEnvelope: true}
}

// NewUnit is the unit of a group, with what it says of the wire if that is all
// that it says; closes reports that the stream ends after it.
func NewUnit(g *script.Group) (u compile.Unit, isWire, closes bool) {
	u = compile.Unit{Step: g.Step, Gap: g.Gap, Jitter: g.Jitter, Run: g.Run, RunGap: g.RunGap, Times: g.Times, Loop: g.Loop}
	if g.IsChunk() {
		u.Paced = true
	} else {
		u, closes = wireUnit(u, g)
	}
	if w := g.Wire; w != nil {
		u.Wire = w.StepWire
		e := &u.Event
		e.Comment, e.Event = cmp.Or(e.Comment, w.Comment), cmp.Or(e.Event, w.Event)
		e.ID, e.Retry = cmp.Or(e.ID, w.ID), cmp.Or(e.Retry, w.Retry)
	}
	return u, !g.IsChunk(), closes
}

// wireUnit is u with what a group says of the wire.
func wireUnit(u compile.Unit, g *script.Group) (_ compile.Unit, closes bool) {
	switch beat := g.Beats[0].(type) {
	case script.Comment:
		u.Kind, u.Event.Comment = "comment", &beat.Text
	case script.Raw:
		u.Kind, u.Repeat = "raw", beat.Repeat
		if u.Repeat == nil {
			u.Raw = &beat.Bytes
		}
	case script.Event:
		u.Kind, u.Event = "event", sseEvent(beat)
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
		closes = beat.Close
	case script.Done:
		u = Done(u)
	case script.Wait:
		u.Kind, u.Silent = "wait", true
	case script.Hold:
		u.Kind, u.Hold = "hold", beat.Name
	}
	return u, closes
}

// Done is the unit that tells a client that the stream is complete.
func Done(u compile.Unit) compile.Unit {
	u.Kind, u.Final, u.Event = "done", true, sse.Event{Data: []byte("[DONE]")}
	return u
}

func sseEvent(e script.Event) sse.Event {
	out := sse.Event{Event: textPointer(e.Event), ID: textPointer(e.ID), Retry: textPointer(e.Retry)}
	if e.Data.Present {
		out.Data = []byte(e.Data.Value)
	}
	return out
}

func textPointer(o scenarios.Opt[string]) *string {
	if !o.Present {
		return nil
	}
	return &o.Value
}

// Each speaks the groups of a script in order: chunk says those that are part of
// the answer. The stream closes with [DONE] unless the script says how it ends.
func Each(s *script.Script, chunk func(u *compile.Unit, g *script.Group) error) ([]compile.Unit, error) {
	units := make([]compile.Unit, 0, len(s.Groups)+1)
	for i := range s.Groups {
		g := &s.Groups[i]
		u, isWire, closes := NewUnit(g)
		if !isWire {
			if err := chunk(&u, g); err != nil {
				return nil, err
			}
		}
		units = append(units, u)
		if closes {
			return units, nil
		}
	}
	if !s.OwnDone {
		done := Done(compile.Unit{})
		if n := len(units); n > 0 {
			done.Step = units[n-1].Step
		}
		units = append(units, done)
	}
	return units, nil
}
