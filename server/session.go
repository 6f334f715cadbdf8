package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
)

// Close codes of RFC 6455.
const (
	closeNormal    = 1000
	closeGoingAway = 1001
)

// Limits of the real service.
const (
	maxInFlight = 16        // maxInFlight is the most turns of a connection that are being answered.
	maxStreams  = 32        // maxStreams is the most stream ids on a connection.
	maxAge      = time.Hour // maxAge is the longest that a connection lasts.
)

// maxWaiting is the most turns of a connection that wait or are being answered. A message that is
// longer than that part of [Config.MaxBody] counts as several. Beyond it a turn waits for
// roomGrace, while the server reads no further message, and then gets an error.
const (
	maxWaiting = 256
	roomGrace  = time.Second
)

// sessionGrace is how long a client may go on reading after the server has begun to shut down or
// to end the connection.
const sessionGrace = time.Second

// The errors with which a turn ends the connection: with a close frame, and without one.
var (
	errCloses = errors.New("the server closes the connection")
	errBreaks = errors.New("the connection breaks")
)

// session is the WebSocket mode of the Responses API over one connection: a client sends a
// message for each response that it wants, a turn, and gets each event of the response as a
// message. Turns with the same stream id are answered in the order of their messages; turns with
// different ones are answered concurrently.
//
// Sources: OpenAI's guide to the WebSocket mode, and what clients sent in 2026.
type session struct {
	server    *Server
	handshake *http.Request
	conn      MessageConn
	memory    *stored.Connection
	ctx       context.Context // ctx ends when the client has left or the session is over.
	end       context.CancelFunc
	slots     chan struct{} // slots holds one value for each turn that is being answered.
	waiting   chan struct{} // waiting holds the values of the turns that are being answered or wait: see maxWaiting.
	turns     atomic.Int64
	late      *time.Timer // late fires when a message has taken [Config.BodyTimeout].

	lanes map[string]chan *turn // lanes are the queues of waiting turns, by stream id.
	all   sync.WaitGroup        // all counts the goroutines that answer the lanes.

	over   context.Context // over ends when a turn ends the connection; its cause is errCloses or errBreaks.
	finish context.CancelCauseFunc
}

// converse answers the messages of a WebSocket connection until the client leaves, a turn ends
// the connection, the connection reaches maxAge, or the server closes. A message that takes
// longer than [Config.BodyTimeout] is a turn with an error, and ends the connection. When the
// server closes, converse waits for the turns that are being answered; they end soon by
// themselves.
func (s *Server) converse(x *exchange) {
	defer s.sessions.leave()
	c := &session{
		server: s, handshake: x.r, conn: x.upgraded, memory: s.store.Connect(), late: time.NewTimer(s.config.BodyTimeout),
		slots: make(chan struct{}, maxInFlight), waiting: make(chan struct{}, maxWaiting), lanes: map[string]chan *turn{},
	}
	defer c.memory.Close()
	c.ctx, c.end = context.WithCancel(context.WithoutCancel(x.r.Context()))
	defer c.end()
	c.over, c.finish = context.WithCancelCause(context.Background())
	endSoon := func() { time.AfterFunc(sessionGrace, c.end) } // the client may read nothing
	stop := context.AfterFunc(s.serving, endSoon)
	defer stop()
	c.late.Stop() // until a message begins
	read := make(chan struct{})
	go func() {
		defer close(read)
		c.read()
	}()
	age := time.NewTimer(maxAge)
	defer age.Stop()
	select {
	case <-read: // the client has left
		c.end()
		c.all.Wait()
		if c.over.Err() == nil {
			c.conn.Abort()
			return
		} // or else its last turn has ended the connection, however soon the client left
	case <-c.over.Done():
	case <-age.C:
		endSoon()
		e := tooOld() // it belongs to no turn
		_ = (&turn{session: c}).write(errorMessage(e.Status, "", apierror.Envelope(e.Object()), nil))
	case <-c.late.C:
		endSoon()
		c.run(c.newTurn(&turn{Err: os.ErrDeadlineExceeded}))
	case <-s.serving.Done():
	}
	c.close()
	c.end()
	<-read
	c.all.Wait()
}

// close ends the connection in the way that the last turn or the end of serving calls for.
func (s *session) close() {
	switch closing := s.server.serving.Err() != nil; {
	case closing:
		s.enter(maxWaiting, maxAge) // until no turn is being answered and none waits
		_ = s.conn.Close(closeGoingAway, "the server shuts down")
	case errors.Is(context.Cause(s.over), errBreaks):
		s.conn.Abort()
	default:
		_ = s.conn.Close(closeNormal, "")
	}
}

// read reads messages until there are no more, and puts the turn of each into its lane. Then it
// closes the lanes.
func (s *session) read() {
	defer func() {
		for _, lane := range s.lanes {
			close(lane)
		}
	}()
	for {
		message, err := s.conn.ReadMessage(s.ctx, func() { s.late.Reset(s.server.config.BodyTimeout) })
		s.late.Stop()
		if err != nil {
			s.end()
			return
		}
		t := s.newTurn(parseTurn(message))
		t.size = min(maxWaiting, 1+int(int64(len(message))*maxWaiting/s.server.config.MaxBody))
		if !s.enter(t.size, roomGrace) {
			t.Err = tooManyTurns()
			s.run(t)
			continue
		}
		s.lane(t) <- t // never blocks: a lane has room for all turns that wait
	}
}

// enter takes n values of waiting, or none, if the client leaves before or patience ends.
func (s *session) enter(n int, patience time.Duration) bool {
	late := time.NewTimer(patience)
	defer late.Stop()
	for taken := range n {
		select {
		case s.waiting <- struct{}{}:
			continue
		case <-late.C:
		case <-s.ctx.Done():
		}
		s.leave(taken)
		return false
	}
	return true
}

// leave gives n values of waiting back.
func (s *session) leave(n int) {
	for range n {
		<-s.waiting
	}
}

// newTurn makes a turn the next one of the session.
func (s *session) newTurn(t *turn) *turn {
	t.session, t.header, t.Number = s, http.Header{}, s.turns.Add(1)
	return t
}

// lane returns the queue of a turn's stream id, and starts its goroutine at the first turn. A
// turn with one stream id too many becomes an error, on the lane without a name.
func (s *session) lane(t *turn) chan *turn {
	id := t.StreamID
	if t.Err != nil {
		id = ""
	}
	lane, known := s.lanes[id]
	if known {
		return lane
	}
	named := len(s.lanes)
	if _, unnamed := s.lanes[""]; unnamed {
		named--
	}
	if id != "" && named >= maxStreams {
		t.Err = tooManyStreams()
		return s.lane(t)
	}
	lane = make(chan *turn, maxWaiting)
	s.lanes[id] = lane
	s.all.Go(func() {
		for t := range lane {
			s.slots <- struct{}{}
			s.run(t)
			<-s.slots
			s.leave(t.size)
		}
	})
	return lane
}

// run answers a turn, unless the connection has ended.
func (s *session) run(t *turn) {
	if s.ctx.Err() != nil || s.over.Err() != nil {
		return
	}
	s.server.active.enter()
	defer s.server.active.leave()
	if err := s.server.takeTurn(s.handshake, t, s.memory.Lane(t.StreamID)); err != nil {
		s.finish(err)
	}
}

func tooOld() *apierror.Error {
	return apierror.Bad("", "websocket_connection_limit_reached",
		"Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.")
}

func tooManyStreams() *apierror.Error {
	return apierror.Bad("stream_id", "websocket_stream_limit_reached",
		"This WebSocket connection has reached its maximum number of distinct stream IDs (%d). Reuse an existing stream_id or open a new WebSocket connection.", maxStreams)
}

func tooManyTurns() *apierror.Error {
	return apierror.Refusal(http.StatusTooManyRequests, apierror.CodeTurns,
		fmt.Sprintf("Too many requests wait on this connection: at most %d, and fewer if they are long. Wait for answers before you send more.", maxWaiting))
}
