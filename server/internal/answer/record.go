package answer

import (
	"context"
	"math"
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Record is a stored answer: all its events as the service made them, without the
// damage, the early end or the wire options that the scenario applies on the way to one
// client.
type Record struct {
	// Program plays the events with their pauses and holds. It has no holes to fill.
	Program *player.Program
	// Events are the events with a sequence number, in order; of an API without such numbers, one that has the answer
	// in one piece.
	Events []Event
}

// Event is one event of a record.
type Event struct {
	Number int64 // Number is the sequence_number.
	// Frame counts the program's frames up to and including this event's.
	Frame int
	// Snapshot is the response object that the event carries; Absent if it carries
	// none.
	Snapshot ojson.Value

	bytes *player.Template
}

// Bytes returns the framed event.
func (e *Event) Bytes() []byte { return e.bytes.Bytes(new(player.Values)) }

// Last returns the newest snapshot among the first n frames; Absent if there is none.
func (r *Record) Last(n int) (last ojson.Value) {
	for i := range r.Events {
		if r.Events[i].Frame > n {
			break
		}
		if s := r.Events[i].Snapshot; !s.IsAbsent() {
			last = s
		}
	}
	return last
}

// Record makes the record of the answer that was made for asked with this creation
// time. It is the same each time.
func (m *Maker) Record(asked *Asked, created int64) (*Record, error) {
	if body := asked.Manner.Wire.Body; body != nil {
		unit, err := fixedUnit(asked.Selection, body)
		if err != nil {
			return nil, err
		}
		if unit.Raw == nil {
			unit.Raw = new(unit.JSON.String())
		}
		if v, ok := literalJSON([]byte(*unit.Raw)); ok && asked.Surface.Info().Number == "" && asked.Surface.Info().Sent(v) {
			return &Record{Events: []Event{{Snapshot: v}}}, nil
		}
		units := legible([]compile.Unit{{Raw: unit.Raw}})
		for i := range units {
			if response := units[i].JSON.Get("response"); asked.Want.Background && !response.Get("background").IsAbsent() {
				units[i].JSON.Put(ojson.Path{{Name: "response"}, {Name: "background"}}, ojson.Bool(true))
			}
		}
		return record(units, compile.Options{Complete: asked.Surface.Info().Complete}, compile.Pauses{})
	}
	sel := *asked.Selection
	sel.Context = nil
	sel.Manner = &scenarios.Manner{Pace: sel.Manner.Pace, Envelope: sel.Manner.Envelope}
	again := *asked
	again.Selection, again.Want.Stream = &sel, asked.Surface.Info().Number != ""
	p := builder{maker: m, Asked: &again, createdAt: created}
	made, err := scripted(&again, script.NewFor(&sel, again.Want))
	if err != nil {
		return nil, err
	}
	done, err := awaitBuilding(context.Background(), made.events(nil))
	if err != nil {
		return nil, err
	}
	defer done()
	if err := made.speak(&again); err != nil {
		return nil, err
	}
	values, err := p.values(made)
	if err != nil {
		return nil, err
	}
	if !again.Want.Stream {
		return folded(made, &again, values), nil
	}
	r, err := record(compile.ExpandAndFill(made.units, values), made.compileOptions, p.pauses())
	if err != nil || r.Program.Ending.Due < time.Second {
		return r, err
	}
	// Its pauses say when it is completed, which is known only now.
	values.SetInt(hole.Due, created+int64(r.Program.Frames[len(r.Program.Frames)-1].Due/time.Second))
	return record(compile.ExpandAndFill(made.units, values), made.compileOptions, p.pauses())
}

// folded is the record of an answer whose events have no numbers. What literal bytes say counts, too.
func folded(made *program, asked *Asked, values *player.Values) *Record {
	if failureIn(made.script) != nil {
		return new(Record)
	}
	units := legible(compile.ExpandAndFill(made.units, values))
	for i := range units {
		units[i].Paced = units[i].Paced || asked.Surface.Info().Sent(units[i].JSON)
	}
	return &Record{Events: []Event{{Snapshot: compile.FillHoles(asked.Surface.Fold(units, made.speakOptions), values)}}}
}

// record frames units that have no holes.
func record(units []compile.Unit, o compile.Options, of compile.Pauses) (*Record, error) {
	units = legible(units)
	for i := range units {
		units[i].Wire = nil
	}
	stream, err := compile.NewStream(units, o)
	if err != nil {
		return nil, err
	}
	r := new(Record)
	if r.Program, err = stream.Program(compile.Request{Pauses: of}); err != nil {
		return nil, err
	}
	at, written := 0, 0 // at is the index of the next frame.
	for i := range units {
		if units[i].Silent {
			continue
		}
		f := &r.Program.Frames[at]
		at++
		if f.Hold != "" {
			continue
		}
		written++
		if n, ok := units[i].JSON.Get("sequence_number").Int(); ok {
			r.Events = append(r.Events, Event{Number: n, Frame: written, Snapshot: units[i].JSON.Get("response"), bytes: &f.Bytes})
		}
	}
	return r, nil
}

// legible are the units with their literal bytes read as events, so that a response that an author
// wrote in such bytes can be asked for.
func legible(units []compile.Unit) (list []compile.Unit) {
	for _, u := range units {
		read := readUnits(&u)
		if read == nil {
			read = []compile.Unit{u}
		}
		list = append(list, read...)
	}
	return list
}

// readUnits are the events in the literal bytes of a unit; nil if it has none. A response in one
// piece becomes the event that begins it and the event that has it.
func readUnits(u *compile.Unit) (list []compile.Unit) {
	event := func(v ojson.Value) {
		read := *u
		read.Raw, read.Event, read.JSON, read.Name = nil, sse.Event{}, v, v.Get("type").Text()
		list = append(list, read)
	}
	switch {
	case u.Event.Data != nil && u.JSON.IsAbsent():
		if v, ok := literalJSON(u.Event.Data); ok {
			event(v)
		}
	case u.Raw != nil:
		if v, ok := literalJSON([]byte(*u.Raw)); ok {
			for i, snapshot := range wholeResponse(v) {
				name := ojson.String("response." + snapshot.Get("status").Text())
				if i == 0 {
					name = ojson.String("response.created")
				}
				event(ojson.Object(ojson.M("type", name), ojson.M("response", snapshot), ojson.M("sequence_number", ojson.Int(int64(i)))))
			}
			return list
		}
		for _, b := range sse.Blocks([]byte(*u.Raw)) {
			data, _ := b.Data()
			if v, ok := literalJSON([]byte(data)); ok {
				event(v)
			}
		}
	}
	return list
}

// longestLiteral is how many bytes of literal JSON are read at most: a template can put what a client
// sends into them.
const longestLiteral = 1 << 20

// literalJSON reads JSON that an author wrote as text; ok says that it is some.
func literalJSON(text []byte) (v ojson.Value, ok bool) {
	if len(text) > longestLiteral {
		return v, false
	}
	v, err := ojson.Parse(text)
	return v, err == nil
}

// wholeResponse are a response that an author wrote in one piece, as it began and as it is; nil if
// the JSON is no such response.
func wholeResponse(v ojson.Value) []ojson.Value {
	if v.Get("object").Text() != "response" || v.Get("id").Text() == "" {
		return nil
	}
	began := v.Clone()
	began.Set("status", ojson.String("in_progress"))
	began.Set("output", ojson.Array())
	began.Set("usage", ojson.Null())
	return []ojson.Value{began, v}
}

// mayBeKept reports whether the answer can be asked for again, if it has an id.
func (p *builder) mayBeKept() bool {
	info := p.Surface.Info()
	return info.Stores != nil && (info.Items || info.Stores(p.Request)) && p.Manner.Wire.Status < http.StatusBadRequest
}

// keptBody is the id under which a response in the bytes of wire.body can be retrieved; "" if there
// is none. A response that its bytes leave unfinished is not made in the background, whatever
// the request wants.
func (p *builder) keptBody() string {
	if !p.mayBeKept() {
		return ""
	}
	r, err := p.maker.Record(p.Asked, p.createdAt)
	if err != nil {
		return ""
	}
	last := r.Last(math.MaxInt)
	if status := last.Get("status").Text(); status == scenarios.ResponseQueued || status == "in_progress" {
		p.Want.Background = false
	}
	return last.Get("id").Text()
}

// keptID is the id under which an answer can be retrieved; "" if it has none.
func (p *builder) keptID(of *program, values *player.Values) string {
	if !p.mayBeKept() {
		return ""
	}
	if of.rewritten || !p.Surface.Info().Items && failureIn(of.script) != nil {
		r, err := p.maker.Record(p.Asked, p.createdAt)
		if err != nil || len(r.Events) == 0 {
			return ""
		}
		return r.Last(r.Events[len(r.Events)-1].Frame).Get("id").Text()
	}
	id, err := ojson.Unquote(string(values.Get(surface.HoleID)))
	if err != nil || p.Manner.Envelope.ID.Null {
		return ""
	}
	return id
}

// rewrites reports whether a step or the envelope can overwrite the id that is drawn
// for an answer.
func rewrites(sc *script.Script, env *scenarios.Envelope) bool {
	if len(env.Omit)+len(env.Set) > 0 {
		return true
	}
	for i := range sc.Groups {
		g := &sc.Groups[i]
		if g.Edit != nil && len(g.Edit.Omit)+len(g.Edit.Set) > 0 {
			return true
		}
		for _, beat := range g.Beats {
			switch beat.(type) {
			case script.Literal, script.Raw, script.Event:
				return true
			}
		}
	}
	return false
}
