package script

import (
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/cut"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// Lines is the selected reply as lines: for a message those of the stream that
// the real service would send, for a stream its steps as they are written, with
// every text rendered and every expansion done. The error says where in the
// scenario the text stands that could not be rendered.
func Expand(sel *scenarios.Selection, ask Ask) (*Lines, error) {
	b := NewBuilder(sel, ask)
	b.build(sel.Reply)
	if len(b.Problems) > 0 {
		return nil, b.Problems[:1]
	}
	return b.result(), nil
}

// draftLines are a reply's lines without a request: what can be checked at
// load. Templates stay as they are written.
func DraftLines(s *scenarios.Scenario, r *scenarios.Reply, ask Ask) (*Lines, diag.List) {
	sel := &scenarios.Selection{Scenario: s, Reply: r, Request: &scenarios.Request{}, Manner: s.Manner.Under(r.Manner), Seed: 1}
	if s.Seed != nil {
		sel.Seed = *s.Seed
	}
	b := NewBuilder(sel, ask)
	b.draft = true
	b.build(r)
	return b.result(), b.Problems
}

// builder makes the lines of one answer.
type builder struct {
	sel    *scenarios.Selection
	ask    Ask
	Layout scenarios.Layout
	draft  bool
	limit  int // of lines

	renderer *render.Renderer
	chance   *chance        // of generated logprobs
	drawers  map[string]int // sources of chance used so far, by kind
	size     int64          // of the texts so far

	lines     []Line
	drawn     []DrawnID
	fills     []Fill
	nextCall  map[int]int // the index of the next call, for each choice
	tokens    spent
	templated bool // a template took part in what is being built
	dynamic   bool // something depends on the request
	ownDone   bool
	place     diag.Pos // of the step that is being built
	Problems  diag.List
}

func NewBuilder(sel *scenarios.Selection, ask Ask) *builder {
	return &builder{
		sel: sel, ask: ask, Layout: layoutFor(sel, ask), limit: cut.MaxPieces,
		renderer: render.New(sel, "lines"), chance: newChance(sel, ask), nextCall: map[int]int{}, drawers: map[string]int{},
	}
}

// layoutFor is the layout that was asked for, or what the scenario or the kind
// of message calls for where the ask leaves it to them.
func layoutFor(sel *scenarios.Selection, ask Ask) scenarios.Layout {
	written := sel.Manner.Envelope.Layout
	layout := ask.Layout
	if layout == "" {
		layout = written
	}
	if layout == "" {
		layout = scenarios.LayoutGPT4o
	}
	if m := sel.Reply.Message; m != nil && written == "" && layout == scenarios.LayoutGPT4o {
		return messageLayout(m)
	}
	return layout
}

func (b *builder) result() *Lines {
	return &Lines{
		Layout: b.Layout, Lines: b.lines, Drawn: b.drawn, Fills: b.fills, OwnDone: b.ownDone,
		CompletionTokens: b.tokens.completion, Static: !b.dynamic,
	}
}

func (b *builder) build(r *scenarios.Reply) {
	switch {
	case r.Stream != nil:
		b.steps(*r.Stream)
	case r.Message != nil:
		b.steps(b.MessageSteps(r.Message))
	default:
		b.fail(r.Pos, errors.New("the reply is an error and has no stream"))
	}
}

func (b *builder) steps(list []scenarios.Step) {
	for i := range list {
		if b.stopped() {
			return
		}
		b.step(i, &list[i])
	}
}

// step adds the lines of a step, as often as it is repeated.
func (b *builder) step(position int, st *scenarios.Step) {
	start := len(b.lines)
	b.place = st.Pos
	for range max(1, st.Repeat) {
		b.templated = false
		before := len(b.lines)
		b.once(st)
		for i := before; i < len(b.lines); i++ {
			l := &b.lines[i]
			l.Step, l.Pos, l.Templated = position, st.Pos, b.templated
			setPause(l, st, i == start)
		}
		if b.stopped() {
			return
		}
	}
}

// setPause gives a line the pause that its step asks for.
func setPause(l *Line, st *scenarios.Step, first bool) {
	if st.Jitter != nil {
		l.Jitter = *st.Jitter
	}
	switch {
	case l.Kind == KindWait:
		l.Gap = st.Wait
	case first:
		l.Gap = st.After
	default:
		l.Gap = st.Every
	}
}

// once adds the lines of a step one time.
func (b *builder) once(st *scenarios.Step) {
	switch {
	case st.Comment != nil:
		b.add(Line{Kind: KindComment, Text: b.text(*st.Comment)})
	case st.Raw != nil:
		b.add(b.raw(*st.Raw))
	case st.Event != nil:
		b.add(Line{Kind: KindEvent, Event: b.event(st.Event)})
	case st.Error != nil:
		b.errorLine(st)
	case st.Done != nil:
		b.ownDone = true
		if *st.Done {
			b.add(Line{Kind: KindDone})
		}
	case st.Wait != nil:
		b.add(Line{Kind: KindWait})
	case st.Hold != "":
		b.add(Line{Kind: KindHold, Hold: st.Hold})
	default:
		b.chunks(st)
	}
}

func (b *builder) event(e *scenarios.Event) Fields {
	return Fields{Event: b.opt(e.Event), ID: b.opt(e.ID), Retry: b.opt(e.Retry), Data: b.opt(e.Data)}
}

func (b *builder) errorLine(st *scenarios.Step) {
	e := st.Error
	l := Line{Kind: KindError, Close: e.Close, Status: e.Status}
	if e.Event != "" {
		l.Event.Event = scenarios.Some(e.Event)
	}
	if e.Body != nil {
		l.Text = b.text(*e.Body)
	} else {
		object, err := errorObject(b.renderer, &e.APIError, b.draft)
		b.fail(st.Pos, err)
		b.templated = b.templated || isTemplate(&e.APIError)
		b.dynamic = b.dynamic || isTemplate(&e.APIError)
		l.Error = b.edited(st, object)
	}
	b.add(l)
}

// edited applies a step's omit and set to an error object. Their paths may name
// it as error.code or as code.
func (b *builder) edited(st *scenarios.Step, object ojson.Value) ojson.Value {
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

func (b *builder) add(l Line) {
	if len(b.lines) == b.limit {
		b.problem(diag.Pos{}, fmt.Sprintf("the reply has more than %d lines", b.limit))
	}
	if b.stopped() {
		return
	}
	b.lines = append(b.lines, l)
}

// stopped reports whether there is no use in going on.
func (b *builder) stopped() bool {
	return len(b.Problems) > 0 && (!b.draft || len(b.lines) >= b.limit)
}

func (b *builder) fail(pos diag.Pos, err error) {
	if err != nil {
		b.problem(pos, err.Error())
	}
}

func (b *builder) problem(pos diag.Pos, message string) {
	if pos.Line == 0 {
		pos = b.place
	}
	if pos.Line == 0 {
		pos = b.sel.Reply.Pos
	}
	b.Problems = append(b.Problems, diag.Problem{Pos: pos, Message: message})
}

// text is a text's final form. A draft leaves templates as they are written.
func (b *builder) text(t scenarios.Text) string {
	if t.IsTemplate() {
		b.templated, b.dynamic = true, true
		if b.draft {
			return t.Source
		}
	}
	text, err := b.renderer.Text(t)
	if err == nil {
		err = b.grow(int64(len(text)))
	}
	b.fail(t.Pos, err)
	return text
}

// grow counts the bytes of a text and says when they are too many.
func (b *builder) grow(n int64) error {
	if b.size += n; b.size > scenarios.MaxReply {
		return fmt.Errorf("the texts of the reply are longer than %d bytes together", scenarios.MaxReply)
	}
	return nil
}

// rand is the next source of chance of its kind. Each thing that is invented has
// its own.
func (b *builder) rand(kind string) *rand.Rand {
	b.drawers[kind]++
	return draw.Rand(b.sel, fmt.Sprint(kind, " ", b.drawers[kind]))
}

func (b *builder) opt(o scenarios.Opt[scenarios.Text]) scenarios.Opt[string] {
	if !o.Present || o.Null {
		return scenarios.Opt[string]{Present: o.Present, Null: o.Null}
	}
	return scenarios.Some(b.text(o.Value))
}

// member is a text as the value of a member: absent, null or a string.
func (b *builder) member(o scenarios.Opt[scenarios.Text]) ojson.Value { return jsonOpt(b.opt(o)) }

func jsonOpt(o scenarios.Opt[string]) ojson.Value {
	switch {
	case !o.Present:
		return ojson.Value{}
	case o.Null:
		return ojson.Null()
	}
	return ojson.String(o.Value)
}

func (b *builder) value(v ojson.Value) ojson.Value {
	if !scenarios.ValueIsTemplate(v) {
		return v
	}
	b.templated, b.dynamic = true, true
	if b.draft {
		return v
	}
	v, err := b.renderer.Value(v)
	b.fail(diag.Pos{}, err)
	return v
}

// literal is a value that a step holds as it is written, or Absent.
func (b *builder) literal(v *ojson.Value) ojson.Value {
	if v == nil {
		return ojson.Value{}
	}
	return b.value(*v)
}

// id is the id of a call: as written, or a hole for one that each request
// draws. Beyond the number of holes the ids come from the seed alone.
func (b *builder) id(written scenarios.Opt[scenarios.Text], prefix string) ojson.Value {
	if written.Present {
		return b.member(written)
	}
	const callIDLen = 24
	if len(b.drawn) == int(HoleFill-HoleDrawn) {
		return ojson.String(prefix + draw.Text(b.rand("id"), draw.Base62, callIDLen))
	}
	b.drawn = append(b.drawn, DrawnID{Prefix: prefix, Alphabet: draw.Base62, N: callIDLen})
	return ojson.Hole(HoleDrawn + uint8(len(b.drawn)-1))
}
