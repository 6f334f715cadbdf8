// Package websocket holds what the APIs that speak over WebSocket have in common: a session reads the messages of one
// connection and ends it, a turn is one request of it and writes the events of its answer as messages. Lanes are the
// queues of turns of the Responses API.
package websocket

import (
	"context"
	"io"
	"unicode/utf8"
)

// message is an answer's message that is being written. A long one is sent in parts.
type message struct {
	begin []byte         // begin has the bytes that are not sent yet; of a long message this is only the last byte.
	rest  io.WriteCloser // rest takes the parts of a long message; nil for others.
	// isObject says that a long message begins as a JSON object.
	isObject bool
}

// add adds bytes to the message of a turn.
func (m *message) add(t *Turn, p []byte) (err error) {
	switch {
	case len(p) == 0:
		return nil
	case m.rest == nil && (len(m.begin)+len(p) <= longEvent || t.Send != nil):
		m.begin = append(m.begin, p...)
		return nil
	case m.rest == nil:
		first := m.begin
		if len(first) == 0 {
			first = p
		}
		m.isObject = first[0] == '{'
		if m.rest, err = t.session.Conn.BeginMessage(t.session.Ctx, isText(first)); err != nil {
			return err
		}
	}
	last := len(p) - 1
	for _, part := range [][]byte{m.begin, p[:last]} {
		if len(part) == 0 {
			continue
		}
		if _, err := m.rest.Write(part); err != nil {
			return err
		}
	}
	m.begin = []byte{p[last]}
	return nil
}

// end sends the last part of the message, with the stream id of its turn.
func (m *message) end(t *Turn) error {
	whole := *m
	*m = message{}
	if whole.rest == nil {
		return t.send(whole.begin)
	}
	last := whole.begin
	if whole.isObject && t.StreamID != "" && string(last) == "}" {
		last = []byte(`,"stream_id":"` + t.StreamID + `"}`)
	}
	if _, err := whole.rest.Write(last); err != nil {
		return err
	}
	return whole.rest.Close()
}

// isText reports whether a message that begins so is UTF-8 so far. The bytes may end inside a character.
func isText(p []byte) bool {
	for n := 1; n < utf8.UTFMax && n <= len(p); n++ {
		if tail := p[len(p)-n:]; utf8.RuneStart(tail[0]) {
			if !utf8.FullRune(tail) {
				p = p[:len(p)-n]
			}
			break
		}
	}
	return utf8.Valid(p)
}

// Conn is a WebSocket connection. WriteMessage, BeginMessage, Ping, Close and Abort may be called at the same time, also during
// ReadMessage.
type Conn interface {
	// ReadMessage waits for the next message of the client, says whether it is text, and answers control frames meanwhile. It calls begins
	// when the message begins to come, so that the server can bound the time for the rest. After an error there
	// are no further messages. It is a [*Closed] if the client has closed the connection. A message that is too large is an error, and closes the connection. When ctx
	// ends, the connection ends.
	ReadMessage(ctx context.Context, begins func()) (message []byte, text bool, err error)
	// WriteMessage sends one message, and blocks while the client is slow. When ctx ends, the connection ends.
	WriteMessage(ctx context.Context, text bool, p []byte) error
	// BeginMessage begins a message that is sent in parts: each Write sends one, and Close ends the message. Other
	// messages wait until then.
	BeginMessage(ctx context.Context, text bool) (io.WriteCloser, error)
	// Ping sends a ping frame, and does not wait for the pong.
	Ping(ctx context.Context) error
	// Close sends a close frame with a code of RFC 6455 and the reason, and ends the connection when the client
	// answers, or after a second.
	Close(code int, reason string) error
	// Abort ends the connection without a close frame.
	Abort()
}
