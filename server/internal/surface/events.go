package surface

import (
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// This file is for APIs whose streams are events of several types.

// IsOfChat reports whether a path names a place that only chunks of chat completions have.
func IsOfChat(_ *script.Group, p ojson.Path) bool {
	switch p[0].Name {
	case "choices", "usage", "id", "object", "created", "model", "system_fingerprint", "service_tier", "finish_reason":
		return true
	case "delta":
		return len(p) > 1
	case "logprobs":
		return len(p) > 1 && !p[1].IsIndex
	}
	return false
}

// EditEvents applies what the step of a group sets, omits and adds to the events that the surface has said for it.
func (o *Options) EditEvents(g *script.Group, said []compile.Unit) {
	edit := g.Edit
	if edit == nil {
		return
	}
	one := *g
	for i := range said {
		u := &said[i]
		if u.JSON.IsAbsent() {
			continue
		}
		one.Edit = &script.Edit{Omit: edit.Omit}
		for _, a := range edit.Set {
			if isPlaceIn(said, i, a.Path.Path) {
				one.Edit.Set = append(one.Edit.Set, a)
			}
		}
		u.JSON.SetAll(edit.Extra.Members())
		u.JSON = o.Amend(u.JSON, &one, func(p ojson.Path) ojson.Path { return p })
	}
}

// isPlaceIn reports whether a value is set in the event at i: if the event has the place; or,
// if no event has it, the object around the place; or, if no event has that either, if it is
// the last event.
func isPlaceIn(said []compile.Unit, i int, p ojson.Path) bool {
	for _, p := range []ojson.Path{p, p[:len(p)-1]} {
		has := func(u compile.Unit) bool { return len(p) > 0 && !u.JSON.Find(p).IsAbsent() }
		if slices.ContainsFunc(said, has) {
			return has(said[i])
		}
	}
	return i == len(said)-1
}

// The reasons why a response is incomplete.
const (
	ReasonLength = "max_output_tokens"
	ReasonFilter = "content_filter"
)

// StatusByFinish returns the status of a response with this finish reason, and the reason why it is incomplete.
func StatusByFinish(finish string) (status, reason string) {
	switch finish {
	case "length":
		return "incomplete", ReasonLength
	case "content_filter":
		return "incomplete", ReasonFilter
	}
	return "completed", ""
}

// Edit is a place that omit, set or extra changes: that of a step in a finished chunk, that of
// the envelope in a chunk or a whole answer.
type Edit struct {
	Group  *script.Group // Group is the group of the step; nil for the envelope.
	Word   string        // Word is omit, set or extra.
	Path   scenarios.Path
	Full   ojson.Path  // Full is the path from the top of the chunk.
	Chunk  ojson.Value // Chunk is the chunk before the change, or the value of extra; Absent if chunks of its kind never have the place.
	Struck bool        // Struck says that the chunk has the place, or that only a request can tell.
	Same   bool        // Same says that the chunk has the very value that set puts at all of the places.
}

// Extend adds the members of the envelope's extra that v, a chunk or a whole answer, does not have.
func (o *Options) Extend(v *ojson.Value) {
	o.tellExtra(func(name string) bool { return v.Get(name).IsAbsent() })
	v.SetMissing(o.Envelope.Extra.Members())
}

// Overwrite puts the members of the envelope's extra into v, in place of those that it has.
func (o *Options) Overwrite(v *ojson.Value) {
	o.tellExtra(func(string) bool { return true })
	v.SetAll(o.Envelope.Extra.Members())
}

func (o *Options) tellExtra(struck func(name string) bool) {
	if o.Edits == nil {
		return
	}
	for _, m := range o.Envelope.Extra.Members() {
		path := scenarios.Path{Path: ojson.Path{{Name: m.Name}}, Pos: o.Envelope.At["extra"]}
		o.Edits(Edit{Word: "extra", Path: path, Chunk: m.Value, Struck: struck(m.Name)})
	}
}

// Amend applies the omit and set of a group's step to its finished chunk. The function
// complete returns full paths.
func (o *Options) Amend(v ojson.Value, g *script.Group, complete func(ojson.Path) ojson.Path) ojson.Value {
	if g.Edit == nil {
		return v
	}
	return o.amend(v, g, g.Edit.Omit, g.Edit.Set, func(p ojson.Path) []ojson.Path { return []ojson.Path{complete(p)} })
}

// AmendEverywhere applies the envelope's omit and set to v, a finished chunk or a whole
// answer. The function places lists the full paths that a written path stands for in v.
// A value is set only where its parent exists: setting a member of usage does not add a
// usage to every chunk.
func (o *Options) AmendEverywhere(v ojson.Value, places func(ojson.Path) []ojson.Path) ojson.Value {
	return o.amend(v, nil, o.Envelope.Omit, o.Envelope.Set, places)
}

// AmendNamed applies omit and set of the envelope whose paths name one of several events of a type, as in
// response.output_item.done[0].item.status.
func (o *Options) AmendNamed(units []compile.Unit) {
	for _, p := range o.Envelope.Omit {
		o.amendNamed(units, p, []scenarios.Path{p}, nil)
	}
	for _, a := range o.Envelope.Set {
		o.amendNamed(units, a.Path, nil, []scenarios.Assignment{a})
	}
}

func (o *Options) amendNamed(units []compile.Unit, p scenarios.Path, omit []scenarios.Path, set []scenarios.Assignment) {
	name, inside := OneOfEvents(p.Path)
	if name == "" || slices.ContainsFunc(units, func(u compile.Unit) bool { return u.Series != 0 && strings.HasPrefix(name, u.Name+"[") }) {
		return // which of the pieces of a text it is, only a request tells
	}
	for _, i := range compile.Named(units, name) {
		units[i].JSON = o.amend(units[i].JSON, nil, omit, set, func(ojson.Path) []ojson.Path { return []ojson.Path{inside} })
	}
}

// lastWords are the last words of the types of events that an answer can have several of.
var lastWords = []string{"added", "done", "delta", "completed", "failed", "in_progress", "searching", "generating", "interpreting", "partial_image", "compacting"}

// OneOfEvents splits a path that begins with the name of one of several events into the name and the path
// inside the event; the name is "" for any other path.
func OneOfEvents(p ojson.Path) (name string, inside ojson.Path) {
	at := slices.IndexFunc(p, func(e ojson.PathElement) bool { return e.IsIndex })
	if at < 3 || at+1 >= len(p) || p[0].Name != "response" || !slices.Contains(lastWords, p[at-1].Name) {
		return "", nil
	}
	return p[:at+1].String(), p[at+1:]
}

// InEvent returns a function that maps a path of the envelope to the places in an event of this type:
// those that place returns for the path, or for the rest of it if it begins with the type of an event, since it
// is about that type alone then.
func InEvent(eventType string, place func(p ojson.Path, ofType bool) ojson.Path) func(ojson.Path) []ojson.Path {
	return func(p ojson.Path) []ojson.Path {
		if name, _ := OneOfEvents(p); name != "" {
			return nil // see AmendNamed
		}
		inside, of := cutEventType(p, eventType)
		return []ojson.Path{place(inside, of)}
	}
}

// cutEventType returns the path without the event type that it begins with, and true; or the whole
// path and false.
func cutEventType(p ojson.Path, eventType string) (inside ojson.Path, of bool) {
	words := strings.Split(eventType, ".")
	if len(words) < 2 || len(p) <= len(words) {
		return p, false
	}
	for i, word := range words {
		if p[i].IsIndex || p[i].Name != word {
			return p, false
		}
	}
	return p[len(words):], true
}

func (o *Options) amend(v ojson.Value, g *script.Group, omit []scenarios.Path, set []scenarios.Assignment, places func(ojson.Path) []ojson.Path) ojson.Value {
	if len(omit)+len(set) == 0 {
		return v
	}
	v = v.Clone()
	tell := func(word string, p scenarios.Path, edit func(ojson.Path) bool) {
		e, at := Edit{Group: g, Word: word, Path: p}, places(p.Path)
		if o.Edits != nil && len(at) > 0 {
			e.Chunk = v.Clone()
		}
		e.Same = true
		for _, e.Full = range at {
			before := e.Chunk.Find(e.Full).String()
			struck := edit(e.Full) || hole.On(e.Chunk, e.Full)
			e.Same = e.Same && (!struck || word == "set" && before == v.Find(e.Full).String())
			e.Struck = e.Struck || struck
		}
		if o.Edits != nil {
			o.Edits(e)
		}
	}
	for _, p := range omit {
		tell("omit", p, v.Remove)
	}
	for _, a := range set {
		tell("set", a.Path, func(p ojson.Path) bool {
			return (g != nil || !v.Find(p[:len(p)-1]).IsAbsent()) && v.Put(p, a.Value)
		})
	}
	return v
}

// InOrder puts the members of a finished chunk, and of the objects at these places in it, into the
// order of the envelope. Other members follow in their own order.
func (o *Options) InOrder(v ojson.Value, objects ...ojson.Path) ojson.Value {
	if len(o.Envelope.Order) == 0 {
		return v
	}
	v = v.First(o.Envelope.Order...)
	for _, p := range objects {
		if object := v.Find(p); object.Kind() == ojson.ObjectKind {
			v.Put(p, object.First(o.Envelope.Order...))
		}
	}
	return v
}

// LastGroups returns the positions of the last group of each call, by the index of the call, and of the last group with
// usage; -1 if there is none.
func LastGroups(s *script.Script) (calls map[int]int, usage int) {
	calls, usage = map[int]int{}, -1
	for i := range s.Groups {
		for _, beat := range s.Groups[i].Beats {
			switch beat := beat.(type) {
			case script.CallStart:
				calls[beat.Index] = i
			case script.CallArguments:
				calls[beat.Index] = i
			case script.CallFragment:
				if index, ok := beat.Index.Int(); ok {
					calls[int(index)] = i
				}
			case script.Usage:
				usage = i
			}
		}
	}
	return calls, usage
}

// StartOf returns the beat that opens the call of a fragment, or goes on with it. A fragment without an index belongs to the
// latest call, or opens one behind those that are known if it has an id.
func StartOf(f *script.CallFragment, latest, known int) *script.CallStart {
	index, ok := f.Index.Int()
	switch {
	case ok:
	case script.Says(f.ID):
		index = int64(known)
	default:
		index = int64(latest)
	}
	start := &script.CallStart{Index: int(index), Type: script.FunctionCall, Untyped: f.Type.IsAbsent(), ID: f.ID, Name: f.Name, Arguments: f.Arguments}
	if f.Custom {
		start.Type = script.CustomCall
	}
	return start
}

// HearGroup returns what a group says, for the rules. An event that the author wrote whole becomes the beats that it
// stands for, and a fragment without an id and a name goes on with its call.
func HearGroup(g *script.Group, hearEvent func(ojson.Value) []script.Beat) (heard lint.Heard) {
	one := lint.Said{Choice: g.Choice}
	for _, beat := range g.Beats {
		switch beat := beat.(type) {
		case script.Usage:
			heard.Usage = &beat
			if beat.Alone {
				return heard
			}
		case script.CallFragment:
			start := StartOf(&beat, 0, 0)
			if beat.ID.IsAbsent() && beat.Name.IsAbsent() {
				one.Beats = append(one.Beats, script.CallArguments{Index: start.Index, Type: start.Type, Arguments: start.Arguments})
			} else {
				one.Beats = append(one.Beats, *start)
			}
		case script.Literal:
			one.Beats = append(one.Beats, hearEvent(beat.Value)...)
		default:
			one.Beats = append(one.Beats, beat)
		}
	}
	heard.Said = []lint.Said{one}
	return heard
}

// HeardBeats is what the beats of one event say.
func HeardBeats(beats []script.Beat) lint.Heard {
	if beats == nil {
		return lint.Heard{}
	}
	return lint.Heard{Said: []lint.Said{{Beats: beats}}}
}

// OptionsForRules are the options with which the rules speak a script. Its ids are numbered.
func OptionsForRules(t *lint.Transcript, name string) *Options {
	drawn := 0
	return &Options{
		Want:     script.Want{Surface: name, N: 1, Stream: true, Usage: true, TellsUsage: true},
		Envelope: t.Manner.Envelope,
		Draw: func(prefix string) ojson.Value {
			drawn++
			return ojson.String(prefix + strconv.Itoa(drawn))
		},
	}
}

var chatCounts = strings.NewReplacer("input_tokens", "prompt_tokens", "output_tokens", "completion_tokens")

// NoteUsage notes the usage of a response, with the names that chat completions have for its counts.
func (r *Reading) NoteUsage(response ojson.Value) {
	usage := ojson.Object()
	for _, m := range response.Get("usage").Members() {
		usage.Set(chatCounts.Replace(m.Name), m.Value)
	}
	r.Usage(usage)
}

// LastResponse returns the response object of the last event that has one.
func LastResponse(units []compile.Unit) (last ojson.Value) {
	for i := range units {
		if r := units[i].JSON.Get("response"); r.Kind() == ojson.ObjectKind {
			last = r
		}
	}
	return last
}

// Text is a text to which pieces are added. Pieces that only a request tells are holes. The zero value
// is empty.
type Text struct {
	known strings.Builder // known is the text behind the last hole.
	open  []openPiece
	// joined is the hole for the whole text; Absent if there is none, or if it lacks the latest pieces.
	joined ojson.Value
}

// openPiece is a piece that is a hole, behind a text that is known.
type openPiece struct {
	before string
	piece  ojson.Value
	from   hole.ID // from is the hole that has the text, or its series.
}

// Add adds a piece: a text, a hole, or [hole.Piece] for all pieces of a series.
func (t *Text) Add(piece ojson.Value, series hole.ID) {
	t.joined = ojson.Value{}
	id, open := hole.In(piece)
	if !open {
		t.known.WriteString(piece.Text())
		return
	}
	if id == hole.Piece {
		id = series
	}
	t.open = append(t.open, openPiece{t.known.String(), piece, id})
	t.known.Reset()
}

// Value returns the whole text, or a hole for it. Where nothing is sent, that is the last hole.
func (t *Text) Value(o *Options) ojson.Value {
	last := len(t.open) - 1
	switch {
	case last < 0:
		return ojson.String(t.known.String())
	case o.Later == nil || last == 0 && t.isHole(&t.open[0]):
		return t.open[last].piece
	case t.joined.IsAbsent():
		pieces, end := t.open, t.known.String()
		t.joined = o.Later(func(f *Filler, id hole.ID) {
			f.Values.Fill(id, func(dst []byte) []byte { return appendJoined(dst, f, pieces, end) })
		})
	}
	return t.joined
}

// isHole reports whether the text is one hole with a text, and nothing else.
func (t *Text) isHole(only *openPiece) bool {
	id, _ := hole.In(only.piece)
	return id == only.from && only.before == "" && t.known.Len() == 0
}

// appendJoined appends pieces, and the text behind them, as one JSON string.
func appendJoined(dst []byte, f *Filler, pieces []openPiece, end string) []byte {
	dst = append(dst, '"')
	for _, p := range pieces {
		dst = f.Values.AppendInside(appendInside(dst, f.Style, p.before), p.from)
	}
	return append(appendInside(dst, f.Style, end), '"')
}

// appendInside appends a text as the inside of a JSON string.
func appendInside(dst []byte, style ojson.Style, text string) []byte {
	at := len(dst)
	dst = style.AppendString(dst, text)
	return append(dst[:at], dst[at+1:len(dst)-1]...)
}
