package answer

import (
	"context"
	"math/rand/v2"
	"net/http"
	"slices"

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

// program is a reply prepared for what a request wants. It holds the script, and the
// spoken and framed result as far as these can be made without the request.
type program struct {
	script         *script.Script
	surface        surface.Surface
	speakOptions   surface.Options
	compileOptions compile.Options
	units          []compile.Unit  // units are dropped for a stream once they are framed.
	spoken         int             // spoken is how many units there were.
	drawn          []surface.Drawn // drawn are the ids for which speaking reserved holes.
	rewritten      bool            // rewritten says that a step or the envelope can overwrite the answer's id.

	// perRequest says that each request needs a program of its own. The cached program
	// then holds only the script.
	perRequest bool

	stream *compile.Stream // stream is nil for an answer in one piece.
	// failure is the error that ends an answer in one piece; nil for none.
	failure *script.Error
	// body is an answer in one piece; Absent for a stream, or if the body depends on
	// the request.
	body ojson.Value
	// shared is played for all requests; nil if each needs a program of its own.
	shared *player.Program
	// drawsPauses says that each request plays shared with its own random pauses.
	drawsPauses bool

	fingerprint string      // fingerprint is drawn for the envelope if the author wrote none.
	header      http.Header // header is that of all answers; nil if the header depends on the request.
}

// build makes the program that all requests share which want the same of the selected
// reply.
func build(s surface.Surface, sel *scenarios.Selection, want script.Want) (*program, error) {
	p, err := scripted(s, script.New(sel, want))
	if err != nil {
		return nil, err
	}
	done, err := awaitBuilding(context.Background(), p.events(nil))
	if err != nil {
		return nil, err
	}
	defer done()
	p.perRequest = p.script.PerRequest || hasTemplate(sel.Manner)
	if p.perRequest {
		// Whether the surface can express the reply does not depend on the request.
		return p, s.Sayable(p.script, surface.Options{Want: want, Envelope: sel.Manner.Envelope, FromMessage: sel.Reply.Message != nil})
	}
	return p, p.finish(sel, want)
}

// scripted returns a program that holds only the script.
func scripted(s surface.Surface, b *script.Builder) (*program, error) {
	sc, problems := b.Reply(s)
	if len(problems) > 0 {
		return nil, firstOf(problems, b)
	}
	return &program{script: sc, surface: s}, nil
}

// events is how many events are built for a request with these values.
func (p *program) events(values *player.Values) int {
	n := p.script.Events()
	for i := range p.script.Groups {
		if series := p.script.Groups[i].Series; series != 0 && values != nil {
			n += values.Series(series).Len()
		}
	}
	return n
}

// finish speaks the script and compiles the units.
func (p *program) finish(sel *scenarios.Selection, want script.Want) error {
	if err := p.speak(sel, want); err != nil {
		return err
	}
	p.drawsPauses = compile.DrawsPauses(p.units, &sel.Manner.Pace)
	if fixedHeader(sel.Manner) {
		b := builder{Asked: &Asked{Selection: sel, Want: want}}
		var err error
		if p.header, err = b.header(contentType(want, sel.Manner), sel.Manner.Wire.ContentType); err != nil {
			return err
		}
	}
	if want.Stream {
		return p.frame(sel)
	}
	return p.fold(sel)
}

// speak turns the script into units.
func (p *program) speak(sel *scenarios.Selection, want script.Want) (err error) {
	fromMessage := sel.Reply.Message != nil
	p.speakOptions = surface.Options{
		Want: want, Envelope: sel.Manner.Envelope, FromMessage: fromMessage, EndMark: asksForEndMark(sel.Manner),
		Draw: p.draw, Rand: func() *rand.Rand { return draw.Rand(sel, "speaking") },
	}
	if p.speakOptions.Envelope.Extra, err = render.Value(sel, sel.Manner.Envelope.Extra); err != nil {
		return err
	}
	if p.speakOptions.Envelope.CreatedAs, err = render.Value(sel, sel.Manner.Envelope.CreatedAs); err != nil {
		return err
	}
	if p.speakOptions.Envelope.Set, err = rendered(sel, sel.Manner.Envelope.Set); err != nil {
		return err
	}
	if p.speakOptions.Envelope.Response, err = renderedResponse(sel); err != nil {
		return err
	}
	if object := sel.Manner.Envelope.Object; object.Present && !object.Null {
		if p.speakOptions.Object, err = render.Text(sel, object.Value); err != nil {
			return err
		}
	}
	p.compileOptions = compile.Options{
		Manner: *sel.Manner, FromMessage: fromMessage, Complete: p.surface.Complete,
		Render: func(t scenarios.Text) (string, error) { return render.Text(sel, t) },
	}
	p.rewritten, p.fingerprint = rewrites(p.script, &sel.Manner.Envelope), surface.Fingerprint(sel)
	p.units, err = p.surface.Speak(p.script, p.speakOptions)
	p.spoken = len(p.units)
	return err
}

// renderedResponse is envelope.response with its templates rendered; nil if there is
// none.
func renderedResponse(sel *scenarios.Selection) (*scenarios.Response, error) {
	written := sel.Manner.Envelope.Response
	if written == nil {
		return nil, nil
	}
	r := *written
	var err error
	if r.IncompleteDetails, err = render.Value(sel, r.IncompleteDetails); err != nil {
		return nil, render.Placed(r.Pos, err)
	}
	if r.Error, err = render.Value(sel, r.Error); err != nil {
		return nil, render.Placed(r.Pos, err)
	}
	return &r, nil
}

// rendered returns the assignments with their templates rendered.
func rendered(sel *scenarios.Selection, list []scenarios.Assignment) ([]scenarios.Assignment, error) {
	list = slices.Clone(list)
	for i := range list {
		v, err := render.Value(sel, list[i].Value)
		if err != nil {
			return nil, render.Placed(list[i].Path.Pos, err)
		}
		list[i].Value = v
	}
	return list, nil
}

// draw reserves a hole for an id that each request draws.
func (p *program) draw(prefix string) ojson.Value {
	id := p.script.FreeHole() + hole.ID(len(p.drawn))
	if id > hole.Max {
		return ojson.String(prefix)
	}
	p.drawn = append(p.drawn, surface.Drawn{Hole: id, Prefix: prefix})
	return hole.Value(id)
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
	if p.stream.HasSeries() || compile.Bytewise(sel.Manner) || p.drawsPauses && sel.Manner.Wire.Coalesce > 1 {
		return nil
	}
	p.shared, err = p.stream.Program(compile.Request{Rand: draw.Rand(sel, "pace")})
	return err
}

// fold combines the units into an answer in one piece.
func (p *program) fold(sel *scenarios.Selection) error {
	if p.failure = failureIn(p.script); p.failure != nil || p.script.OpenTexts() {
		return nil
	}
	p.body = p.surface.Fold(p.units, p.speakOptions)
	if !compile.Bytewise(sel.Manner) {
		p.shared = p.onePiece(p.units, p.body, compile.Request{Rand: draw.Rand(sel, "pace")})
	}
	return nil
}

// kindBody is the kind of an answer in one piece, in damage and in reports.
const kindBody = "completion"

// onePiece compiles an answer in one piece.
func (p *program) onePiece(units []compile.Unit, body ojson.Value, r compile.Request) *player.Program {
	return compile.Body(units, compile.Unit{Kind: kindBody, JSON: body, FinalNewline: true}, &p.compileOptions, r)
}

// failureIn returns the error with which a script ends; nil if it does not.
func failureIn(sc *script.Script) *script.Error {
	for i := range sc.Groups {
		if len(sc.Groups[i].Beats) == 0 {
			continue
		}
		if failure, ok := sc.Groups[i].Beats[0].(script.Error); ok {
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

// groupBytes estimates the memory of a group and its beats.
const groupBytes = 600

// size estimates the memory of the program, in bytes.
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
