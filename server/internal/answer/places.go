package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// placesSought collects the places that steps, damage and endings name, in the order in
// which they are met. A place that is written once for several replies (in the
// scenario, or in one that others extend) is one place: it must exist in at least one
// form of one of these replies.
type placesSought struct {
	list    []*compile.Place
	known   map[soughtKey]*compile.Place
	current []*compile.Place // current has those of the current reply.
	notes   diag.List        // notes are on names of events in the current reply that several items have.
}

// A soughtKey identifies a place. Owner is "" for a place in a file, which its position
// identifies.
type soughtKey struct {
	pos         diag.Pos
	owner, name string
}

func (p *placesSought) problems() (list diag.List) {
	for _, s := range p.list {
		if !s.Found {
			list = append(list, diag.Problem{Pos: s.Pos, Message: s.Missing, Hint: s.Hint})
		}
	}
	return list
}

// note records whether a place was found. For a place without a position in a file,
// owner names the reply and step the step.
func (p *placesSought) note(place compile.Place, owner, step string) {
	key := soughtKey{pos: place.Pos, name: place.Name}
	if place.Pos.Line == 0 {
		key.owner = owner + step
		place.Missing = owner + step + ": " + place.Missing
	}
	s := p.known[key]
	if s == nil {
		s = &place
		p.known[key] = s
		p.list = append(p.list, s)
	} else if s.Hint == "" || isGuess(place.Hint) && !isGuess(s.Hint) {
		s.Hint = place.Hint
	}
	s.Found = s.Found || place.Found
	p.current = append(p.current, s)
}

// isGuess reports whether a hint suggests the place that was probably meant.
func isGuess(hint string) bool { return strings.HasPrefix(hint, "did you mean") }

// reply looks for the places that a reply names, in one form of the reply after the
// other until all are found.
func (p *placesSought) reply(sel *scenarios.Selection) {
	p.errorBodies(sel)
	if !namesPlaces(sel) {
		return
	}
	p.current, p.notes = nil, nil
	defer func() { sel.Reply.Notes = append(sel.Reply.Notes, p.notes...) }()
	for _, form := range formsOf(sel) {
		p.form(form)
		if len(p.current) > 0 && !slices.ContainsFunc(p.current, func(s *compile.Place) bool { return !s.Found }) {
			return
		}
	}
}

func ownerOf(sel *scenarios.Selection) string {
	return fmt.Sprintf("scenario %q, reply %d", sel.Scenario.Name, sel.Index+1)
}

// errorBodies looks for the places that errors name in their own bodies.
func (p *placesSought) errorBodies(sel *scenarios.Selection) {
	list := []*scenarios.APIError{sel.Reply.Error}
	for _, steps := range []*[]scenarios.Step{&sel.Manner.Wire.OnShutdown, cmp.Or(sel.Reply.Stream, new([]scenarios.Step))} {
		for i := range *steps {
			if failure := (*steps)[i].Error; failure != nil {
				list = append(list, &failure.APIError)
			}
		}
	}
	for _, e := range list {
		if e == nil {
			continue
		}
		for _, problem := range script.ErrorProblems(e) {
			p.note(compile.Place{Pos: problem.Pos, Name: problem.Message, Missing: problem.Message, Hint: problem.Hint}, ownerOf(sel), "")
		}
	}
}

func namesPlaces(sel *scenarios.Selection) bool {
	env := &sel.Manner.Envelope
	if len(sel.Manner.Damage) > 0 || sel.Manner.End.After != nil || sel.Manner.End.Byte != nil || sel.Manner.End.InsideRune ||
		namesBytes(sel.Manner.Wire.Split) || promisedLength(sel) != nil || len(env.Omit) > 0 || len(env.Set) > 0 || len(env.Extra.Members()) > 0 {
		return true
	}
	return sel.Reply.Stream != nil && slices.ContainsFunc(*sel.Reply.Stream, func(st scenarios.Step) bool {
		return len(st.Omit) > 0 || len(st.Set) > 0 || st.Wire != nil && st.Wire.Frames != ""
	})
}

func namesBytes(s *scenarios.Split) bool { return s != nil && (s.By == "inside_rune" || len(s.At) > 0) }

// form looks for the places in one form of a reply. A form that cannot be built or
// spoken is skipped: Check reports it.
func (p *placesSought) form(a *Asked) {
	owner := ownerOf(a.Selection)
	units, sc, ok := p.units(a, owner)
	if !ok {
		return
	}
	o := compile.Options{Manner: *a.Manner, FromMessage: a.Reply.Message != nil, Complete: a.Surface.Info().Complete}
	if slices.ContainsFunc(a.Manner.Damage, func(d scenarios.Damage) bool { return d.Op == "retype" }) {
		if made, err := makeWith(a, func(m *scenarios.Manner) { m.Damage = nil }); err == nil { // the types of what a request tells
			o.Sample = made.Values
		}
	}
	if a.Want.Stream {
		p.items(a, units)
	}
	for _, place := range compile.Places(units, o, sc != nil && a.Want.Stream) {
		if place.Pos.Line == 0 && a.Manner.End.After != nil && place.Name == fmt.Sprintf("%s after %d", a.Manner.End.Kind, *a.Manner.End.After) {
			continue // an ending made in Go is meant for requests that its author knows
		}
		place.Found = place.Found || sc != nil && (sc.PerRequest || place.InText && sc.OpenTexts())
		p.note(place, owner, "")
	}
	if sc == nil || !sc.PerRequest && !sc.OpenTexts() {
		p.bytes(a, owner)
	}
}

// items notes the names of events which strike those of several items, in damage and in the envelope.
func (p *placesSought) items(a *Asked, units []compile.Unit) {
	for _, d := range a.Manner.Damage {
		for _, s := range slices.Concat(d.Frames.Each(), d.With.Each()) {
			p.noteItems(d.Op, s.Kind, s.Pos, units)
		}
	}
	env := &a.Manner.Envelope
	edit := func(word string, path scenarios.Path) {
		at := slices.IndexFunc(units, func(u compile.Unit) bool { return strings.HasPrefix(path.String(), u.Name+".") })
		if at >= 0 {
			p.noteItems(word, units[at].Name, path.Pos, units)
		}
	}
	for _, path := range env.Omit {
		edit("omit", path)
	}
	for _, set := range env.Set {
		edit("set", set.Path)
	}
}

func (p *placesSought) noteItems(word, name string, pos diag.Pos, units []compile.Unit) {
	if !strings.Contains(name, ".") {
		return // a kind is all of its frames
	}
	types := map[string]string{} // types are those of the items, by their positions
	for i := range units {
		if item := units[i].JSON.Get("item"); !item.IsAbsent() {
			types[units[i].JSON.Get("output_index").String()] = item.Get("type").Text()
		}
	}
	var items []string
	for _, i := range compile.Named(units, name) {
		if at := units[i].JSON.Get("output_index"); !at.IsAbsent() {
			items = append(items, fmt.Sprintf("item %s, %s", at, cmp.Or(types[at.String()], "unknown")))
		}
	}
	if items = slices.Compact(items); len(items) > 1 {
		p.notes = append(p.notes, diag.Problem{
			Pos:     pos,
			Message: fmt.Sprintf("%s: %s is the name of events of %d items (%s)", word, name, len(items), strings.Join(items, "; ")),
			Hint:    fmt.Sprintf("for one event write %q, the first, to %q, the last", name+"[0]", name+"[-1]"),
		})
	}
}

// bytes looks for the bytes that an ending, a split and a header name, in one form of a reply.
func (p *placesSought) bytes(a *Asked, owner string) {
	end, split, promised := &a.Manner.End, a.Manner.Wire.Split, promisedLength(a.Selection)
	ends, splits := end.Byte != nil && end.Pos.Line > 0, split != nil && len(split.At) > 0
	if !ends && !splits && promised == nil {
		return
	}
	made, err := makeWith(a, func(m *scenarios.Manner) { m.Wire.Split = nil })
	if err != nil {
		return
	}
	var frames []int64 // frames are the sizes of the frames
	size := int64(0)
	for f := range made.Program.All() {
		if f.Hold == "" {
			frames = append(frames, int64(len(f.Append(nil, made.Values))))
			size += frames[len(frames)-1]
		}
	}
	if ends {
		if place, ok := endByte(end, frames, size); ok {
			p.note(place, owner, "")
		}
	}
	if splits {
		last := split.At[len(split.At)-1]
		p.note(compile.Place{
			Pos: split.Pos, Name: fmt.Sprintf("split at %d", last), Found: last < size,
			Missing: fmt.Sprintf("split: at: nothing comes after byte %d", last), Hint: fmt.Sprintf("the answer has %d bytes: write a smaller number", size),
		}, owner, "")
	}
	if promised != nil {
		n, err := strconv.ParseInt(promised.Source, 10, 64)
		p.note(compile.Place{
			Pos: promised.Pos, Name: "Content-Length", Found: err == nil && n >= size,
			Missing: fmt.Sprintf("headers: Content-Length is %s, and %d bytes are sent", diag.Quote(promised.Source), size),
			Hint:    "write a number that is not smaller, or leave it out: HTTP libraries send nothing beyond it",
		}, owner, "")
	}
}

// promisedLength is the value of the header Content-Length that the scenario writes; nil for none, or
// if the request decides it or what is sent.
func promisedLength(sel *scenarios.Selection) *scenarios.Text {
	headers := sel.Manner.Wire.Headers
	if sel.Reply.Error != nil {
		headers = slices.Concat(headers, sel.Reply.Error.Headers)
	}
	for i := range headers {
		if h := &headers[i]; strings.EqualFold(h.Name, "Content-Length") && !h.Value.IsTemplate() && sel.Manner.End.Kind == "" && sel.Manner.Wire.Gzip == "" {
			return &h.Value
		}
	}
	return nil
}

// makeWith makes the answer of a form with another manner, and without an early end.
func makeWith(a *Asked, change func(*scenarios.Manner)) (*Answer, error) {
	whole, sel, manner := *a, *a.Selection, *a.Manner
	manner.End = scenarios.End{}
	change(&manner)
	whole.Selection, sel.Manner = &sel, &manner
	return NewMaker().Make(&whole)
}

// endByte looks whether frames of these sizes have the byte at which an answer ends. Ok is false if
// the frame is not sent either.
func endByte(end *scenarios.End, frames []int64, size int64) (p compile.Place, ok bool) {
	at := *end.Byte
	what := "the answer"
	if end.After != nil {
		frame := *end.After
		if frame < 0 {
			frame += len(frames)
		}
		if frame < 0 || frame >= len(frames) {
			return p, false
		}
		what, size = fmt.Sprintf("frame %d", frame+1), frames[frame]
	}
	return compile.Place{
		Pos: end.Pos, Name: fmt.Sprintf("%s byte %d", end.Kind, at), Found: at <= size,
		Missing: fmt.Sprintf("%s byte: there is no byte %d", end.Kind, at),
		Hint:    fmt.Sprintf("%s has %d bytes: write a smaller number, or after to end behind a frame", what, size),
	}, true
}

// units returns what a form sends. The script is nil for an error or a fixed body. On
// the way, units looks for the places that omit and set name.
func (p *placesSought) units(a *Asked, owner string) (units []compile.Unit, sc *script.Script, ok bool) {
	switch {
	case a.Reply.Error == nil && a.Manner.Wire.Body != nil && !a.Manner.Wire.Body.JSON.IsAbsent():
		return []compile.Unit{{Kind: kindBody, JSON: a.Manner.Wire.Body.JSON}}, nil, true
	case a.Reply.Error != nil && a.Reply.Error.Body != nil, a.Manner.Wire.Body != nil, a.Reply.Whole() != "":
		raw := ""
		return []compile.Unit{{Kind: kindBody, Raw: &raw}}, nil, true
	case a.Reply.Error != nil:
		body, err := script.ErrorBody(a.Selection, a.Reply.Error)
		return []compile.Unit{{Kind: "error", JSON: body}}, nil, err == nil
	}
	b := script.New(a.Selection, a.Want)
	b.Sketches = true
	sc, problems := b.Reply(a.Surface)
	if len(problems) > 0 {
		return nil, nil, false
	}
	o := surface.Options{Want: a.Want, Envelope: a.Manner.Envelope, FromMessage: a.Reply.Message != nil, EndMark: asksForEndMark(a.Manner)}
	edits := map[soughtKey]*editSought{}
	var order []*editSought
	if a.Surface.Info().Sayable(sc, &o) != nil {
		return nil, nil, false
	}
	o.Edits = func(e surface.Edit) {
		if e.Group == nil || a.Reply.Stream != nil {
			order = hearEdit(edits, order, e)
		}
	}
	units, err := a.Surface.Speak(sc, &o)
	if err != nil {
		return nil, nil, false
	}
	var body ojson.Value
	if !a.Want.Stream && !sc.OpenTexts() {
		body = a.Surface.Fold(units, o)
	}
	for _, e := range order {
		place := e.place(a.Surface.Info().Complete, units)
		place.Found = place.Found || sc.PerRequest
		p.note(place, owner, e.step())
		if e.Word == "set" && e.Struck {
			p.note(compile.Place{
				Pos: e.Path.Pos, Name: "set " + e.Path.String() + " anew", Found: !e.Same || e.Path.Undoes || sc.PerRequest,
				Missing: fmt.Sprintf("set: %s has this value already", e.Path), Hint: "leave it out",
			}, owner, e.step())
		}
	}
	if failure := failureIn(sc); failure != nil && !a.Want.Stream {
		return []compile.Unit{{Kind: "error", JSON: failure.JSON()}}, nil, true
	}
	if !a.Want.Stream {
		return []compile.Unit{{Kind: kindBody, JSON: body}}, sc, true
	}
	return units, sc, true
}

// editSought is a place that omit or set changes: in the chunks of its step, or for the
// envelope in all chunks.
type editSought struct {
	surface.Edit
	chunks []ojson.Value
}

// chunksShown is in how many chunks of a step the hint's nearest path is looked for.
const chunksShown = 10

// hearEdit records what an edit did in one more chunk of its step.
func hearEdit(known map[soughtKey]*editSought, order []*editSought, e surface.Edit) []*editSought {
	s := &editSought{Edit: e}
	key := soughtKey{pos: e.Path.Pos, owner: s.step(), name: e.Word + e.Path.String()}
	if old := known[key]; old != nil {
		s = old
	} else {
		known[key] = s
		order = append(order, s)
	}
	s.Struck, s.Same = s.Struck || e.Struck, s.Same && e.Same
	switch {
	case e.Chunk.IsAbsent():
		return order
	case len(s.chunks) == chunksShown:
		s.chunks = s.chunks[:chunksShown-1] // keep room for the last chunk, which often differs from the others
	}
	s.chunks = append(s.chunks, e.Chunk)
	return order
}

// step names the step for messages; "" for the envelope.
func (e *editSought) step() string {
	if e.Group == nil {
		return ""
	}
	return fmt.Sprintf(", step %d", e.Group.Step+1)
}

func (e *editSought) place(complete func(ojson.Path) ojson.Path, units []compile.Unit) compile.Place {
	p := compile.Place{
		Pos: e.Path.Pos, Name: e.Word + " " + e.Path.String(), Found: e.Struck || e.Path.Undoes,
		Missing: fmt.Sprintf("%s: no chunk of the step has %s", e.Word, e.Path),
	}
	switch {
	case e.Word == "extra":
		p.Missing = fmt.Sprintf("extra: %s has no effect here: all chunks and whole answers have one", e.Path)
		p.Hint = fmt.Sprintf("write set: { %s: %s }, which overwrites it", e.Path, e.chunks[0])
		return p
	case e.Word == "set" && e.Group != nil:
		p.Missing = fmt.Sprintf("set: no chunk of the step has a place for %s", e.Path)
	case e.Word == "set":
		p.Missing = fmt.Sprintf("set: no chunk or whole answer has a place for %s", e.Path)
	case e.Group == nil:
		p.Missing = fmt.Sprintf("omit: no chunk or whole answer has %s", e.Path)
	}
	if name, inside := surface.OneOfEvents(e.Path.Path); e.Group == nil && name != "" && !p.Found {
		words, count := compile.Missed(units, name)
		p.Hint = cmp.Or(count, "there is no frame "+words)
		if len(e.chunks) > 0 {
			p.Hint = strings.Replace(compile.NearestPath(inside, complete, e.chunks), `did you mean "`, `did you mean "`+name+".", 1)
		}
		return p
	}
	if e.Group == nil {
		complete = withMessage(complete)
	}
	if !p.Found && len(e.chunks) > 0 {
		p.Hint = compile.NearestPath(e.Path.Path, complete, e.chunks)
	}
	return p
}

// withMessage extends complete to paths that start at the message of a whole answer.
func withMessage(complete func(ojson.Path) ojson.Path) func(ojson.Path) ojson.Path {
	return func(p ojson.Path) ojson.Path {
		if p[0].Name == "message" {
			return surface.InChoices(p, 1)[0]
		}
		return complete(p)
	}
}

// formsOf returns the forms that a reply can take, those with the most in them first:
// on each surface that it can be played on, as a stream with usage, with
// log-probabilities too, on Azure, with nothing asked for, and in one piece.
// Log-probabilities are not in the first form, because inventing them for a long text
// takes far longer than the rest.
func formsOf(sel *scenarios.Selection) []*Asked {
	own := sel.Scenario.API(sel.Reply)
	if on := SurfaceNamed(own); slices.Contains(scenarios.WholeSurfaces(), own) || own == scenarios.SurfaceOther {
		return []*Asked{asking(on, sel, scenarios.Request{Surface: own, Model: on.Info().DefaultModel}, false)}
	}
	var list []*Asked
	for _, s := range surfaces {
		if _, refused := sel.Reply.RefusedOn[s.Info().Name]; refused || own != "" && s.Info().Name != own {
			continue
		}
		full := scenarios.Request{
			Surface: s.Info().Name, Model: s.Info().DefaultModel, Stream: true, N: choicesAsked(sel),
			IncludeUsage: true, IncludeObfuscation: true, Logprobs: true, TopLogprobs: 20,
		}
		plain, whole := full, full
		plain.Logprobs, plain.TopLogprobs = false, 0
		whole.Stream = false
		bare := plain
		bare.IncludeUsage = false
		forms := []*Asked{asking(s, sel, plain, false), asking(s, sel, full, false), asking(s, sel, full, true), asking(s, sel, whole, false)}
		for _, form := range forms {
			form.Want.Includes = s.Info().Includes
		}
		list = append(list, slices.Insert(forms, 3, asking(s, sel, bare, false))...)
	}
	asked := cmp.Or(sel.Reply.When.Stream, sel.Scenario.When.Stream)
	return slices.DeleteFunc(list, func(a *Asked) bool { return asked != nil && a.Request.Stream != *asked })
}

func asking(s surface.Surface, sel *scenarios.Selection, req scenarios.Request, azure bool) *Asked {
	one := *sel
	one.Request, one.Match = &req, nil
	return Ask(s, &one, azure)
}

const maxChoices = 128

// choicesAsked is the n of the requests that get the reply: as its conditions say, or
// else as many choices as it has.
func choicesAsked(sel *scenarios.Selection) int {
	for _, w := range []*scenarios.When{&sel.Reply.When, &sel.Scenario.When} {
		for _, b := range w.Body {
			if b.Path.String() != "n" {
				continue
			}
			if b.Equals != nil {
				if n, ok := b.Equals.Int(); ok && n >= 1 && n <= maxChoices {
					return int(n)
				}
			}
			return maxChoices
		}
	}
	if m := sel.Reply.Message; m != nil {
		return max(1, len(m.Choices))
	}
	return 1
}
