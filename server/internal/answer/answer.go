// Package answer makes the answers of the server, in one straight way: a reply
// is selected for a request, the request is checked, the reply is taken; its
// script is built, spoken on the request's surface and compiled to a program;
// and the program's holes are filled in. What does not depend on the request is
// done once.
package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Answer is a reply made ready for one request: nothing about it can fail any
// more but the connection.
type Answer struct {
	Program *player.Program // Program is what is played.
	Values  *player.Values  // Values fill the program's holes.
	Status  int
	// Header is shared with other answers: nobody may change it.
	Header  http.Header
	Streams bool // Streams says that the body is a stream of events.
	// Shutdown is what the stream gets last when the server shuts down; nil is
	// nothing.
	Shutdown []byte
	// Tokens is what the request costs together with the answer, as the usage says.
	Tokens int
	// ID is what the answer can be asked for again by; "" if it cannot be.
	ID      string
	Created int64 // Created is the creation time that the answer bears, in seconds since 1970.

	madeBy *builder // madeBy has the memory of the answer; nil if that is not used again.
}

// Maker makes the answers of one set of scenarios. It may be used by several
// goroutines at the same time.
type Maker struct {
	// Created is the creation time that answers bear, in seconds since 1970. Zero
	// is the time of the request.
	Created int64

	programs *cache // programs are those of all makers of the set; nil for a maker of its own.
	own      cache
}

// Asked is a selected reply and what its request wants, on one surface.
type Asked struct {
	*scenarios.Selection
	Want         script.Want
	Surface      surface.Surface
	PromptTokens int // PromptTokens is how many tokens the request counts as.

	program *program // program is the shared one from Sayable to Make; nil if there is none, or an error.
}

// Ask reads what the selection's request wants of its answer. Azure says that it
// came on a path of Azure OpenAI.
func Ask(s surface.Surface, sel *scenarios.Selection, azure bool) *Asked {
	return &Asked{Selection: sel, Want: s.Want(sel, azure), Surface: s, PromptTokens: s.PromptTokens(sel.Request)}
}

// AsMessages lets each event be a message of its own: what the manner says of other
// formats, of compression and of the end of the last line has no meaning then.
func (a *Asked) AsMessages() {
	sel := *a.Selection
	w := &sel.Manner.Wire
	w.Format, w.Gzip, w.GzipForced, w.FinalNewline, w.FinalBlank, w.Length = "", "", false, nil, nil, ""
	a.Selection, a.Want.Messages, a.Want.Stream = &sel, true, true
}

// Sayable is the error for a reply that does not hold the answer which the request
// wants: a [*surface.Unsayable] where the surface has no words for it, a
// [*TooFewChoices] where it has too few choices.
func (m *Maker) Sayable(a *Asked) error {
	if a.Reply.Error != nil || a.Manner.Wire.Body != nil {
		return nil
	}
	if m := a.Reply.Message; m != nil && len(m.Choices) > 0 && a.Want.N > len(m.Choices) {
		return fmt.Errorf("scenario %q, reply %d: %w", a.Scenario.Name, a.Index+1, &TooFewChoices{Has: len(m.Choices), Wanted: a.Want.N})
	}
	var err error
	if often := tooOften(a.Surface, a.Want, a.Reply); often != nil {
		err = often
	} else if a.program, err = m.shared(a); err != nil {
		a.program = nil
	}
	if unsayable, ok := errors.AsType[*surface.Unsayable](err); ok {
		return fmt.Errorf("scenario %q, reply %d: %w", a.Scenario.Name, a.Index+1, unsayable)
	}
	return nil
}

// tooOften is the error for steps that repeat so often that a surface which says each
// time by itself would need the memory for all of them at once; nil if they do not.
func tooOften(s surface.Surface, want script.Want, r *scenarios.Reply) *surface.Unsayable {
	if want.Loops || r.Stream == nil {
		return nil
	}
	steps := 0
	for i := range *r.Stream {
		before, times := steps, max(1, (*r.Stream)[i].Repeat)
		if steps += times; steps <= compile.MaxWrittenOut {
			continue
		}
		return &surface.Unsayable{
			Surface: s.Name(), Step: i, What: fmt.Sprintf("sent %d times, in a stream of more than %d steps", times, compile.MaxWrittenOut),
			Hint: fmt.Sprintf("write repeat: %d, or when: { surface: chat }, which holds it once", max(1, compile.MaxWrittenOut-before-len(*r.Stream))),
		}
	}
	return nil
}

// TooFewChoices is the error for a message that has fewer choices than the request
// asks for.
type TooFewChoices struct{ Has, Wanted int }

// Error says how many there are, and what can be done.
func (e *TooFewChoices) Error() string {
	return fmt.Sprintf("the message has %d choices, and the request asks for %d: ask for n: %d at most, or write %d more under choices",
		e.Has, e.Wanted, e.Has, e.Wanted-e.Has)
}

// Make makes the answer of a selected reply. An error that wraps
// [script.ErrRequest] is the request's fault; any other is the scenario's.
func (m *Maker) Make(asked *Asked) (*Answer, error) {
	p := builders.Get().(*builder)
	p.maker, p.Asked = m, asked
	p.tokens = asked.PromptTokens // An answer that is no completion costs nothing more.
	a, err := p.answer()
	if err != nil {
		return nil, fmt.Errorf("scenario %q, reply %d: %w", asked.Scenario.Name, asked.Index+1, err)
	}
	a.Tokens = p.tokens
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		a.leaveBodyOut()
	}
	return a, nil
}

// leaveBodyOut keeps what an answer waits for and drops what it sends, for a
// status that has no body in HTTP.
func (a *Answer) leaveBodyOut() {
	bare := *a.Program // the program itself may be shared
	bare.Frames, bare.Due = nil, nil
	for f, due := range a.Program.All() {
		if f.Hold != "" {
			hold := *f
			hold.Due = due
			bare.Frames = append(bare.Frames, hold)
		}
	}
	a.Program, a.Shutdown = &bare, nil
}

func (p *builder) answer() (*Answer, error) {
	if p.Reply.Error != nil {
		return p.httpError(p.Reply.Error)
	}
	if p.Manner.Wire.Body != nil {
		return p.fixedBody(*p.Manner.Wire.Body)
	}
	program, err := p.maker.program(p.Asked)
	if err != nil {
		return nil, err
	}
	values, giveBack, err := p.ready(program)
	if err != nil {
		return nil, err
	}
	defer giveBack()
	if program.failure != nil {
		return p.errorBody(program.failure.Status, compile.FillHoles(program.failure.JSON(), values))
	}
	played, err := p.played(program, values)
	if errors.Is(err, compile.ErrUnknownID) {
		return p.httpError(p.Manner.Wire.UnknownID)
	}
	if err != nil {
		return nil, err
	}
	a := &p.made
	*a = Answer{Program: played, Values: values, Status: p.status(), Streams: p.Want.Stream, ID: p.keptID(program, values), Created: p.created(), madeBy: p}
	if a.Shutdown, err = p.shutdown(program, values); err != nil {
		return nil, err
	}
	if a.Header = program.header; a.Header == nil {
		a.Header, err = p.header(contentType(p.Want, p.Manner), p.Manner.Wire.ContentType)
	}
	return a, err
}

// played is the program that is played for the request: the one of all requests if it
// will do.
func (p *builder) played(of *program, values *player.Values) (*player.Program, error) {
	var repeated ojson.Value
	if !p.Want.Stream {
		repeated = p.Surface.Repeated(p.Request)
	}
	switch {
	case of.shared == nil || p.after() != "" || !repeated.IsAbsent() && !of.open:
		return of.forRequest(p.request(values, of.drawsPauses), repeated)
	case !repeated.IsAbsent():
		values.Set(hole.Rest, of.rest(repeated))
	}
	if of.drawsPauses {
		return of.withPauses(p.pauses()), nil
	}
	return of.shared, nil
}

// ready finishes a program that is the request's own, and is the values that fill a
// program in. What is built for the request is given back with giveBack.
func (p *builder) ready(program *program) (values *player.Values, giveBack func(), err error) {
	giveBack = func() {}
	if !program.perRequest {
		if values, err = p.values(program); err != nil || program.shared != nil {
			return values, giveBack, err
		}
	}
	if giveBack, err = building.take(cmp.Or(p.Context, context.Background()), program.lines(p.Manner, values)); err != nil || !program.perRequest {
		return values, giveBack, err
	}
	if err = program.finish(p.Selection, p.Want); err == nil {
		values, err = p.values(program)
	}
	if err != nil {
		giveBack()
	}
	return values, giveBack, err
}

// program is the program for what a request wants: from the cache, or the beginning of
// one for this request if more of it than a hole can hold depends on the request.
func (m *Maker) program(a *Asked) (p *program, err error) {
	p, a.program = a.program, nil // who keeps what was asked must not hold on to it
	if p == nil {
		p, err = m.shared(a)
	}
	if err != nil || !p.perRequest {
		return p, err
	}
	p, err = scripted(a.Surface, script.NewFor(a.Selection, a.Want))
	if err == nil {
		p.perRequest = true
	}
	return p, err
}

// shared is the program that all requests share which want the same. The first
// who asks builds it.
func (m *Maker) shared(a *Asked) (*program, error) {
	return m.cache().get(key{a.Reply, a.Want}, func() (*program, error) { return build(a.Surface, a.Selection, a.Want) })
}

// hasTemplate reports whether a text of the manner that becomes part of a program
// depends on the request. Texts that are rendered for each answer do not count.
func hasTemplate(m *scenarios.Manner) bool {
	built := *m
	e, w := &built.Envelope, &built.Wire
	none := scenarios.Opt[scenarios.Text]{}
	e.ID, e.Model, e.SystemFingerprint, e.ServiceTier = none, none, none, none
	w.ContentType, w.Headers, w.Body, w.OnShutdown, w.UnknownID = nil, nil, nil, nil, nil
	return render.HasTemplate(&built)
}

// maxWarm bounds how many replies are warmed. Of more than that a test asks for few, and
// whoever starts a server waits.
const maxWarm = 64

// programsKey is the key of a set's programs. They depend on the seed.
type programsKey struct{ seed int64 }

// Warm builds the programs of the first replies as most requests ask for them, so that
// the first such request finds its program ready. All makers of a set share its
// programs, so that it is done once however many servers play the set. Scenarios that
// are not read yet are left alone.
func (m *Maker) Warm(set *scenarios.Set, seed int64) {
	m.programs = set.Keep(programsKey{seed}, func() any {
		warmed := Maker{programs: new(cache)}
		if !set.IsDeferred() {
			warmed.build(set, seed)
		}
		return warmed.programs
	}).(*cache)
}

func (m *Maker) build(set *scenarios.Set, seed int64) {
	n := 0
	for sel := range set.Selections(seed) {
		if sel.Reply.Error != nil {
			continue
		}
		if n++; n > maxWarm {
			return
		}
		s := surfaceOf(sel.Scenario, sel.Reply)
		sel.Request = &scenarios.Request{Surface: s.Name(), Model: s.DefaultModel(), Stream: true, N: 1, IncludeObfuscation: true}
		// What fails here fails again for the request, and is told to it.
		_, _ = m.shared(Ask(s, sel, false))
	}
}

// cache is where the programs are.
func (m *Maker) cache() *cache {
	if m.programs != nil {
		return m.programs
	}
	return &m.own
}

// request has what the program depends on beside its script. Drawn says that its
// pauses are drawn.
func (p *builder) request(values *player.Values, drawn bool) compile.Request {
	m := p.Manner
	r := compile.Request{Gzip: m.Wire.Gzip != "" && acceptsGzip(p.Request), Values: values, Rand: draw.Rand(p.Selection, "pace"), After: p.after()}
	if len(m.Damage) > 0 || m.End.Chance != nil {
		r.Chance = draw.RequestRand(p.Selection, fmt.Sprint("chance ", p.Request.Attempt))
	}
	if drawn {
		r.Pauses = p.pauses()
	}
	return r
}

// pauses are what the pauses of the answer depend on: a request that is sent again
// draws others.
func (p *builder) pauses() compile.Pauses {
	return compile.Pauses{Rand: draw.RequestRand(p.Selection, fmt.Sprint("pace ", p.Request.Attempt)), PromptTokens: p.PromptTokens}
}

// after is the id of the event after which a stream is to go on; "" for the start.
func (p *builder) after() string {
	if !p.Want.Stream {
		return ""
	}
	return http.Header(p.Request.Header).Get("Last-Event-Id")
}

func (p *builder) status() int {
	if s := p.Manner.Wire.Status; s != 0 {
		return s
	}
	return http.StatusOK
}

// shutdown is the bytes that the stream gets last when the server shuts down; nil
// for none.
func (p *builder) shutdown(of *program, values *player.Values) ([]byte, error) {
	steps := p.Manner.Wire.OnShutdown
	if len(steps) == 0 || !p.Want.Stream {
		return nil, nil
	}
	want := p.Want
	want.Loops = false // what is sent then is made at once
	b := script.NewFor(p.Selection, want)
	sc, problems := b.Steps(steps)
	if len(problems) > 0 {
		return nil, problems[:1]
	}
	sc.OwnDone = true // no [DONE] but a written one
	o := of.speakOptions
	o.Said, o.Draw = of.spoken, nil // the program is shared, and its ids are drawn
	units, err := p.Surface.Speak(sc, o)
	if err != nil {
		return nil, err
	}
	return compile.Shutdown(units, of.compileOptions, compile.Request{Rand: draw.Rand(p.Selection, "pace"), Values: values})
}
