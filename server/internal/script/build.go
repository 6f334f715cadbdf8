package script

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// Surface is what a builder needs of the surface.
type Surface interface {
	// Derive returns the steps of the stream that the real service would send for a message.
	Derive(b *Builder, m *scenarios.Message) []scenarios.Step
}

// Builder builds the script of one reply.
type Builder struct {
	Want Want
	// Sketches says that the script is for looking at: of a text that is given by its size and not cut it has the
	// beginning.
	Sketches bool

	sel *scenarios.Selection
	// renderer renders templates; nil while there is no request, when templates become holes.
	renderer *render.Renderer
	events   int        // events is the number of events so far: of groups, and of pieces of items.
	full     bool       // full says that the answer has grown beyond a limit, so that building stops.
	others   int        // others is the number of steps after the current one.
	repeated repetition // repeated is the repeated step with the most events so far.

	items    Itemizer // items checks output items; nil if the surface has none.
	script   *Script
	holes    map[hole.ID]*countedText // holes are the holes that texts fill.
	times    map[string]int           // times counts the uses of each template so far.
	sources  map[string]int           // sources counts the sources of chance used so far, by kind.
	logprobs *invent.Logprobs
	nextCall map[int]int // nextCall is the index of the next call, by choice.
	size     int         // size is the length of the texts so far, in bytes.
	tokens   tokenCount

	templated bool     // templated says that a template took part in the current group.
	stepPos   diag.Pos // stepPos is the position of the current step.
	position  int      // position is its index.
	problems  diag.List

	requestToBlame bool // requestToBlame says that the first problem wraps ErrRequest.
}

// New returns a builder for requests in general. It ignores the selection's request: what
// depends on a request becomes a hole.
func New(sel *scenarios.Selection, want Want) *Builder {
	open := *sel
	open.Request, open.Match = &scenarios.Request{}, nil
	return newBuilder(&open, want)
}

// NewFor returns a builder for the selection's own request. The script has no holes for
// templates.
func NewFor(sel *scenarios.Selection, want Want) *Builder {
	b := newBuilder(sel, want)
	b.renderer = render.New(sel, scriptPurpose)
	return b
}

// scriptPurpose is the purpose of the source of chance for templates in a script. It must not
// change, as what is drawn follows from it.
const scriptPurpose = "lines"

func newBuilder(sel *scenarios.Selection, want Want) *Builder {
	return &Builder{
		Want: want, sel: sel,
		script: &Script{texts: map[hole.ID]string{}, promptWritten: -1, totalWritten: -1},
		holes:  map[hole.ID]*countedText{}, times: map[string]int{}, sources: map[string]int{}, nextCall: map[int]int{},
		logprobs: invent.NewLogprobs(sel, want.TopLogprobs),
	}
}

// Reply builds the script of the selected reply. The problems are mistakes in the scenario; the
// script is what could be built in spite of them.
func (b *Builder) Reply(surface Surface) (*Script, diag.List) {
	b.items, _ = surface.(Itemizer)
	switch r := b.sel.Reply; {
	case r.Stream != nil:
		b.steps(b.withUsage(*r.Stream))
	case r.Message != nil:
		b.steps(surface.Derive(b, r.Message))
	case r.Whole() != "":
		b.fail(r.Pos, errors.New(r.Whole()+" are not streamed"))
	default:
		b.fail(r.Pos, errors.New("the reply is an error and has no stream"))
	}
	if b.script.OpenTexts() && (b.Want.ReadsTexts || b.Want.RepeatsTexts && !b.script.TextsAlone()) {
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
	b.script.events, b.script.size, b.script.tokens = b.events, b.size, b.tokens
	return b.script, b.problems
}

// Derived returns the steps that a message becomes.
func (b *Builder) Derived(surface Surface, m *scenarios.Message) ([]scenarios.Step, diag.List) {
	return surface.Derive(b, m), b.problems
}

// Request returns the request that the script is for; nil if it is for requests in general,
// which makes the script PerRequest.
func (b *Builder) Request() *scenarios.Request {
	if b.renderer == nil {
		b.templated, b.script.PerRequest = true, true
		return nil
	}
	return b.sel.Request
}

// literalSurface returns the surface whose JSON literal steps have: the one that the reply is
// for, or else the default, whose terms the language uses.
func (b *Builder) literalSurface() string {
	return cmp.Or(b.sel.Scenario.API(b.sel.Reply), scenarios.DefaultSurface)
}

// Manner returns the manner of the reply.
func (b *Builder) Manner() *scenarios.Manner { return b.sel.Manner }

func (b *Builder) steps(list []scenarios.Step) {
	for i := range list {
		if b.stopped() {
			return
		}
		b.step(i, &list[i], len(list)-1-i)
	}
}

// step adds the groups of a step and of its repetitions. So many other steps come after it.
func (b *Builder) step(position int, st *scenarios.Step, others int) {
	b.stepPos, b.position, b.others = st.Pos, position, others
	if b.renderer != nil {
		b.renderer.At(position)
	}
	for n := range max(1, st.Repeat) {
		events, problems := b.events, len(b.problems)
		b.addRepetition(position, st, n == 0)
		if b.stopped() || len(b.problems) > problems {
			return // every repetition has the same mistake
		}
		if n == 0 && !b.fitsRepeated(st.Repeat, b.events-events, others) {
			return
		}
	}
}

// addRepetition adds the groups of one repetition of a step.
func (b *Builder) addRepetition(position int, st *scenarios.Step, first bool) {
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

// wire returns how a step lays out its events, with rendered texts.
func (b *Builder) wire(w *scenarios.StepWire) *Wire {
	if w == nil {
		return nil
	}
	text := func(o scenarios.Opt[scenarios.Text]) *string {
		if !o.Present || o.Null {
			return nil
		}
		s := strings.ReplaceAll(b.Text(o.Value), "\x00", "\ufffd") // NUL marks holes in the JSON around the text
		return &s
	}
	return &Wire{StepWire: w, Comment: text(w.Comment), Event: text(w.Event), ID: text(w.ID), Retry: text(w.Retry)}
}

func setPause(g *Group, st *scenarios.Step, first bool) {
	if st.Jitter != nil {
		g.Jitter = *st.Jitter
	}
	g.PieceGap = st.Every
	switch {
	case st.Wait != nil:
		g.Gap = st.Wait
	case first:
		g.Gap = st.After
	default:
		g.Gap = st.Every
	}
}

func (b *Builder) addStep(st *scenarios.Step) {
	switch {
	case st.Comment != nil:
		b.add(Comment{b.Text(*st.Comment)})
	case st.Raw != nil:
		b.add(Raw{b.Text(*st.Raw)})
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
	case st.HoldName() != "":
		b.add(Hold{st.HoldName(), st.Until != nil && len(st.Until.Message) > 0})
	case st.Item != nil:
		b.itemStep(st)
	default:
		b.chunkStep(st)
	}
}

func (b *Builder) add(beat Beat) { b.addGroup(Group{Beats: []Beat{beat}}) }

func (b *Builder) addGroup(g Group) {
	if b.fits(1); b.stopped() {
		return
	}
	b.script.Groups = append(b.script.Groups, g)
	b.events++
}

// stopped reports whether building must stop: with a request at the first problem, without one
// only at a limit, so that all problems are found.
func (b *Builder) stopped() bool { return b.full || len(b.problems) > 0 && b.renderer != nil }

func (b *Builder) fail(pos diag.Pos, err error) {
	if err != nil {
		b.requestToBlame = b.requestToBlame || len(b.problems) == 0 && errors.Is(err, ErrRequest)
		b.problem(pos, err.Error(), "")
	}
}

// BlamesRequest reports whether the first problem is the fault of the request alone: see
// [ErrRequest].
func (b *Builder) BlamesRequest() bool { return b.requestToBlame }

func (b *Builder) problem(pos diag.Pos, message, hint string) {
	b.problems = append(b.problems, diag.Problem{Pos: b.positionNear(pos), Message: message, Hint: hint})
}

// positionNear returns pos or, if it is not known, the position of the step or the reply.
func (b *Builder) positionNear(pos diag.Pos) diag.Pos {
	if pos.Line == 0 {
		pos = b.stepPos
	}
	if pos.Line == 0 {
		pos = b.sel.Reply.Pos
	}
	return pos
}

// Rand returns the next source of chance of a kind. Each invented value has a source of its
// own.
func (b *Builder) Rand(kind string) *rand.Rand {
	return invent.Rand(b.sel, b.purpose(kind))
}

// The limits of one answer, and of the pieces of one text. All of its events and texts are in memory while it is made: a
// hundred thousand events take some hundred megabytes.
const (
	maxEvents = 100_000
	// maxTexts is the length in bytes of all texts together: of one that is as long as a text can be, and others.
	maxTexts = scenarios.MaxText + 1<<20
)

// largerPieces says how an answer can have fewer events.
const largerPieces = "cut its texts into larger pieces, as with by: { size: 1000 }, or repeat less often"

// tooManyEvents is the error for an answer with more events than the limit.
func tooManyEvents(events, mend string) error {
	return fmt.Errorf("the answer has %s events, and at most %d are played: %s", events, maxEvents, mend)
}

// moreEvents stands for a number of events that is not known.
var moreEvents = "more than " + strconv.Itoa(maxEvents)

// fits reports whether the answer can have a number of further events. If not, it adds a problem.
func (b *Builder) fits(more int) bool {
	total := b.events + more
	switch {
	case total <= maxEvents:
		return true
	case more > maxEvents: // no text is cut into more pieces, so that their number is not known
		b.tooMany(diag.Pos{}, moreEvents, largerPieces)
	case b.repeated.fewer(total+b.others) > 0:
		b.tooMany(b.repeated.pos, strconv.Itoa(total), fmt.Sprintf("write repeat: %d", b.repeated.fewer(total+b.others)))
	default:
		b.tooMany(diag.Pos{}, strconv.Itoa(total), largerPieces)
	}
	return false
}

// repetition is a step that is sent a number of times, with a number of events each time.
type repetition struct {
	pos         diag.Pos
	times, each int
}

// fewer is how many times the step can be sent in an answer whose events, with those of the step, are total; below 1
// if other steps have too many.
func (r *repetition) fewer(total int) int {
	if r.each == 0 {
		return 0
	}
	return r.times - (total-maxEvents+r.each-1)/r.each
}

// fitsRepeated reports whether the answer can have a step, which has just been added, a number of
// times, with other steps after it. If not, it adds a problem.
func (b *Builder) fitsRepeated(times, eventsEach, otherSteps int) bool {
	total := b.events + (times-1)*eventsEach
	if times < 2 || total <= maxEvents {
		if times*eventsEach > b.repeated.times*b.repeated.each {
			b.repeated = repetition{b.stepPos, times, eventsEach}
		}
		return true
	}
	most := 1 + (maxEvents-b.events-otherSteps)/eventsEach
	b.tooMany(diag.Pos{}, strconv.Itoa(total), fmt.Sprintf("write repeat: %d", max(1, most)))
	return false
}

func (b *Builder) tooMany(at diag.Pos, events, mend string) {
	if !b.full {
		b.fail(at, tooManyEvents(events, mend))
		b.full = true
	}
}

// Events returns how many events the script sends. A series counts as one.
func (s *Script) Events() int { return s.events }

// IsCutOff reports whether the script lacks what is beyond a limit of the answer. One of its
// problems says so.
func (b *Builder) IsCutOff() bool { return b.full }

// grow counts the bytes of a text and says when all texts together are too long.
func (b *Builder) grow(n int) error {
	err := grow(&b.size, n)
	b.full = b.full || err != nil
	return err
}

func grow(size *int, n int) error {
	if *size += n; *size > maxTexts {
		return fmt.Errorf("the texts of the answer have more than %d bytes together, and no more are played: write shorter ones, or repeat them less often", maxTexts)
	}
	return nil
}
