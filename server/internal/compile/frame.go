package compile

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

const byteOrderMark = "\ufeff"

// framer writes units as events in the way that a scenario's wire says.
type framer struct {
	wire    scenarios.Wire
	framing sse.Framing
	style   ojson.Style
	name    *string // name is the name of each event that has none of its own.
	comment *string // comment stands before each event.
	events  int     // events counts the events framed so far.
	eventID string  // eventID is the id of the event that was framed last.
	heads   player.Heads
}

// Render renders a text of the scenario for the request.
type Render func(scenarios.Text) (string, error)

func newFramer(w scenarios.Wire, o *Options, r *rand.Rand) (*framer, error) {
	f := &framer{wire: w, style: Style(w.JSONStyle)}
	f.heads.Repeats = repeats(o.Repeats, f.style)
	f.framing = sse.Framing{NoSpace: isFalse(w.Space), Rand: r}
	switch w.Newline {
	case "crlf":
		f.framing.Newline = sse.CRLF
	case "cr":
		f.framing.Newline = sse.CR
	case "mixed":
		f.framing.Newline = sse.Mixed
	}
	var err error
	if f.name, err = renderOptional(o.Render, w.EventName); err != nil {
		return nil, err
	}
	f.comment, err = renderOptional(o.Render, w.CommentsBetween)
	return f, err
}

// Style is the JSON layout of that name in the scenario language.
func Style(name string) ojson.Style {
	switch name {
	case "spaced":
		return ojson.Style{Spaces: true}
	case "ascii":
		return ojson.Style{ASCII: true, Spaces: true}
	case "pretty":
		return ojson.Style{Indent: "  "}
	}
	return ojson.Style{}
}

func renderOptional(render Render, t *scenarios.Text) (*string, error) {
	if t == nil {
		return nil, nil
	}
	s, err := render(*t)
	s = strings.ReplaceAll(s, "\x00", "\ufffd") // NUL marks the holes of the JSON that it stands beside
	return &s, err
}

func isFalse(b *bool) bool { return b != nil && !*b }
func isTrue(b *bool) bool  { return b != nil && *b }

// frame makes the unit's bytes, with holes.
func (f *framer) frame(u *Unit) {
	u.frame, u.framed = f.template(u), true
	u.eventID = f.eventID
}

func (f *framer) template(u *Unit) player.Template {
	f.eventID = ""
	switch {
	case !u.sends():
		return player.Template{}
	case u.Raw != nil:
		return player.Literal([]byte(*u.Raw))
	case u.Repeat != nil:
		return repeated(u.Repeat)
	}
	e := u.Event
	var json []byte
	if !u.JSON.IsAbsent() {
		json = f.style.Append(nil, u.JSON)
		if f.wire.Format == "ndjson" {
			return f.heads.NewTemplate(append(slices.Clone(json), '\n'), json)
		}
		e.Data = json
		if isTrue(f.wire.MultilineData) {
			e.Data = spreadOverLines(json)
		}
	}
	out := f.event(&e, u.Final)
	if json == nil {
		return player.Literal(out)
	}
	return f.heads.NewTemplate(out, json)
}

// event is the bytes of an event with what the wire puts before and into it.
func (f *framer) event(e *sse.Event, final bool) []byte {
	isEvent := e.Data != nil || e.Event != nil
	if isEvent {
		f.events++
		f.addWireFields(e, final)
	}
	if e.ID != nil {
		f.eventID = *e.ID
	}
	var out []byte
	if f.events == 1 && isEvent && isTrue(f.wire.BOM) {
		out = append(out, byteOrderMark...)
	}
	if isEvent && f.comment != nil {
		out = f.framing.Append(out, &sse.Event{Comment: f.comment})
	}
	return f.framing.Append(out, e)
}

// addWireFields adds the lines that the wire puts on every event.
func (f *framer) addWireFields(e *sse.Event, final bool) {
	if e.Event == nil && !final {
		e.Event = f.name
	}
	if e.ID == nil && isTrue(f.wire.IDs) {
		id := strconv.Itoa(f.events)
		e.ID = &id
	}
	if e.Retry == nil && f.wire.Retry != nil && f.events == 1 {
		retry := strconv.Itoa(*f.wire.Retry)
		e.Retry = &retry
	}
}

// spreadOverLines breaks a JSON text into lines after the commas between the
// members of its outermost object. Joined by line feeds, as SSE clients join data
// lines, it is the same value.
func spreadOverLines(json []byte) []byte {
	var out []byte
	depth, quoted := 0, false
	for i, c := range json {
		out = append(out, c)
		switch {
		case c == '"' && !escaped(json, i):
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			depth--
		case c == ',' && depth == 1:
			out = append(out, '\n')
		}
	}
	return out
}

// escaped reports whether the character at i stands behind an odd number of
// backslashes.
func escaped(b []byte, i int) bool {
	n := len(b[:i]) - len(bytes.TrimRight(b[:i], `\`))
	return n%2 == 1
}
