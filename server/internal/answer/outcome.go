package answer

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
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

// transfer is an answer as a client gets it.
type transfer struct {
	on       surface.Surface
	streamed bool // streamed says that the client has asked for a stream.
	choices  int  // choices is how many were asked for.
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

// hasEnded reports whether each choice that was asked for has ended.
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
