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
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
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

// Unit is one thing that a stream sends, in the JSON of its surface but not framed yet,
// or a hold.
type Unit struct {
	Kind string   // Kind names the unit for damage and reports, in the words of its surface.
	Also []string // Also holds further names by which damage finds the unit.
	Step int      // Step is the index of the step that the unit came from.

	Gap    *time.Duration // Gap is the pause before the unit; nil leaves it to the pace.
	Jitter time.Duration  // Jitter is how far Gap varies, either way.
	Paced  bool           // Paced says that the pauses of the pace apply to the unit.

	Silent  bool // Silent says that the unit is a pause, and sends nothing.
	Final   bool // Final says that the unit tells the client that the stream is complete.
	Closing bool // Closing says that an early ending leaves out this unit and all after it.

	FinalNewline bool // FinalNewline says that a line feed follows JSON over several lines, in an answer of one piece.

	// JSON, Event and Raw are what is sent: an event whose data is JSON, any other
	// event, or bytes.
	JSON  ojson.Value
	Event sse.Event
	Name  string // Name is the event's name if neither Event nor the wire gives one.
	Raw   *string
	Hold  string
	Wire  *scenarios.StepWire // Wire lays out the event of this unit in another way than the others; nil for none.

	// Series is not 0 for a unit that is sent once for each piece of the text in this
	// hole. JSON then has a [hole.Piece], and PieceGap is the pause before each piece but
	// the first.
	Series   hole.ID
	PieceGap *time.Duration
	// Follows says that the first piece of the series follows at once what is before it: only the
	// others are paced.
	Follows bool

	piece   player.Filling  // piece is the piece that this unit of a series sends.
	frame   player.Template // frame holds the bytes, if they could be made without the request.
	eventID string          // eventID is the id of the frame's event.
	corrupt int             // corrupt is how many bytes to damage once they are known.
}

// sends reports whether the unit puts bytes on the wire.
func (u *Unit) sends() bool { return !u.Silent && u.Hold == "" }

// hasKind reports whether a kind that damage names fits the unit: its kind, another of
// its names, or the name of its event.
func (u *Unit) hasKind(kind string) bool {
	return u.Kind == kind || u.Name == kind || slices.Contains(u.Also, kind)
}

// narrowed returns units of which only those keep the wire of their step that it names. The events of a
// step follow each other.
func narrowed(units []Unit) []Unit {
	if !slices.ContainsFunc(units, func(u Unit) bool { return u.Wire != nil && u.Wire.Frames != "" }) {
		return units
	}
	units = slices.Clone(units)
	for rest := units; len(rest) > 0; {
		w, n := rest[0].Wire, 1
		for n < len(rest) && rest[n].Wire == w {
			n++
		}
		own := rest[:n]
		rest = rest[n:]
		if w == nil || w.Frames == "" {
			continue
		}
		named := Named(own, w.Frames)
		for i := range own {
			if len(named) > 0 && named[0] == i {
				named = named[1:]
			} else {
				own[i].loseWire()
			}
		}
	}
	return units
}

func (u *Unit) loseWire() {
	if u.Wire.Event.Present {
		u.Event.Event = nil
	}
	u.Event.Comment, u.Event.ID, u.Event.Retry, u.Wire = nil, nil, nil, nil
}

// style is the layout of the unit's JSON: that of its step, or else that of all events.
func (u *Unit) style(all ojson.Style) ojson.Style {
	if u.Wire != nil && u.Wire.JSONStyle != nil {
		return Style(u.Wire.JSONStyle)
	}
	return all
}

// name is the name by which damage finds the unit: its kind, unless that is only the
// last part of its event's name.
func (u *Unit) name() string {
	if strings.HasSuffix(u.Name, "."+u.Kind) {
		return u.Name
	}
	return u.Kind
}

func hasSeries(units []Unit) bool {
	return slices.ContainsFunc(units, func(u Unit) bool { return u.Series != 0 })
}

// expandSeries replaces each series by one unit for each piece; by one alone, without values.
func expandSeries(units []Unit, v *player.Values) []Unit {
	if v == nil || !hasSeries(units) {
		return units
	}
	var out []Unit
	for _, u := range units {
		if u.Series == 0 {
			out = append(out, u)
			continue
		}
		pieces := v.Series(u.Series)
		for i := range pieces.Len() {
			one := u
			one.Series, one.piece = 0, player.NewFilling(pieces, i)
			if i > 0 {
				one.Gap, one.Follows = u.PieceGap, false
			}
			out = append(out, one)
		}
	}
	return out
}

// unitBytes and jsonBytes estimate the memory of a unit and of its JSON.
const (
	unitBytes = 600
	jsonBytes = 4000
)

// Size estimates the memory of units, in bytes.
func Size(units []Unit) (n int64) {
	for i := range units {
		u := &units[i]
		n += unitBytes + int64(len(u.frame.Data())+len(u.Event.Data))
		if !u.JSON.IsAbsent() {
			n += jsonBytes
		}
	}
	return n
}

// Size estimates the memory of the stream, in bytes.
func (s *Stream) Size() int64 { return Size(s.units) }
