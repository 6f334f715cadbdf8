// Package websocket holds what the APIs that speak over WebSocket have in common: a session reads the messages of one
// connection and ends it, a turn is one request of it and writes the events of its answer as messages. Lanes are the
// queues of turns of the Responses API.
package websocket

import (
	"context"
	"io"
)

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
