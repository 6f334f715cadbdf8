package answer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Outcomes are what clients come to that read the answer to a request to its end. They follow from nothing
// but the status, the header, the bytes, and how these end.
func (a *Answer) Outcomes(asked *Asked) scenarios.Outcomes {
	t := transfer{on: asked.Surface, streamed: asked.Request.Stream, choices: asked.Want.N}
	if a.Program.Ending.Refuses() || a.Status/100 != 2 {
		t.failure = "there is no answer"
	} else {
		t.broken = a.Program.Ending.Breaks()
		if body := a.body(&t, math.MaxInt64); t.speaks() {
			t.read(body)
		}
	}
	return t.outcomes()
}

// body returns the first bytes of the answer, unpacked. It notes if they end before they should.
func (a *Answer) body(t *transfer, sent int64) []byte {
	var body []byte
	for f := range a.Program.All() {
		if f.Hold == "" && int64(len(body)) < sent {
			body = f.Append(body, a.Values)
		}
	}
	body = body[:min(sent, int64(len(body)))]
	if n, err := strconv.Atoi(a.Header.Get("Content-Length")); err == nil && n > len(body) {
		t.broken = true
	}
	if !strings.EqualFold(a.Header.Get("Content-Encoding"), "gzip") {
		return body
	}
	zip, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		t.broken = true
		return nil
	}
	unpacked, err := io.ReadAll(zip)
	t.broken = t.broken || err != nil
	return unpacked
}

type transfer struct {
	on       surface.Surface
	streamed bool // streamed says that the client has asked for a stream.
	choices  int  // choices is the number of choices that the request asked for.
	broken   bool // broken says that the connection breaks before the end of the body.

	reading surface.Reading
	failure string           // failure is why the answer failed before it was whole; "" if it did not.
	code    string           // code is that of an error in the stream or, without one, its type.
	noJSON  bool             // noJSON says that an event is no JSON.
	late    bool             // late says that something is wrong behind a whole answer.
	done    bool             // done says that [DONE] was read.
	odd     bool             // odd says that some clients report an error of their own.
	other   bool             // other says that the answer has another form than was asked for.
	lenient bool             // lenient says that an event at the end counts although no blank line ends it.
	rest    *surface.Reading // rest is what a lenient client reads; nil for the same.
}

// speaks reports whether answers of the API are those of a model, which say something.
func (t *transfer) speaks() bool { return slices.Contains(Surfaces(), t.on) }

// largeEvent is the size above which some clients refuse an event.
const largeEvent = 64 << 10

// read reads the body: the events of a stream, an object, or an object on each line. Events says that
// it has events.
func (t *transfer) read(body []byte) (events bool) {
	if t.events(body) {
		t.other = !t.streamed
		return true
	}
	t.other = t.streamed
	if v, err := ojson.Parse(body); err == nil {
		t.event("", v)
		return false
	}
	t.failure = "there are no events and no answer in JSON"
	for line := range bytes.Lines(body) {
		v, err := ojson.Parse(line)
		if err != nil {
			t.reading = surface.Reading{}
			return false
		}
		t.event("", v)
	}
	return false
}

// events reads the events of a stream. It returns false if there are none.
func (t *transfer) events(body []byte) (found bool) {
	for _, b := range sse.Blocks(body) {
		data, ok := b.Data()
		if !ok {
			continue
		}
		found = true
		t.odd = t.odd || len(data) > largeEvent
		if strings.TrimSpace(data) == "[DONE]" {
			t.done = true
			return found
		}
		v, err := ojson.ParseHalves([]byte(data))
		name, _ := b.Event()
		switch {
		case data == "" || data[0] == ':': // a comment, as some proxies pass it on
		case !b.Whole && err == nil && !t.lenient:
			more := transfer{on: t.on, lenient: true}
			more.events(body)
			t.rest = &more.reading
		case !b.Whole && err != nil:
		case err != nil:
			t.noJSON = t.noJSON || !t.reading.IsWhole()
			t.fail("the data of an event is no JSON", t.reading.IsWhole())
		default:
			t.event(name, v)
		}
	}
	return found
}

// event reads a chunk, an event or a whole answer, with the name of its event.
func (t *transfer) event(name string, v ojson.Value) {
	whole := t.reading.IsWhole()
	failure := v.Get("error")
	if !failure.IsNullOrAbsent() || name == "error" || v.Get("type").Text() == "error" || v.Get("object").Text() == "error" {
		message := failure.Get("message").Or(v.Get("message")).Or(failure).Text()
		t.code = cmp.Or(failure.Get("code").Or(v.Get("code")).Text(), failure.Get("type").Text(), "error")
		t.fail("an error comes in the stream: "+message, whole)
	}
	t.on.Gather(&t.reading, name, v)
	if t.reading.Failure != "" {
		t.fail(t.reading.Failure, whole)
	}
}

// fail notes what is wrong with the answer, which was whole before or not.
func (t *transfer) fail(failure string, whole bool) {
	if whole {
		t.late = true
	} else if t.failure == "" {
		t.failure = failure
	}
}

func (t *transfer) hasEnded(r *surface.Reading) bool { return r.IsWhole() && r.Choices() >= t.choices }

// outcomes says what clients come to.
func (t *transfer) outcomes() (o scenarios.Outcomes) {
	read, others := t.reading.Outcomes()
	open := false // open says that the protocol leaves it open whether the answer is whole.
	switch whole := t.hasEnded(&t.reading) || !t.speaks(); {
	case t.failure != "":
	case whole:
		open = t.broken || t.late || t.other
	case t.broken:
		t.failure = "the connection breaks before the end"
	case t.done && t.reading.Says():
		open = true
	case t.rest != nil && t.hasEnded(t.rest):
		open = true
		read, others = t.rest.Outcomes()
		t.rest = nil
	default:
		t.failure = "the answer ends without a finish"
	}
	failed := scenarios.Outcome{Error: cmp.Or(t.failure, "the end is not as it should be")}
	switch {
	case t.failure != "":
		o.Careful = []scenarios.Outcome{failed}
		if t.reading.Says() {
			others = append(read, others...)
		}
	case open:
		o.Careful = append(read, failed)
	default:
		o.Careful = read
	}
	if t.rest != nil {
		more, _ := t.rest.Outcomes()
		others = append(others, more...)
	}
	if t.odd || t.reading.Renamed || len(others) > 0 || isUnusual(&read[0]) {
		others = append(others, failed)
	}
	o.Others = others
	return o
}

// isUnusual reports whether an outcome is one that some clients report as an error: an answer that says
// nothing, or that was cut off.
func isUnusual(o *scenarios.Outcome) bool {
	says := o.Text != "" || o.Refusal != "" || len(o.Calls) > 0
	return !says || !slices.Contains([]string{"stop", "tool_calls", "function_call"}, o.Finish)
}

// Got is the outcome for a client that has read only the first bytes of an answer.
type Got struct {
	Whole bool // Whole says that the bytes have all that the answer needs.
	Open  bool // Open says that the outcome cannot be known, unless Whole is set.
	Error bool // Error says that there is an error in the stream in place of the rest.
	// Failed says that the answer says of itself that it has failed.
	Failed bool
	Code   string // Code is the code of the error or, without one, its type.

	Named string   // Named is the id by which a later request can go on from the answer; "" for none.
	Text  string   // Text is the text of the first choice.
	Calls []string // Calls are the ids of the calls of the first choice.
}

// The outcome is found by reading at most this many bytes of an answer, or of a part of one, which takes about four
// times the memory.
const (
	mostRead       = 8 << 20
	mostReadOfPart = 1 << 20
)

// Got returns the outcome for a client that has read the first bytes of the body of an answer, as many as
// sent says. All says that the body has no others.
func (a *Answer) Got(asked *Asked, sent int64, all bool) Got {
	switch p := a.shares; {
	case sent > mostRead, sent > mostReadOfPart && !all:
		return Got{Open: true}
	case sent <= mostReadOfPart || p == nil:
		return a.got(asked, sent)
	default: // all requests share the bytes
		p.read.Do(func() {
			p.got = a.got(asked, sent)
			p.got.Named, p.got.Text, p.got.Calls = "", "", nil // they are of this request alone, or large
		})
		return p.got
	}
}

func (a *Answer) got(asked *Asked, sent int64) (g Got) {
	t := transfer{on: asked.Surface, streamed: asked.Request.Stream, choices: asked.Want.N}
	switch {
	case slices.ContainsFunc(a.Program.Frames, func(f player.Frame) bool { return len(f.Bytes.Data()) > mostRead }):
		return Got{Open: true}
	case t.on == Other && a.Status < http.StatusBadRequest:
		n, err := lengthOf(asked)
		return Got{Whole: err == nil && sent >= n, Open: err != nil}
	}
	events := t.read(a.body(&t, sent))
	r := &t.reading
	g.Named, g.Code, g.Failed, g.Error = r.Named, cmp.Or(r.Code, t.code), r.Failure != "", t.code != "" && r.Failure == ""
	careful, _ := r.Outcomes()
	g.Text = careful[0].Text
	for _, call := range careful[0].Calls {
		g.Calls = append(g.Calls, call.ID)
	}
	switch {
	case t.noJSON || t.other:
		g.Open = true
	case !events:
		g.Whole = t.failure == ""
	case t.hasEnded(r):
		g.Whole = true
	default: // some servers send no finish, and some clients take an event that no blank line ends
		g.Open = t.done && r.Says() || t.rest != nil && t.rest.IsWhole()
	}
	return g
}

// lengthOf is how many bytes the body has that a scenario plays to a path, without an early end.
func lengthOf(asked *Asked) (n int64, err error) {
	sel, manner, again := *asked.Selection, *asked.Manner, *asked
	manner.End = scenarios.End{}
	sel.Manner, again.Selection, again.program = &manner, &sel, nil
	a, err := NewMaker().Make(&again)
	if err != nil {
		return 0, err
	}
	defer a.Release()
	for f := range a.Program.All() {
		n += int64(len(f.Append(nil, a.Values)))
	}
	return n, nil
}

// CountFrames is how many frames an answer writes, and which of them, from 1, has the event that
// completes the answer, 0 if none has. A frame that is cut into pieces counts once; holds do not
// count. Fails says that one of them is an error. The frames that requests share were counted when
// they were made: an answer can have a hundred thousand.
func (a *Answer) CountFrames() (all, last int, fails bool) {
	if p := a.shares; p != nil {
		return p.all, p.last, p.fails
	}
	return countFrames(a.Program)
}

func countFrames(p *player.Program) (all, last int, fails bool) {
	for i := range p.Frames {
		f := &p.Frames[i]
		if f.Hold != "" {
			continue
		}
		switch f.Kind {
		case "finish", "failed", kindBody:
			last = all + 1
		case "error":
			fails = true
		}
		if !f.More {
			all++
		}
		if f.Series != nil {
			all += f.Series.Pieces.Len() - 1
		}
	}
	return all, last, fails
}

// IsPlain reports whether the kinds of the frames of an answer say what they hold, so that its bytes
// need not be read.
func (a *Answer) IsPlain(asked *Asked) bool {
	m := asked.Manner
	odd := a.rewritten || len(m.Damage) > 0 || m.Wire.Gzip != "" || m.Wire.Body != nil || m.Envelope.Response != nil
	return !odd && asked.Want.N <= 1 && a.Streams == asked.Request.Stream
}
