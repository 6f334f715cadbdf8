package compile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
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

// framer writes units as events, laid out as the scenario's wire says.
type framer struct {
	wire    *scenarios.Wire
	framing sse.Framing
	style   ojson.Style
	name    *string // name is the name of events that have none of their own; nil for none.
	comment *string // comment is written before each event; nil for none.
	events  int     // events is the number of events framed so far.
	eventID string  // eventID is the id of the last event.
	heads   player.Heads
	// json and out are memory for the JSON and the bytes of an event, which templates copy.
	json, out []byte
}

// Render renders a text of the scenario for the request.
type Render func(scenarios.Text) (string, error)

func newFramer(w *scenarios.Wire, o *Options, r *rand.Rand) (*framer, error) {
	f := &framer{wire: w, style: Style(w.JSONStyle)}
	f.framing = framingOf(sse.Framing{Rand: r}, w.Newline, w.Newlines, w.Space)
	var err error
	if w.EventName.Present && !w.EventName.Null {
		if f.name, err = renderOptional(o.Render, &w.EventName.Value); err != nil {
			return nil, err
		}
	}
	f.comment, err = renderOptional(o.Render, w.CommentsBetween)
	return f, err
}

// framingOf applies the wire's options about lines to a framing.
func framingOf(f sse.Framing, newline string, two [2]string, space *bool) sse.Framing {
	if space != nil {
		f.NoSpace = !*space
	}
	ends := map[string]string{"lf": sse.LF, "crlf": sse.CRLF, "cr": sse.CR, "mixed": sse.Mixed}
	switch {
	case newline != "":
		f.Newline, f.Blank = ends[newline], ends[newline]
	case two[0] != "":
		f.Newline, f.Blank = ends[two[0]], ends[two[1]]
	}
	return f
}

// Style returns the JSON layout for a json_style of the scenario language; nil is
// compact.
func Style(s *scenarios.JSONStyle) ojson.Style {
	if s == nil {
		return ojson.Style{}
	}
	return ojson.Style{Spaces: s.Spaces, Indent: strings.Repeat(" ", s.Indent), ASCII: s.Escapes == "ascii", HTML: s.Escapes == "html"}
}

func renderOptional(render Render, t *scenarios.Text) (*string, error) {
	if t == nil {
		return nil, nil
	}
	s, err := render(*t)
	s = strings.ReplaceAll(s, "\x00", "\ufffd") // NUL marks holes in the JSON beside the text
	return &s, err
}

func isFalse(b *bool) bool { return b != nil && !*b }
func isTrue(b *bool) bool  { return b != nil && *b }

// frame makes the bytes of the unit, with holes.
func (f *framer) frame(u *Unit) {
	u.frame = f.template(u)
	u.eventID = f.eventID
}

func (f *framer) template(u *Unit) player.Template {
	f.eventID = ""
	switch {
	case !u.sends():
		return player.Template{}
	case u.Raw != nil:
		return player.Literal([]byte(*u.Raw))
	}
	e := u.Event
	var json []byte
	if !u.JSON.IsAbsent() {
		f.json = u.style(f.style).Append(f.json[:0], u.JSON)
		json = f.json
		if f.wire.Format == "ndjson" {
			return f.heads.NewTemplate(append(slices.Clone(json), '\n'), json)
		}
		e.Data = f.dataLines(json, u.Wire)
	}
	nameless := u.Wire != nil && u.Wire.Event.Null
	if e.Event == nil && f.name == nil && u.Name != "" && !f.wire.EventName.Null && !nameless {
		e.Event = &u.Name
	}
	out := f.event(&e, u)
	if json == nil {
		return player.Literal(slices.Clone(out))
	}
	return f.heads.NewTemplate(out, json)
}

// event returns the bytes of an event, with the fields and comments that the wire adds. They
// are valid until the next event.
func (f *framer) event(e *sse.Event, u *Unit) []byte {
	isEvent := e.Data != nil || e.Event != nil
	if isEvent {
		f.events++
		f.addWireFields(e, u.Final || u.Wire != nil && u.Wire.Event.Null)
	}
	if e.ID != nil {
		f.eventID = *e.ID
	}
	out := f.out[:0]
	if f.events == 1 && isEvent && isTrue(f.wire.BOM) {
		out = append(out, byteOrderMark...)
	}
	if isEvent && f.comment != nil {
		out = f.framing.Append(out, &sse.Event{Comment: f.comment})
	}
	framing := f.framing
	if w := u.Wire; w != nil {
		framing = framingOf(framing, w.Newline, w.Newlines, w.Space)
	}
	f.out = framing.Append(out, e)
	return f.out
}

// addWireFields adds the fields that the wire puts on every event. Nameless says that
// the event gets no name, whatever the wire says.
func (f *framer) addWireFields(e *sse.Event, nameless bool) {
	if e.Event == nil && !nameless {
		e.Event = f.name
	}
	if e.ID == nil && hasIDs(f.wire.IDs) {
		id := f.nextID()
		e.ID = &id
	}
	if e.Retry == nil && f.wire.Retry != nil && f.events == 1 {
		retry := strconv.Itoa(*f.wire.Retry)
		e.Retry = &retry
	}
}

// dataLines inserts line feeds into JSON where the wire, or the step's own wire
// options, begin a new data line.
func (f *framer) dataLines(json []byte, own *scenarios.StepWire) []byte {
	multiline, lines := f.wire.MultilineData, f.wire.DataLines
	if own != nil && (own.MultilineData != nil || own.DataLines > 0) {
		multiline, lines = own.MultilineData, own.DataLines
	}
	switch {
	case lines > 0:
		return spreadEvenly(json, lines)
	case isTrue(multiline):
		return spreadOverLines(json)
	}
	return json
}

// hasIDs reports whether events get ids.
func hasIDs(ids *scenarios.EventIDs) bool { return ids != nil && ids.By != "none" }

// nextID returns the id of an event that has none of its own. An id that is a hash
// depends on the event's number alone, so that a stream can continue after it in
// another answer, which has another creation time.
func (f *framer) nextID() string {
	if f.wire.IDs.By == "hash" {
		sum := sha256.Sum256(fmt.Appendf(nil, "event %d", f.events))
		return hex.EncodeToString(sum[:6])
	}
	return strconv.Itoa(f.events)
}

// outsideTexts visits the characters of a JSON text that are not inside of strings.
func outsideTexts(json []byte) iter.Seq2[int, byte] {
	return func(yield func(int, byte) bool) {
		quoted := false
		for i, c := range json {
			if c == '"' && !escaped(json, i) {
				quoted = !quoted
			} else if !quoted && !yield(i, c) {
				return
			}
		}
	}
}

// spreadEvenly breaks a JSON text into this many lines of about the same length, or
// into fewer if it has too few tokens.
func spreadEvenly(json []byte, lines int) []byte {
	var places []int // places are the positions before which a line can begin
	for i, c := range outsideTexts(json) {
		if bytes.IndexByte([]byte("{[,:"), c) >= 0 {
			places = append(places, i+1)
		}
	}
	var out []byte
	from := 0
	for n := 1; n < lines && len(places) > 0; n++ {
		// Take the last place before the even share, but leave places for the lines
		// that follow.
		k := 0
		for k+1 < len(places)-(lines-1-n) && places[k] < len(json)*n/lines {
			k++
		}
		out = append(append(out, json[from:places[k]]...), '\n')
		from, places = places[k], places[k+1:]
	}
	return append(out, json[from:]...)
}

// spreadOverLines breaks a JSON text into lines after the commas between the members of
// its outermost object. SSE clients join data lines with line feeds, which gives the
// same value.
func spreadOverLines(json []byte) []byte {
	var out []byte
	from, depth := 0, 0
	for i, c := range outsideTexts(json) {
		switch c {
		case '{', '[':
			depth++
		case '}', ']':
			depth--
		case ',':
			if depth == 1 {
				out = append(append(out, json[from:i+1]...), '\n')
				from = i + 1
			}
		}
	}
	return append(out, json[from:]...)
}

// escaped reports whether the character at i follows an odd number of backslashes.
func escaped(b []byte, i int) bool {
	n := len(b[:i]) - len(bytes.TrimRight(b[:i], `\`))
	return n%2 == 1
}
