package websocket

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"maps"
	"net"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// typeCreate is the type of a message that asks for a response.
const typeCreate = "response.create"

// Turn is a client's message that asks for a response, and the [http.ResponseWriter] for the
// answer to it. Each event that is written becomes a message; a body that is no event stream
// becomes one message.
type Turn struct {
	Number   int64  // Number counts the turns of the connection, from 1.
	Body     []byte // Body is the body of the equivalent POST with stream: true; the message itself if Err is not nil.
	StreamID string // StreamID is the stream id; "" if the message has none.
	Follows  bool   // Follows says that no message asks for the turn, which goes on from another turn.
	Warms    bool   // Warms says that the message has generate: false: the client wants no output.
	// Err is the error for a message that asks for no response: it wraps an [*apierror.Error],
	// or is [os.ErrDeadlineExceeded] if the message was not complete in time. It is nil for
	// other messages.
	Err     error
	NetConn net.Conn // NetConn is the network connection below the WebSocket; nil if it is not known.

	// Send sends an event of the answer; nil sends it as a message that names the turn's stream.
	Send func(event []byte) error
	// Refuse sends an error that takes the place of the answer; nil sends it as a message of the type error.
	Refuse func(object ojson.Value)
	// Chosen is called with the transcript of the reply that was chosen, "" if it has none; nil for no call.
	Chosen func(transcript string)
	// Stopped ends when the client interrupts the answer; nil for one that cannot be interrupted.
	Stopped context.Context

	session     *Session
	size        int // size is the number of places that the turn has in the session's queue.
	header      http.Header
	status      int
	streams     bool // streams says that the body is an event stream.
	events      sse.Reader
	inLine      bool       // inLine says that the last bytes were of the data line of a long event.
	message     message    // message has the bytes of the current message that were written so far.
	mu          sync.Mutex // mu is held while an event is written, so that numbers keep their order.
	number      int64      // number is the next sequence number, and interjected how many events came between those of the answer.
	interjected int64
	body        []byte // body has the bytes of an error that were written so far.
}

// parseTurn returns the turn of a message, which was read as this object unless there is an error.
func parseTurn(message []byte, v ojson.Value, err error) *Turn {
	t := &Turn{Body: message}
	if err == nil {
		err = t.readEnvelope(&v)
	}
	if t.Err = err; err == nil {
		v.Set("stream", ojson.Bool(true))
		t.Body = v.Append(nil)
	}
	return t
}

var streamIDPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Za-z0-9_.-]{1,256}$`) })

// readEnvelope reads the members that a POST does not have, and removes them.
func (t *Turn) readEnvelope(v *ojson.Value) error {
	kind, id, generate := v.Get("type"), v.Get("stream_id"), v.Get("generate")
	if !id.IsNullOrAbsent() {
		if id.Kind() != ojson.StringKind || !streamIDPattern().MatchString(id.Text()) {
			return apierror.Bad("stream_id", "invalid_stream_id",
				"The 'stream_id' field must be a non-empty string with at most 256 characters and may only contain letters, numbers, underscores, hyphens, and periods.")
		}
		t.StreamID = strings.Clone(id.Text()) // a copy, as the id outlives the message
	}
	switch {
	case kind.IsNullOrAbsent():
		return apierror.Bad("type", "missing_required_parameter", "Missing required parameter: 'type'.")
	case kind.Kind() != ojson.StringKind:
		return request.InvalidType("type", "a string", kind)
	case kind.Text() != typeCreate:
		return apierror.Bad("type", "invalid_value", "Invalid value: '%s'. Supported values are: '%s'.", kind.Text(), typeCreate)
	}
	if !generate.IsNullOrAbsent() {
		wanted, ok := generate.Bool()
		if !ok {
			return request.InvalidType("generate", "a boolean", generate)
		}
		t.Warms = !wanted
	}
	if background, _ := v.Get("background").Bool(); background {
		// OpenAI's reference says that it is not supported here; no error of the service is known, so that the text is ours.
		return apierror.Bad("background", "unsupported_parameter", "Unsupported parameter: 'background' is not supported over WebSocket.")
	}
	for _, name := range []string{"type", "stream_id", "generate"} {
		v.Remove(ojson.Path{{Name: name}})
	}
	return nil
}

// Left is the code with which the client left the connection, 1006 without a close frame; 0 if it has not.
func (t *Turn) Left() int { return int(t.session.left.Load()) }

// Context returns a context that ends when the client has left.
func (t *Turn) Context() context.Context { return t.session.Ctx }

// Connection is the [Session.Number] of the turn's connection.
func (t *Turn) Connection() int64 { return t.session.Number }

// Streams says that the bytes written from now on are an event stream.
func (t *Turn) Streams() { t.streams = true }

// Header implements [http.ResponseWriter].
func (t *Turn) Header() http.Header { return t.header }

// WriteHeader implements [http.ResponseWriter].
func (t *Turn) WriteHeader(status int) { t.status = status }

// longEvent is the size from which on an event is sent in parts, so that it is not held as a whole for a client that
// does not read.
const longEvent = 64 << 10

// Write implements [http.ResponseWriter]. It sends each event that p completes, and of a long event what there is.
func (t *Turn) Write(p []byte) (int, error) {
	if err := t.takeBytes(p); err != nil {
		return 0, err
	}
	return len(p), nil
}

func (t *Turn) takeBytes(p []byte) error {
	switch {
	case !t.streams && t.status >= http.StatusBadRequest:
		t.body = append(t.body, p...)
		return nil
	case !t.streams:
		return t.message.add(t, p)
	case t.inLine:
		at := bytes.IndexAny(p, "\r\n")
		if at < 0 {
			return t.message.add(t, p)
		}
		if err := t.message.add(t, p[:at]); err != nil {
			return err
		}
		t.inLine, p = false, p[at:]
		t.events.Read([]byte("data:")) // of the line its end is left, behind an empty value
	}
	for _, block := range t.events.Read(p) {
		if err := t.writeBlock(block); err != nil {
			return err
		}
	}
	if t.Send != nil {
		return nil // it takes whole events
	}
	if block, ok := t.events.TakeLong(longEvent); ok {
		t.inLine = true
		return t.writeBlock(block)
	}
	return nil
}

// writeBlock sends the data of an event as a message, and for each comment a ping. Messages have
// no event names, ids and retry times.
func (t *Turn) writeBlock(block sse.Block) error {
	for l := range block.Lines() {
		if !l.Comment() {
			continue
		}
		if err := t.session.Conn.Ping(t.session.Ctx); err != nil {
			return err
		}
	}
	data, ok := block.Data()
	if !ok {
		return nil
	}
	if err := t.message.add(t, []byte(data)); err != nil || !block.Whole {
		return err
	}
	return t.message.end(t)
}

// IsStopped reports whether the client has interrupted the answer. A nil turn has none.
func (t *Turn) IsStopped() bool { return t != nil && t.Stopped != nil && t.Stopped.Err() != nil }

// UntilStopped returns a context that also ends when the client interrupts the answer. The caller must call the function
// that it returns.
func (t *Turn) UntilStopped(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(t.Stopped, cancel)
	return ctx, func() {
		stop()
		cancel()
	}
}

// Hijack implements [http.Hijacker], for scenarios that reset the connection.
func (t *Turn) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	if t.NetConn == nil {
		return nil, nil, http.ErrNotSupported
	}
	return t.NetConn, nil, nil
}

// FlushError does nothing, because Write sends whole messages at once.
func (t *Turn) FlushError() error { return nil }

// errUnfinished is the error of a stream that ends in a long event, of which a part is sent.
var errUnfinished = errors.New("the stream ends inside an event")

// Finish sends a body that is no event stream: an error as a message of type error with its
// status and header fields, anything else as it is.
func (t *Turn) Finish() error {
	switch {
	case t.streams && t.message.rest != nil:
		return errUnfinished
	case t.streams:
		return nil
	case len(t.body) == 0 && len(t.message.begin) == 0 && t.message.rest == nil:
		return nil
	case t.status < http.StatusBadRequest:
		return t.message.end(t)
	}
	body := t.body
	t.body = nil
	v, err := ojson.Parse(body)
	switch isError := err == nil && v.Get("error").Kind() == ojson.ObjectKind; {
	case isError && t.Refuse != nil:
		t.Refuse(v.Get("error"))
		return nil
	case isError && t.Send == nil:
		return t.write(errorMessage(t.status, t.StreamID, v, t.header))
	}
	return t.send(body)
}

// send sends a whole event.
func (t *Turn) send(data []byte) error {
	if t.Send != nil {
		return t.Send(data)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.write(t.marked(t.renumber(data)))
}

// renumber adds the number of events that were sent between those of the answer to the sequence number of an event, and
// notes which number comes next. An event without a number, or with a very long one, is returned as it is.
func (t *Turn) renumber(data []byte) []byte {
	const member = `"sequence_number":`
	at := bytes.LastIndex(data, []byte(member))
	if at < 0 {
		return data
	}
	digits := data[at+len(member):]
	if end := bytes.IndexAny(digits, ",}"); end > 0 {
		digits = digits[:end]
	}
	n, err := strconv.ParseInt(string(digits), 10, 64)
	if err != nil {
		return data
	}
	t.number = n + t.interjected + 1
	if t.interjected == 0 {
		return data
	}
	return slices.Concat(data[:at+len(member)], strconv.AppendInt(nil, n+t.interjected, 10), data[at+len(member)+len(digits):])
}

// Interject sends an event between those of the answer, or after them. Make gets its sequence number.
func (t *Turn) Interject(make func(number int64) ojson.Value) {
	t.mu.Lock()
	defer t.mu.Unlock()
	_ = t.write(t.marked(make(t.number).Append(nil))) // an error ends the connection, which others notice
	t.number++
	t.interjected++
}

// Successor returns a turn that goes on from one that has ended, in the same lane. Body is that of the equivalent POST.
func (t *Turn) Successor(body []byte) *Turn {
	return &Turn{Number: t.Number, Body: body, StreamID: t.StreamID, NetConn: t.NetConn, session: t.session, header: http.Header{}, Follows: true}
}

// Session is the session of the turn.
func (t *Turn) Session() *Session { return t.session }

// write sends a message, as binary if it is not UTF-8.
func (t *Turn) write(p []byte) error {
	return t.session.Conn.WriteMessage(t.session.Ctx, utf8.Valid(p), p)
}

// marked returns an event with the stream id of its turn as last member. Data that is no JSON
// object is returned as it is.
func (t *Turn) marked(data []byte) []byte {
	n := len(data) - 1
	if t.StreamID == "" || n < 1 || data[0] != '{' || data[n] != '}' {
		return data
	}
	separator := ","
	if n == 1 {
		separator = ""
	}
	return append(data[:n:n], separator+`"stream_id":"`+t.StreamID+`"}`...)
}

// errorMessage returns an HTTP error as a message. Its error object has the fields of header, without those that
// describe the body.
func errorMessage(status int, streamID string, body ojson.Value, header http.Header) []byte {
	v := ojson.Object(ojson.M("type", ojson.String("error")), ojson.M("status", ojson.Int(int64(status))))
	if streamID != "" {
		v.Set("stream_id", ojson.String(streamID))
	}
	for _, m := range body.Members() {
		if fields := headerFields(header); m.Name == "error" && len(fields.Members()) > 0 {
			m.Value = m.Value.Clone()
			m.Value.Set("headers", fields)
		}
		v.Set(m.Name, m.Value)
	}
	return v.Append(nil)
}

func headerFields(header http.Header) ojson.Value {
	v := ojson.Object()
	for _, name := range slices.Sorted(maps.Keys(header)) {
		switch name {
		case "Content-Type", "Content-Length", "Connection":
		default:
			v.Set(strings.ToLower(name), ojson.String(strings.Join(header[name], ", ")))
		}
	}
	return v
}
