package recording

import (
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// tap is a WebSocket connection to the upstream that is passed on. Each message that asks for a response
// and the events that answer it become an exchange, as if they had come over HTTP: a scenario
// answers both.
type tap struct {
	io.ReadWriteCloser
	session   *Session
	handshake *Exchange

	mu         sync.Mutex // mu guards the fields below: a goroutine for each direction uses them.
	asks       messages
	tells      messages
	turns      map[string][]*tappedTurn // turns are those without a whole answer, by stream id.
	held       int64                    // held is about how many bytes these turns hold.
	unreadable bool                     // unreadable says that the bytes are not those of messages that can be recorded.
}

// tappedTurn is a turn of a connection.
type tappedTurn struct {
	exchange *Exchange // exchange is nil for a message that asks for no response.
	began    time.Time
	size     int64  // size is how many bytes its messages have.
	last     string // last is the type of the newest event.
}

// isTapped reports whether the messages of an upgraded connection are requests for responses.
func isTapped(x *Exchange) bool {
	surface, _ := SurfaceOf(x.Path)
	return speaksItems(surface) && strings.EqualFold(x.AnswerHeader.Get("Upgrade"), "websocket")
}

func newTap(s *Session, below io.ReadWriteCloser, handshake *Exchange) *tap {
	return &tap{ReadWriteCloser: below, session: s, handshake: handshake, asks: messages{masked: true}, turns: map[string][]*tappedTurn{}}
}

// Read reads what the upstream sends.
func (t *tap) Read(p []byte) (int, error) {
	n, err := t.ReadWriteCloser.Read(p)
	t.follow(&t.tells, p[:n], t.told)
	return n, err
}

// Write writes what the client sends.
func (t *tap) Write(p []byte) (int, error) {
	t.follow(&t.asks, p, t.asked)
	return t.ReadWriteCloser.Write(p)
}

// follow hands the messages that some bytes complete to do.
func (t *tap) follow(in *messages, p []byte, do func(message []byte)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.unreadable {
		return
	}
	list, err := in.read(p, t.session.limit())
	for _, message := range list {
		do(message)
	}
	if err != nil || t.held > mostWaiting {
		t.unreadable, t.turns, *in = true, nil, messages{}
		t.session.keep(t.handshake)
	}
}

// hold counts bytes that a turn holds until it is over.
func (t *tap) hold(turn *tappedTurn, bytes int) {
	turn.size += int64(bytes)
	t.held += int64(bytes)
}

// asked begins a turn.
func (t *tap) asked(message []byte) {
	v, err := request.ReadObject("message", message)
	turn, lane := &tappedTurn{began: time.Now()}, v.Get("stream_id").Text()
	if err == nil && v.Get("type").Text() == "response.create" {
		v.Remove(ojson.Path{{Name: "type"}})
		v.Remove(ojson.Path{{Name: "stream_id"}})
		v.Set("stream", ojson.Bool(true))
		turn.exchange = &Exchange{
			Method: http.MethodPost, Path: t.handshake.Path, Header: t.handshake.Header.Clone(), Body: v.Append(nil),
			Status: http.StatusOK, AnswerHeader: http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}},
		}
	}
	t.turns[lane] = append(t.turns[lane], turn)
	t.hold(turn, len(message))
}

// told adds an event to the turn that it answers.
func (t *tap) told(message []byte) {
	t.session.came(len(message))
	v, _ := ojson.Parse(message)
	lane, kind := v.Get("stream_id").Text(), v.Get("type").Text()
	if lane != "" {
		v.Remove(ojson.Path{{Name: "stream_id"}})
		message = v.Append(nil)
	}
	if turns := t.turns[lane]; len(turns) > 1 && turns[0].last == "error" && kind == "response.created" {
		t.over(lane, EndedComplete) // No response.failed came after the error.
	}
	if len(t.turns[lane]) == 0 {
		return // It is about the connection.
	}
	turn := t.turns[lane][0]
	turn.last = kind
	status, refused := v.Get("status").Int()
	refused = refused && kind == "error"
	if x := turn.exchange; x != nil && refused {
		x.refuse(int(status), v, time.Since(turn.began))
	} else if x != nil {
		event := sse.Framing{}.Append(nil, &sse.Event{Event: &kind, Data: message})
		x.Pieces = append(x.Pieces, Piece{At: time.Since(turn.began), Data: event})
		t.hold(turn, len(event))
	}
	ends := []string{"response.completed", "response.failed", "response.incomplete", "response.cancelled"}
	if refused || turn.exchange == nil || slices.Contains(ends, kind) {
		t.over(lane, EndedComplete)
	}
}

// refuse makes the answer of an exchange the error that a message has, as it is over HTTP.
func (x *Exchange) refuse(status int, message ojson.Value, at time.Duration) {
	x.Status, x.HeaderAt, x.AnswerHeader = status, at, http.Header{"Content-Type": {"application/json"}}
	for _, of := range []ojson.Value{message, message.Get("error")} { // the service has had them in both places
		for _, m := range of.Get("headers").Members() {
			x.AnswerHeader.Set(m.Name, m.Value.Text())
		}
	}
	for _, path := range []ojson.Path{{{Name: "type"}}, {{Name: "status"}}, {{Name: "headers"}}, {{Name: "error"}, {Name: "headers"}}} {
		message.Remove(path)
	}
	x.Pieces = []Piece{{At: at, Data: append(ojson.Style{Indent: "  "}.Append(nil, message), '\n')}}
}

// over has the first turn with a stream id recorded, unless it has no answer.
func (t *tap) over(lane string, how Ending) {
	turn := t.turns[lane][0]
	if t.turns[lane] = t.turns[lane][1:]; len(t.turns[lane]) == 0 {
		delete(t.turns, lane)
	}
	t.held -= turn.size
	if x := turn.exchange; x != nil && len(x.Pieces) > 0 {
		x.Ending = how
		if turn.size > t.session.limit() {
			x.TooLong, x.Pieces = true, nil
		}
		t.session.keep(x)
	}
}

// end is called after the connection has ended.
func (t *tap) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for lane, turns := range t.turns {
		for _, turn := range turns {
			how := EndedCut
			if turn.last == "error" {
				how = EndedComplete
			}
			t.over(lane, how)
		}
	}
}

// isWarmUp reports whether a request over WebSocket wants no output. The server answers it without a
// scenario.
func isWarmUp(req *scenarios.Request) bool {
	generate, isBool := req.Body.Get("generate").Bool()
	return isBool && !generate
}

// messages reads the messages in one direction of a WebSocket connection (RFC 6455, section 5.2).
type messages struct {
	masked bool   // masked says that a client sends them.
	rest   []byte // rest is the beginning of a frame.
	begun  []byte // begun are the contents of the frames of a message that is not complete.
}

// errFrames is the error for bytes that are no frames, or whose message is too long.
var errFrames = errors.New("these are no messages that can be recorded")

// read returns the messages of text or bytes that p completes.
func (m *messages) read(p []byte, limit int64) (list [][]byte, err error) {
	const fin, reserved, control, mask = 0x80, 0x70, 0x08, 0x80
	m.rest = append(m.rest, p...)
	for len(m.rest) >= 2 {
		first, second := m.rest[0], m.rest[1]
		if first&reserved != 0 || (second&mask != 0) != m.masked {
			return list, errFrames
		}
		at, length := 2, uint64(second&^mask)
		if wide := map[uint64]int{126: 2, 127: 8}[length]; wide > 0 {
			if at += wide; len(m.rest) < at {
				return list, nil
			}
			length = binary.BigEndian.Uint64(append(make([]byte, 8-wide), m.rest[2:at]...))
		}
		if length > uint64(limit) || int64(len(m.begun)) > limit-int64(length) {
			return list, errFrames
		}
		if m.masked {
			at += 4
		}
		if len(m.rest) < at+int(length) {
			return list, nil
		}
		content := slices.Clone(m.rest[at : at+int(length)])
		for i := range content {
			if m.masked {
				content[i] ^= m.rest[at-4+i%4]
			}
		}
		m.rest = m.rest[at+int(length):]
		if first&control != 0 {
			continue // a ping, a pong or a close
		}
		if m.begun = append(m.begun, content...); first&fin != 0 {
			list, m.begun = append(list, m.begun), nil
		}
	}
	return list, nil
}
