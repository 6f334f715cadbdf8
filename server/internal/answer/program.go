package answer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// program is a reply prepared for what a request wants. It holds the script, and the
// spoken and framed result as far as these can be made without the request.
type program struct {
	script         *script.Script
	surface        surface.Surface
	speakOptions   surface.Options
	compileOptions compile.Options
	units          []compile.Unit          // units are dropped for a stream once they are framed.
	spoken         int                     // spoken is how many units there were.
	drawn          []surface.Drawn         // drawn are the ids for which speaking reserved holes.
	later          []func(*surface.Filler) // later fill the holes that speaking and folding reserved for what follows from texts.
	rewritten      bool                    // rewritten says that a step or the envelope can overwrite the answer's id.

	// perRequest says that each request needs a program of its own. The cached program
	// then holds only the script.
	perRequest bool
	// joinsTexts says that a request with an empty text needs a program of its own, too: such a text can
	// leave out events, an item or a member.
	joinsTexts bool

	stream *compile.Stream // stream is nil for an answer in one piece.
	// failure is the error that ends an answer in one piece; nil for none.
	failure *script.Error
	// body is an answer in one piece; Absent for a stream, or if the body depends on
	// the request.
	body ojson.Value
	// shared is played for all requests; nil if each needs a program of its own.
	shared *player.Program
	// all, last and fails are what countFrames says of shared.
	all, last int
	fails     bool
	read      sync.Once // read makes got.
	got       Got       // got is what all clients come to that read all of shared, if it is large.
	// drawsPauses says that each request plays shared with its own random pauses.
	drawsPauses bool

	fingerprint string      // fingerprint is drawn for the envelope if the author wrote none.
	header      http.Header // header is that of all answers; nil if the header depends on the request.
}

// building is a semaphore for long answers: one of a hundred thousand events takes some
// hundred megabytes while it is built. All servers of the process share it.
var building = make(chan struct{}, 2)

// longAnswer is the number of events above which an answer waits for building.
const longAnswer = 500

var errLeft = errors.New("the client left before its answer was made")

// awaitBuilding waits until an answer with this number of events can be built, or ctx ends; a nil ctx
// never ends. The caller calls done when the answer is built.
func awaitBuilding(ctx context.Context, events int) (done func(), err error) {
	if events <= longAnswer {
		return func() {}, nil
	}
	select {
	case building <- struct{}{}:
		return func() { <-building }, nil
	case <-cmp.Or(ctx, context.Background()).Done():
		return nil, errLeft
	}
}

// build makes the program that all requests share which want the same of the selected
// reply.
func build(a *Asked) (*program, error) {
	p, err := scripted(a, script.New(a.Selection, a.Want))
	if err != nil {
		return nil, err
	}
	p.perRequest = p.script.PerRequest || hasTemplate(a.Manner)
	if p.perRequest {
		// Whether the surface can express the reply does not depend on the request.
		return p, a.Surface.Info().Sayable(p.script, &surface.Options{Want: a.Want, Envelope: a.Manner.Envelope, FromMessage: a.Reply.Message != nil})
	}
	return p, p.finish(context.Background(), a)
}

func scripted(a *Asked, b *script.Builder) (*program, error) {
	sc, problems := b.Reply(a.Surface)
	if len(problems) == 0 {
		return &program{script: sc, surface: a.Surface}, nil
	}
	if b.BlamesRequest() {
		return nil, fmt.Errorf("%w: %w", script.ErrRequest, problems[:1])
	}
	return nil, problems[:1]
}

// events is how many events are built for a request with these values.
func (p *program) events(values *player.Values) int {
	n := p.script.Events()
	for i := range p.script.Groups {
		if series := p.script.Groups[i].Series; series != 0 && values != nil {
			n += values.Series(series).Len() - 1
		}
	}
	return n
}

// finish speaks the script and compiles the units, unless ctx ends before it has begun.
func (p *program) finish(ctx context.Context, a *Asked) error {
	done, err := awaitBuilding(ctx, p.events(nil))
	if err != nil {
		return err
	}
	defer done()
	if err := p.speak(a); err != nil {
		return err
	}
	p.joinsTexts = p.script.OpenTexts() && (a.Want.RepeatsTexts || !a.Want.Stream)
	p.drawsPauses = compile.DrawsPauses(p.units, &a.Manner.Pace)
	if fixedHeader(a.Manner) {
		b := builder{Asked: a}
		if p.header, err = b.header(contentType(a.Want, a.Manner), a.Manner.Wire.ContentType); err != nil {
			return err
		}
	}
	if a.Want.Stream {
		err = p.frame(a.Selection)
	} else {
		p.fold(a.Selection)
	}
	if p.shared != nil {
		p.all, p.last, p.fails = countFrames(p.shared)
	}
	return err
}

// speak turns the script into units. It sets the options member by member: they are large, and so would be the stack
// that the connection of a first request needs for copies of them.
func (p *program) speak(a *Asked) (err error) {
	sel, o, c := a.Selection, &p.speakOptions, &p.compileOptions
	o.Want, o.FromMessage, o.EndMark = a.Want, sel.Reply.Message != nil, asksForEndMark(sel.Manner)
	o.Draw, o.Later, o.Rand = p.draw, p.reserve, func() *rand.Rand { return invent.Rand(sel, "speaking") }
	o.Envelope = sel.Manner.Envelope
	if err := renderEnvelope(sel, &o.Envelope); err != nil {
		return err
	}
	if object := &sel.Manner.Envelope.Object; object.Present && !object.Null {
		if o.Object, err = render.Text(sel, object.Value); err != nil {
			return err
		}
	}
	c.Manner, c.FromMessage, c.Complete, c.Number = *sel.Manner, o.FromMessage, p.surface.Info().Complete, p.surface.Info().Number
	c.Render = func(t scenarios.Text) (string, error) { return render.Text(sel, t) }
	p.rewritten, p.fingerprint = rewrites(p.script, &sel.Manner.Envelope), surface.Fingerprint(sel)
	p.units, err = p.surface.Speak(p.script, o)
	p.spoken = len(p.units)
	return err
}

// renderEnvelope renders the templates in a copy of the reply's envelope whose texts become part of
// the program.
func renderEnvelope(sel *scenarios.Selection, e *scenarios.Envelope) (failed error) {
	value := func(v *ojson.Value, at diag.Pos) {
		rendered, err := render.Value(sel, *v)
		*v, failed = rendered, cmp.Or(failed, render.Placed(at, err))
	}
	value(&e.Extra, diag.Pos{})
	value(&e.CreatedAs, diag.Pos{})
	e.Set = slices.Clone(e.Set)
	for i := range e.Set {
		value(&e.Set[i].Value, e.Set[i].Path.Pos)
	}
	if e.Response != nil {
		r := *e.Response
		value(&r.IncompleteDetails, r.Pos)
		value(&r.Error, r.Pos)
		e.Response = &r
	}
	return failed
}

// draw reserves a hole for an id that each request draws.
func (p *program) draw(prefix string) ojson.Value {
	id := p.freeHole()
	if id > hole.Max {
		return ojson.String(prefix)
	}
	p.drawn = append(p.drawn, surface.Drawn{Hole: id, Prefix: prefix})
	return hole.Value(id)
}

// reserve reserves a hole for what follows from texts: see [surface.Options.Later].
func (p *program) reserve(fill func(*surface.Filler, hole.ID)) ojson.Value {
	id := p.freeHole()
	p.later = append(p.later, func(f *surface.Filler) { fill(f, id) })
	return hole.Value(id)
}

func (p *program) freeHole() hole.ID {
	return p.script.FreeHole() + hole.ID(len(p.drawn)+len(p.later))
}

// asksForEndMark reports whether wire.done asks for the event that completes a stream.
func asksForEndMark(m *scenarios.Manner) bool { return m.Wire.Done != nil && *m.Wire.Done > 0 }

// frame frames the units as a stream. It makes the program that all requests share,
// unless the stream depends on the request.
func (p *program) frame(sel *scenarios.Selection) (err error) {
	if p.stream, err = compile.NewStream(p.units, p.compileOptions); err != nil {
		return err
	}
	p.units = nil // the frames hold what is needed of them
	if p.stream.PerRequest() || p.drawsPauses && sel.Manner.Wire.Coalesce > 1 {
		return nil
	}
	p.shared, err = p.stream.Program(compile.Request{Rand: invent.Rand(sel, "pace")})
	return err
}

// fold combines the units into an answer in one piece.
func (p *program) fold(sel *scenarios.Selection) {
	if p.failure = failureIn(p.script); p.failure != nil || p.script.OpenTexts() && !p.script.TextsAlone() {
		return
	}
	p.body = p.surface.Fold(p.units, p.speakOptions)
	if !compile.Bytewise(sel.Manner) && compile.PiecesTakeNoTime(p.units, &sel.Manner.Pace) {
		p.shared = p.onePiece(p.units, p.body, compile.Request{Rand: invent.Rand(sel, "pace")})
	}
}

// kindBody is the kind of an answer in one piece, in damage and in reports.
const kindBody = "completion"

func (p *program) onePiece(units []compile.Unit, body ojson.Value, r compile.Request) *player.Program {
	return compile.Body(units, compile.Unit{Kind: kindBody, JSON: body, FinalNewline: true}, &p.compileOptions, r)
}

func failureIn(sc *script.Script) *script.Error {
	for i := range sc.Groups {
		if len(sc.Groups[i].Beats) == 0 {
			continue
		}
		if failure, ok := sc.Groups[i].Beats[0].(script.Error); ok {
			failure.Flat = false // only an event is flat
			return &failure
		}
	}
	return nil
}

// forRequest makes the program of one request, with its holes filled. An answer in one
// piece gets the members of repeated that the scenario does not write itself.
func (p *program) forRequest(r compile.Request, repeated ojson.Value) (*player.Program, error) {
	if p.stream != nil {
		return p.stream.Program(r)
	}
	units, body := p.units, p.body
	if body.IsAbsent() {
		units = compile.ExpandAndFill(units, r.Values)
		body = p.surface.Fold(units, p.speakOptions)
	}
	if !repeated.IsAbsent() {
		body = body.Clone()
	}
	for _, m := range repeated.Members() {
		if body.Get(m.Name).IsAbsent() {
			body.Set(m.Name, m.Value)
		}
	}
	return p.onePiece(units, body, r), nil
}

// withPauses returns the shared program with the random pauses of one request.
func (p *program) withPauses(of compile.Pauses) *player.Program {
	if p.stream != nil {
		return p.stream.WithPauses(p.shared, of)
	}
	return compile.BodyWithPauses(p.shared, p.units, &p.compileOptions.Manner, of)
}

const groupBytes = 600

func (p *program) size() int64 {
	n := groupBytes * int64(len(p.script.Groups))
	n += compile.Size(p.units)
	if p.stream != nil {
		n += p.stream.Size()
	}
	if p.shared != nil {
		n += p.shared.Size()
	}
	return n
}

// maxPrograms is how many programs a cache holds. Only a client that varies its
// requests to the same reply without end comes near it.
const maxPrograms = 4096

// maxProgramBytes is about how much memory the programs of a cache take together. A
// larger program is cached alone.
const maxProgramBytes = 256 << 20

// key identifies a program. It holds everything that a program is made of: the reply,
// with its scenario and manner, what the request wants, and the seed. A program is built
// without any other part of a request.
type key struct {
	reply *scenarios.Reply
	want  script.Want
	seed  int64
	// struck says that the reply has a fault laid over it.
	struck bool
}

// cache holds programs. The zero value is ready to use.
type cache struct {
	mu           sync.Mutex // mu guards entries, faults, bytes, hits and misses.
	entries      map[key]*entry
	faults       map[faultKey]*faulty
	bytes        int64 // bytes is the size of the entries.
	limit        int64 // limit is the maximum of bytes; 0 stands for maxProgramBytes.
	hits, misses int
}

// entry is a program that one goroutine builds while others wait for it.
type entry struct {
	once    sync.Once
	program *program
	err     error
	size    int64 // size is the size of the program once it is built; it is guarded by the cache's mu.
}

// get returns the program that is shared by all requests which want the same of a reply. The
// first caller builds it.
func (c *cache) get(a *Asked) (*program, error) {
	k := key{a.Reply, a.Want, a.Seed, a.struck}
	c.mu.Lock()
	e := c.entries[k]
	if e != nil {
		c.hits++
	} else {
		c.misses++
		if c.entries == nil || len(c.entries) >= maxPrograms {
			c.entries, c.bytes = make(map[key]*entry), 0
		}
		e = new(entry)
		c.entries[k] = e
	}
	c.mu.Unlock()
	e.once.Do(func() {
		if e.program, e.err = build(a); e.program != nil {
			c.measure(k, e, e.program.size())
		}
	})
	return e.program, e.err
}

// measure records the size of a new entry, and evicts other entries if all together are
// too large. Evicted programs are built again when they are needed.
func (c *cache) measure(k key, e *entry, size int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.entries[k] != e {
		return // it was evicted while it was built
	}
	e.size = size
	c.bytes += size
	for other, old := range c.entries {
		if c.bytes <= cmp.Or(c.limit, maxProgramBytes) {
			return
		}
		if old != e && old.size > 0 {
			delete(c.entries, other)
			c.bytes -= old.size
		}
	}
}
