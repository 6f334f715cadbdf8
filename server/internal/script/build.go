package script

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/errorbody"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// Surface is what a builder asks of the API that the script is for.
type Surface interface {
	// Derive is the steps of the stream that the real service would send for a
	// message.
	Derive(b *Builder, m *scenarios.Message) []scenarios.Step
}

// Builder makes the script of one reply.
type Builder struct {
	Want Want

	sel *scenarios.Selection
	// renderer is nil while there is no request: then templates become holes.
	renderer *render.Renderer
	limit    int // limit is the most groups that there can be.
	lines    int // lines counts the groups so far, those of loops as often as they are sent.

	items    Itemizer // items knows the output items of the surface; nil where it has none.
	script   *Script
	times    map[string]int // times counts how often each template was met.
	sources  map[string]int // sources counts the sources of chance used so far, by kind.
	logprobs *invent.Logprobs
	nextCall map[int]int // nextCall is the index of the next call, for each choice.
	size     int64       // size is the length of the texts so far, in bytes.
	tokens   tokenCount

	repeats      map[hole.Repeat]hole.ID // repeats are the holes of the texts that are described.
	repeatTokens map[hole.ID]int         // repeatTokens are the tokens of those that were counted.

	templated bool     // templated says that a template took part in the group that is being built.
	stepPos   diag.Pos // stepPos is the place of the step that is being built.
	problems  diag.List

	requestToBlame bool // requestToBlame says that the first problem wraps ErrRequest.
}

// New begins the script of a selected reply for no request in particular. The
// reply's request is not looked at: what depends on it is left open.
func New(sel *scenarios.Selection, want Want) *Builder {
	open := *sel
	open.Request, open.Match = &scenarios.Request{}, nil
	return newBuilder(&open, want)
}

// NewFor begins the script of a selected reply for the selection's own request.
// It has no holes that templates fill.
func NewFor(sel *scenarios.Selection, want Want) *Builder {
	b := newBuilder(sel, want)
	b.renderer = render.New(sel, scriptPurpose)
	return b
}

// scriptPurpose tells the texts of a script from the other texts of an answer.
// What is drawn for them follows from it, so that it cannot change.
const scriptPurpose = "lines"

func newBuilder(sel *scenarios.Selection, want Want) *Builder {
	return &Builder{
		Want: want, sel: sel, limit: cut.MaxPieces,
		script: &Script{texts: map[hole.ID]string{}, promptWritten: -1, totalWritten: -1},
		times:  map[string]int{}, sources: map[string]int{}, nextCall: map[int]int{},
		logprobs: invent.NewLogprobs(sel, want.TopLogprobs),
	}
}

// Reply builds the script of the selected reply. A problem says where in the
// scenario something stands that cannot be sent; the script is what could be
// built all the same.
func (b *Builder) Reply(surface Surface) (*Script, diag.List) {
	b.items, _ = surface.(Itemizer)
	switch r := b.sel.Reply; {
	case r.Stream != nil:
		b.steps(b.withUsage(*r.Stream))
	case r.Message != nil:
		b.steps(surface.Derive(b, r.Message))
	default:
		b.fail(r.Pos, errors.New("the reply is an error and has no stream"))
	}
	if b.Want.ReadsTexts && b.script.OpenTexts() {
		b.script.PerRequest = true
	}
	return b.finished()
}

// Steps builds a script of steps that are not the reply's own.
func (b *Builder) Steps(list []scenarios.Step) (*Script, diag.List) {
	b.steps(list)
	return b.finished()
}

func (b *Builder) finished() (*Script, diag.List) {
	b.script.limit, b.script.lines, b.script.size, b.script.tokens = b.limit, b.lines, b.size, b.tokens
	return b.script, b.problems
}

// Derived is the steps that a message becomes.
func (b *Builder) Derived(surface Surface, m *scenarios.Message) ([]scenarios.Step, diag.List) {
	return surface.Derive(b, m), b.problems
}

// Request is the request that the script is for. Without one it is nil, and the
// script is for looking at.
func (b *Builder) Request() *scenarios.Request {
	if b.renderer == nil {
		b.templated, b.script.PerRequest = true, true
		return nil
	}
	return b.sel.Request
}

// literalSurface is the surface whose JSON the literal steps of the reply hold:
// the one that it is for, or chat completions, whose terms the language uses.
func (b *Builder) literalSurface() string {
	return cmp.Or(b.sel.Reply.When.Surface, b.sel.Scenario.When.Surface, "chat")
}

// Manner is how the reply is spoken.
func (b *Builder) Manner() *scenarios.Manner { return b.sel.Manner }

func (b *Builder) steps(list []scenarios.Step) {
	for i := range list {
		if b.stopped() {
			return
		}
		b.step(i, &list[i])
	}
}

// mostWrittenOut is how often a step repeats at most where each time is made by
// itself: a hundred thousand take some hundred megabytes.
const mostWrittenOut = 100_000

var errWrittenOut = fmt.Errorf("a step that is not the same each time, as with a template, a call or usage, repeats %d times at most: write repeat: %d", mostWrittenOut, mostWrittenOut)

// step adds the groups of a step, as often as it is repeated. Where the second time is
// as any other, it stands for all of them but the last.
func (b *Builder) step(position int, st *scenarios.Step) {
	b.stepPos = st.Pos
	for n, times := 1, max(1, st.Repeat); n <= times; n++ {
		before := b.built()
		b.once(position, st, n == 1)
		switch {
		case n != 2 || times <= 3:
		case b.repeatsItself(st, before) && b.loop(before, times-3):
			n = times - 1
		case times > mostWrittenOut:
			b.fail(st.Pos, errWrittenOut)
		}
		if b.stopped() || len(b.problems) > before.problems {
			return // what is wrong with it is wrong each time
		}
	}
}

// once adds the groups of a step once.
func (b *Builder) once(position int, st *scenarios.Step, first bool) {
	b.templated = false
	before := len(b.script.Groups)
	b.addStep(st)
	wire := b.wire(st.Wire)
	for i := before; i < len(b.script.Groups); i++ {
		g := &b.script.Groups[i]
		g.Step, g.Pos, g.Wire, g.Templated = position, st.Pos, wire, b.templated
		setPause(g, st, first && i == before)
	}
}

// wire is how a step lays its events out, with its texts rendered.
func (b *Builder) wire(w *scenarios.StepWire) *Wire {
	if w == nil {
		return nil
	}
	text := func(o scenarios.Opt[scenarios.Text]) *string {
		if !o.Present || o.Null {
			return nil
		}
		s := strings.ReplaceAll(b.text(o.Value), "\x00", "\ufffd") // NUL marks the holes of the JSON that it stands beside
		return &s
	}
	return &Wire{StepWire: w, Comment: text(w.Comment), Event: text(w.Event), ID: text(w.ID), Retry: text(w.Retry)}
}

// setPause gives a group the pause that its step asks for.
func setPause(g *Group, st *scenarios.Step, first bool) {
	if st.Jitter != nil {
		g.Jitter = *st.Jitter
	}
	g.RunGap = st.Every
	switch {
	case st.Wait != nil:
		g.Gap = st.Wait
	case first:
		g.Gap = st.After
	default:
		g.Gap = st.Every
	}
}

// addStep adds the groups of a step, without its repetitions.
func (b *Builder) addStep(st *scenarios.Step) {
	switch {
	case st.Comment != nil:
		b.add(Comment{b.text(*st.Comment)})
	case st.Raw != nil:
		b.add(b.raw(*st.Raw))
	case st.Event != nil:
		e := st.Event
		b.add(Event{Event: b.opt(e.Event), ID: b.opt(e.ID), Retry: b.opt(e.Retry), Data: b.opt(e.Data)})
	case st.Error != nil:
		b.add(b.errorBeat(st))
	case st.Done != nil:
		b.script.OwnDone = true
		if *st.Done {
			b.add(Done{})
		}
	case st.Wait != nil:
		b.add(Wait{})
	case st.Hold != "":
		b.add(Hold{st.Hold})
	case st.Item != nil:
		b.itemStep(st)
	default:
		b.chunkStep(st)
	}
}

func (b *Builder) errorBeat(st *scenarios.Step) Error {
	e := st.Error
	beat := Error{Event: e.Event, Close: e.Close, Flat: e.Flat, Status: errorbody.Status(&e.APIError)}
	if e.Body != nil {
		text := b.text(*e.Body)
		beat.Body = &text
		return beat
	}
	object := b.edited(st, errorbody.Members(&e.APIError, "", b.member, b.value))
	body, _ := errorbody.Parts(&e.APIError, object, b.value)
	beat.Object, beat.Beside = body.Get("error"), body
	beat.Beside.Remove(ojson.Path{{Name: "error"}})
	return beat
}

// edited applies a step's omit and set to an error object. Their paths may name
// it as error.code or as code.
func (b *Builder) edited(st *scenarios.Step, object ojson.Value) ojson.Value {
	if len(st.Omit) == 0 && len(st.Set) == 0 {
		return object
	}
	object = object.Clone()
	inside := func(p scenarios.Path) ojson.Path {
		if len(p.Path) > 1 && p.Path[0].Name == "error" {
			return p.Path[1:]
		}
		return p.Path
	}
	for _, p := range st.Omit {
		object.Remove(inside(p))
	}
	for _, a := range st.Set {
		object.Put(inside(a.Path), b.value(a.Value))
	}
	return object
}

// add adds a group of one beat.
func (b *Builder) add(beat Beat) { b.addGroup(Group{Beats: []Beat{beat}}) }

func (b *Builder) addGroup(g Group) {
	if b.lines >= b.limit {
		b.fail(diag.Pos{}, tooManyGroups(b.limit))
	}
	if b.stopped() {
		return
	}
	b.script.Groups = append(b.script.Groups, g)
	b.lines++
}

// tooManyGroups is the error for an answer with more groups than the limit. An author
// knows a group as a chunk.
func tooManyGroups(limit int) error {
	return fmt.Errorf("the reply has more than %d chunks: cut its texts into larger ones, as with by: { size: 1000 }, or repeat less often", limit)
}

// stopped reports whether there is no use in going on. Without a request all
// problems are looked for, within the limit.
func (b *Builder) stopped() bool {
	return len(b.problems) > 0 && (b.renderer != nil || b.lines >= b.limit)
}

func (b *Builder) fail(pos diag.Pos, err error) {
	if err != nil {
		b.requestToBlame = b.requestToBlame || len(b.problems) == 0 && errors.Is(err, ErrRequest)
		b.problem(pos, err.Error())
	}
}

// BlamesRequest reports whether the first problem is one for which only the
// request can be blamed: see [ErrRequest].
func (b *Builder) BlamesRequest() bool { return b.requestToBlame }

func (b *Builder) problem(pos diag.Pos, message string) {
	b.problems = append(b.problems, diag.Problem{Pos: b.positionNear(pos), Message: message})
}

// problemWithHint is a problem that says what to do.
func (b *Builder) problemWithHint(pos diag.Pos, message, hint string) {
	b.problem(pos, message)
	b.problems[len(b.problems)-1].Hint = hint
}

// positionNear is pos or, if that is not known, the place of the step or reply
// around it.
func (b *Builder) positionNear(pos diag.Pos) diag.Pos {
	if pos.Line == 0 {
		pos = b.stepPos
	}
	if pos.Line == 0 {
		pos = b.sel.Reply.Pos
	}
	return pos
}

// Rand is the next source of chance of its kind. Each thing that is invented has
// its own.
func (b *Builder) Rand(kind string) *rand.Rand {
	return draw.Rand(b.sel, b.purpose(kind))
}
