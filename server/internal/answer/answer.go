// Package answer makes the server's answers. It selects a reply for a request, checks
// the request, takes the reply, builds its script, speaks it on the request's surface,
// compiles it to a program and fills the program's holes. Whatever does not depend on
// the request is done once and cached.
package answer

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Answer is a reply made ready for one request. Only the connection can still fail.
type Answer struct {
	Program *player.Program // Program is what is played.
	Values  *player.Values  // Values fill the program's holes.
	Status  int
	// Header is shared with other answers and must not be changed.
	Header  http.Header
	Streams bool // Streams says that the body is a stream of events.
	// Shutdown is sent at the end of the stream when the server shuts down; nil sends
	// nothing.
	Shutdown []byte
	// Tokens is the sum of the request's and the answer's tokens, as in usage.
	Tokens int
	// ID is the id under which the answer can be retrieved; "" if it cannot be.
	ID      string
	Created int64 // Created is the creation time in the answer, in seconds since 1970.
	// Transcript is what the reply says that the sound of the client says.
	Transcript string

	shares    *program // shares is the program whose bytes the answer shares; nil if it has its own.
	rewritten bool     // rewritten says that steps or the envelope change what the kinds of frames say.
	madeBy    *builder // madeBy owns the memory of the answer; nil if the memory is not reused.
}

// Maker makes the answers of one set of scenarios. It may be used concurrently.
type Maker struct {
	cache *cache // cache has the programs; all makers of a set that was warmed share it.
}

// NewMaker returns a maker with a cache of its own.
func NewMaker() *Maker { return &Maker{cache: new(cache)} }

// Asked is a selected reply, the surface it answers on, and what its request wants.
type Asked struct {
	*scenarios.Selection
	Want         script.Want
	Surface      surface.Surface
	PromptTokens int // PromptTokens estimates the tokens of the request's input.
	// Draw counts the equal answers up to this one, each of which gets ids of its own; 0 gives
	// it the ids of the first.
	Draw int

	struck  bool     // struck says that a fault is laid over the reply.
	alone   bool     // alone says that no other request has this reply.
	program *program // program is the cached program, which Sayable looks up for Make; nil if there is none.
}

// Ask reads what the selection's request wants of its answer. Azure says that the
// request came on a path of Azure OpenAI.
func Ask(s surface.Surface, sel *scenarios.Selection, azure bool) *Asked {
	return &Asked{Selection: sel, Want: s.Want(sel, azure), Surface: s, PromptTokens: sel.Request.PromptTokens}
}

// AsMessages sends each event as a WebSocket message of its own. Options of the wire
// that have no meaning there (of lines, of the header, and how events are cut or put together)
// are dropped.
func (a *Asked) AsMessages() {
	sel, manner := *a.Selection, *a.Manner // all requests share the manner
	w := &manner.Wire
	w.Format, w.Gzip, w.GzipForced, w.FinalBlank, w.Length = "", "", false, nil, ""
	w.Newline, w.Newlines, w.Space, w.BOM, w.IDs, w.Retry, w.MultilineData, w.DataLines = "", [2]string{}, nil, nil, nil, nil, nil, 0
	w.Split, w.Coalesce, w.ContentType = nil, 0, nil
	if a.Reply.Error == nil && w.Body == nil { // a body can be that of an error, which has both
		w.Status, w.Headers = 0, nil
	}
	sel.Manner = &manner
	a.Selection, a.Want.Messages, a.Want.Stream = &sel, true, true
}

// Sayable returns the error for a reply that cannot give the answer which the request
// wants: a [*surface.Unsayable] if the surface cannot express it, a [*TooFewChoices] if
// the reply has too few choices, and the problem of a reply that breaks a rule of the
// surface.
func (m *Maker) Sayable(a *Asked) error {
	if a.Reply.Error != nil || a.Manner.Wire.Body != nil || a.Reply.Whole() != "" {
		return nil
	}
	if problem, refused := a.Reply.RefusedOn[a.Surface.Info().Name]; refused {
		return fmt.Errorf("%s: %w", ownerOf(a.Selection), diag.List{problem})
	}
	if m := a.Reply.Message; m != nil && len(m.Choices) > 0 && a.Want.N > len(m.Choices) {
		return fmt.Errorf("%s: %w", ownerOf(a.Selection), &TooFewChoices{Has: len(m.Choices), Wanted: a.Want.N})
	}
	var err error
	if a.program, err = m.cache.get(a); err != nil {
		a.program = nil
	}
	if unsayable, ok := errors.AsType[*surface.Unsayable](err); ok {
		return fmt.Errorf("%s: %w", ownerOf(a.Selection), unsayable)
	}
	return nil
}

// TooFewChoices is the error for a message with fewer choices than the request's n.
type TooFewChoices struct{ Has, Wanted int }

// Error gives both numbers, and says what to change.
func (e *TooFewChoices) Error() string {
	return fmt.Sprintf("the message has %d choices, and the request asks for %d: ask for n: %d at most, or write %d more under choices",
		e.Has, e.Wanted, e.Has, e.Wanted-e.Has)
}

// Make makes the answer of a selected reply, which is created when its request came: at the request's Time,
// or now if that is zero. An error that wraps [script.ErrRequest] is
// the request's fault; any other is the scenario's.
func (m *Maker) Make(asked *Asked) (*Answer, error) {
	p := builders.Get().(*builder)
	came := asked.Request.Time
	if came.IsZero() {
		came = time.Now()
	}
	p.maker, p.Asked, p.createdAt = m, asked, came.Unix()
	if written := asked.Manner.Envelope.Created; written.Present && !written.Null {
		p.createdAt = written.Value
	}
	p.tokens = asked.PromptTokens // errors and fixed bodies cost no more than this
	a, err := p.answer()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ownerOf(asked.Selection), err)
	}
	a.Tokens = p.tokens
	if a.Transcript, err = render.Text(asked.Selection, asked.Reply.Transcript); err != nil {
		return nil, fmt.Errorf("%s: %w", ownerOf(asked.Selection), err)
	}
	if a.Status == http.StatusNoContent || a.Status == http.StatusNotModified {
		a.leaveBodyOut()
	}
	return a, nil
}

// leaveBodyOut drops the body of an answer but keeps its holds, for statuses that have
// no body in HTTP.
func (a *Answer) leaveBodyOut() {
	bare := *a.Program // the program may be shared
	bare.Frames, bare.Due = nil, nil
	for f, due := range a.Program.All() {
		if f.Hold != "" {
			hold := *f
			hold.Due = due
			bare.Frames = append(bare.Frames, hold)
		}
	}
	a.Program, a.shares, a.Shutdown = &bare, nil, nil
}

// builders is a pool of builders for reuse by later answers.
var builders = sync.Pool{New: func() any { return new(builder) }}

// builder makes the answer of one request. It holds all memory that the answer needs,
// so that one allocation is enough, and lives as long as the answer.
type builder struct {
	*Asked
	maker     *Maker
	tokens    int   // tokens is the sum of the request's tokens and those known of the answer.
	createdAt int64 // createdAt is the creation time in the answer, in seconds since 1970.
	empty     bool  // empty says that a text of the answer is empty.

	made     Answer
	fillings player.Values
	filler   surface.Filler
	envelope surface.Envelope
	padding  invent.Source
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
		p.padding = invent.SourceFor(p.Selection, "obfuscation")
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
	style.Indent, style.Spaces = "", style.Spaces || style.Indent != "" // what fills a hole must fit on its data: line
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
	if p.tokens, p.empty, err = of.script.Fill(p.Selection, style, p.PromptTokens, v); err != nil {
		return nil, err
	}
	for _, fill := range of.later {
		fill(&p.filler)
	}
	return v, nil
}

// filled returns the program for the request, and the values of its holes. The program is the given one
// unless an empty text of the request makes it unfit.
func (p *builder) filled(of *program) (*program, *player.Values, error) {
	values, err := p.values(of)
	if err != nil || !p.empty || !of.joinsTexts {
		return of, values, err
	}
	if of, err = alone(p.Asked); err != nil {
		return nil, nil, err
	}
	p.fillings = player.Values{}
	values, err = p.values(of)
	return of, values, err
}

// answer makes the answer.
func (p *builder) answer() (*Answer, error) {
	switch {
	case p.Reply.Error != nil:
		return p.httpError(p.Reply.Error)
	case p.Manner.Wire.Body != nil:
		return p.fixedBody(p.Manner.Wire.Body)
	case p.Reply.Whole() != "":
		body := SurfaceNamed(p.Reply.Whole()).(surface.Whole).Body(p.Selection)
		return p.wholeBody(compile.Unit{Kind: kindBody, Raw: &body}, "application/json")
	}
	of, err := p.maker.program(p.Asked)
	if err != nil {
		return nil, err
	}
	of, values, err := p.filled(of)
	if err != nil {
		return nil, err
	}
	if of.failure != nil {
		return p.errorBody(of.failure.Status, compile.FillHoles(of.failure.JSON(), values))
	}
	played, err := p.played(of, values)
	if err != nil {
		return nil, err
	}
	a := &p.made
	*a = Answer{
		Program: played, Values: values, Status: cmp.Or(p.Manner.Wire.Status, http.StatusOK), Header: of.header, Streams: p.Want.Stream,
		ID: p.keptID(of, values), Created: p.createdAt, rewritten: of.rewritten, madeBy: p,
	}
	if played == of.shared {
		a.shares = of
	}
	if a.Header == nil {
		if a.Header, err = p.header(contentType(p.Want, p.Manner), p.Manner.Wire.ContentType); err != nil {
			return nil, err
		}
	}
	if p.Want.Stream && len(p.Manner.Wire.OnShutdown) > 0 {
		a.Shutdown, err = p.shutdown(of, values)
	}
	return a, err
}

// played returns the program to play for the request: the shared one, or one of its own
// if the shared one does not fit.
func (p *builder) played(of *program, values *player.Values) (*player.Program, error) {
	var after string         // the id of the event after which the stream continues
	var repeated ojson.Value // members that an answer in one piece repeats
	if p.Want.Stream {
		after = http.Header(p.Request.Header).Get("Last-Event-Id")
	} else if repeats := p.Surface.Info().Repeated; repeats != nil {
		repeated = repeats(p.Request)
	}
	switch {
	case of.shared == nil || after != "" || !repeated.IsAbsent():
		done, err := awaitBuilding(p.Context, of.events(values))
		if err != nil {
			return nil, err
		}
		defer done()
		r := p.request(values, of.drawsPauses)
		r.After = after
		return of.forRequest(r, repeated)
	case of.drawsPauses:
		return of.withPauses(p.pauses()), nil
	}
	return of.shared, nil
}

// program returns the cached program for what a request wants or, if more depends on the
// request than holes can express, a program for this request alone.
func (m *Maker) program(a *Asked) (p *program, err error) {
	if a.alone {
		return alone(a)
	}
	p, a.program = a.program, nil // a is kept longer than the answer, and must not keep the program alive
	if p == nil {
		p, err = m.cache.get(a)
	}
	if err != nil || !p.perRequest {
		return p, err
	}
	return alone(a)
}

// alone makes a program for a request alone.
func alone(a *Asked) (*program, error) {
	p, err := scripted(a, script.NewFor(a.Selection, a.Want))
	if err != nil {
		return nil, err
	}
	return p, p.finish(a.Context, a)
}

// hasTemplate reports whether the manner has a template in a text that becomes part of
// the program. Texts that are rendered for each answer anyway do not count.
func hasTemplate(m *scenarios.Manner) bool {
	built := *m
	e, w := &built.Envelope, &built.Wire
	none := scenarios.Opt[scenarios.Text]{}
	e.ID, e.Model, e.SystemFingerprint, e.ServiceTier = none, none, none, none
	w.ContentType, w.Headers, w.Body, w.OnShutdown = nil, nil, nil, nil
	return render.HasTemplate(&built)
}

// maxWarm is how many replies are looked at for long answers at start. More would delay the start.
const maxWarm = 64

// quickAnswer is the number of events up to which a program is built within a millisecond. A request
// does not notice that, and most tests ask for few of their replies.
const quickAnswer = 30

// programsKey is the key under which a set keeps its programs, which depend on the
// seed.
type programsKey struct{ seed int64 }

// Warm builds the programs of long answers among the first [maxWarm] replies for the usual
// streaming request, so that such a request finds its program ready. All makers of a set share
// its programs, so this happens once, however many servers play the set. Sets whose
// files are not read yet are skipped.
func (m *Maker) Warm(set *scenarios.Set, seed int64) {
	m.cache = set.Keep(programsKey{seed}, func() any {
		warmed := NewMaker()
		if !set.IsDeferred() {
			warmed.build(set, seed)
		}
		return warmed.cache
	}).(*cache)
}

func (m *Maker) build(set *scenarios.Set, seed int64) {
	n := 0
	for sel := range set.Selections(seed) {
		if sel.Reply.Error != nil || sel.Reply.Whole() != "" {
			continue
		}
		if n++; n > maxWarm {
			return
		}
		s := SurfaceOf(sel.Scenario, sel.Reply)
		sel.Request = &scenarios.Request{Surface: s.Info().Name, Model: s.Info().DefaultModel, Stream: true, N: 1, IncludeObfuscation: true}
		asked := Ask(s, sel, false)
		b := script.New(sel, asked.Want)
		b.Sketches = true
		if sc, problems := b.Reply(s); len(problems) == 0 && sc.Events() > quickAnswer {
			_, _ = m.cache.get(asked) // the error comes back when a request asks for the reply, and is reported then
		}
	}
}

// request returns the inputs of compilation that depend on the request. Drawn says that
// its pauses are random.
func (p *builder) request(values *player.Values, drawn bool) compile.Request {
	m := p.Manner
	r := compile.Request{Gzip: m.Wire.Gzip != "" && acceptsGzip(p.Request), Values: values, Rand: invent.Rand(p.Selection, "pace")}
	if len(m.Damage) > 0 || m.End.Chance != nil {
		r.Chance = invent.RequestRand(p.Selection, fmt.Sprint("chance ", p.Request.Attempt))
	}
	if drawn {
		r.Pauses = p.pauses()
	}
	return r
}

// pauses returns what random pauses depend on. A repeated request draws other pauses.
func (p *builder) pauses() compile.Pauses {
	return compile.Pauses{Rand: invent.RequestRand(p.Selection, fmt.Sprint("pace ", p.Request.Attempt))}
}

// shutdown returns the bytes that end the stream when the server shuts down.
func (p *builder) shutdown(of *program, values *player.Values) ([]byte, error) {
	sc, problems := script.NewFor(p.Selection, p.Want).Steps(p.Manner.Wire.OnShutdown)
	if len(problems) > 0 {
		return nil, problems[:1]
	}
	sc.OwnDone = true // send no [DONE] that is not written
	o := of.speakOptions
	o.Said = of.spoken + of.events(values) - of.events(nil)
	o.Draw, o.Later = nil, nil // the program is shared, its holes are already filled
	units, err := p.Surface.Speak(sc, &o)
	if err != nil {
		return nil, err
	}
	return compile.Shutdown(units, of.compileOptions, compile.Request{Rand: invent.Rand(p.Selection, "pace"), Values: values})
}
