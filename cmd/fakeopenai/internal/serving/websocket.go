package serving

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/fakeopenai/fakeopenai/server"
)

// closeGrace is the time that a client has to answer a close frame.
const closeGrace = time.Second

// maxPings is the largest number of pings without a pong.
const maxPings = 16

// Upgrade turns a request into a WebSocket connection; it is a [server.Config] Upgrade.
// Web pages of any origin may connect, as with HTTP. Messages are not compressed.
func Upgrade(w http.ResponseWriter, r *http.Request, maxMessage int64) (server.MessageConn, error) {
	below := &hijacked{ResponseWriter: w}
	c, err := websocket.Accept(below, r, &websocket.AcceptOptions{InsecureSkipVerify: true, Subprotocols: []string{server.RealtimeProtocol}})
	if err != nil {
		return nil, err
	}
	c.SetReadLimit(maxMessage)
	return &conn{Conn: c, below: below.conn, pings: make(chan struct{}, maxPings)}, nil
}

// hijacked is a response writer that keeps the network connection when it is hijacked.
type hijacked struct {
	http.ResponseWriter
	conn net.Conn
}

// Unwrap returns the wrapped writer, for [http.ResponseController].
func (h *hijacked) Unwrap() http.ResponseWriter { return h.ResponseWriter }

func (h *hijacked) Hijack() (c net.Conn, rw *bufio.ReadWriter, err error) {
	c, rw, err = http.NewResponseController(h.ResponseWriter).Hijack()
	h.conn = c
	return c, rw, err
}

type conn struct {
	*websocket.Conn
	below net.Conn      // below is the network connection.
	pings chan struct{} // pings has an item for each ping without a pong.
}

func (c *conn) ReadMessage(ctx context.Context, begins func()) (message []byte, text bool, err error) {
	kind, r, err := c.Reader(ctx)
	if code := websocket.CloseStatus(err); code >= 0 {
		err = &server.ClientClosed{Code: int(code)}
	}
	if err != nil {
		return nil, false, err
	}
	begins()
	message, err = io.ReadAll(r)
	return message, kind == websocket.MessageText, err
}

func (c *conn) WriteMessage(ctx context.Context, text bool, p []byte) error {
	return c.Write(ctx, kindOf(text), p)
}

func (c *conn) BeginMessage(ctx context.Context, text bool) (io.WriteCloser, error) {
	return c.Writer(ctx, kindOf(text))
}

func kindOf(text bool) websocket.MessageType {
	if text {
		return websocket.MessageText
	}
	return websocket.MessageBinary
}

// Ping implements [server.MessageConn]. It does not wait for the pong, but for a slot if
// there are maxPings without one.
func (c *conn) Ping(ctx context.Context) error {
	select {
	case c.pings <- struct{}{}:
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	go func() {
		defer func() { <-c.pings }()
		_ = c.Conn.Ping(ctx) // the reader of the connection notices a lost client
	}()
	return nil
}

func (c *conn) Close(code int, reason string) error {
	late := time.AfterFunc(closeGrace, func() { c.below.Close() })
	defer late.Stop()
	return c.Conn.Close(websocket.StatusCode(code), reason)
}

func (c *conn) Abort() {
	c.below.Close() // first, because CloseNow would wait for a blocked writer
	_ = c.CloseNow()
}
