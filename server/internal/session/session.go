// Package session is the WebSocket mode of the Responses API: a client sends a message for each
// response that it wants, one after the other over one connection, and gets each event of the
// responses as a message. The package imports no WebSocket library.
//
// Sources: OpenAI's guide to the WebSocket mode, and what clients sent in 2026.
package session

import (
	"context"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// Conn is a WebSocket connection. Its methods are those of MessageConn in the package server, which
// says what they do.
type Conn interface {
	ReadMessage(ctx context.Context, begins func()) ([]byte, error)
	WriteMessage(ctx context.Context, text bool, p []byte) error
	Ping(ctx context.Context) error
	Close(code int, reason string) error
	Abort()
}

// Close codes of RFC 6455.
const (
	closeNormal    = 1000
	closeGoingAway = 1001
)

// Limits of the real service.
const (
	MaxInFlight = 16        // MaxInFlight is the most turns of a connection that are being answered or wait.
	MaxStreams  = 32        // MaxStreams is the most stream ids on a connection.
	MaxAge      = time.Hour // MaxAge is the longest that a connection lasts.
)

// Grace is how long a client may go on reading after the server has begun to shut down or to
// end the connection.
const Grace = time.Second

// Fate says what happens to the connection after a turn.
type Fate uint8

// The values of Fate.
const (
	GoesOn Fate = iota // GoesOn: the connection takes the next turn.
	Closes             // Closes: the server closes the connection with a close frame.
	Breaks             // Breaks: the connection ends without a close frame.
)

// Session is one connection. Turns with the same stream id are answered in the order of their
// messages; turns with different ones are answered concurrently.
type Session struct {
	conn   Conn
	answer func(*Turn) Fate
	ctx    context.Context // ctx ends when the client has left or the session is over.
	end    context.CancelFunc
	slots  chan struct{} // slots holds one value for each turn that is being answered or waits.
	turns  atomic.Int64

	timeout time.Duration // timeout is how long a message may take to come.
	late    *time.Timer   // late fires when a message has taken that long.

	lanes map[string]chan *Turn // lanes are the queues of waiting turns, by stream id.
	all   sync.WaitGroup        // all counts the goroutines that answer the lanes.

	mu   sync.Mutex // mu guards fate.
	fate Fate
	over chan struct{} // over is closed when a turn ends the connection.
}

// Run reads messages and calls answer for the turn of each, until the client leaves, a turn
// ends the connection, the connection reaches MaxAge, or serving ends. A message that takes
// longer than timeout is a turn with an error, and ends the connection. When serving ends, Run
// waits for the turns that are being answered; they must end soon by themselves. Ctx is the
// context of the handshake's request.
func Run(ctx, serving context.Context, conn Conn, timeout time.Duration, answer func(*Turn) Fate) {
	s := &Session{conn: conn, answer: answer, timeout: timeout, late: time.NewTimer(timeout), slots: make(chan struct{}, MaxInFlight), lanes: map[string]chan *Turn{}, over: make(chan struct{})}
	s.ctx, s.end = context.WithCancel(context.WithoutCancel(ctx))
	defer s.end()
	stop := context.AfterFunc(serving, func() { time.AfterFunc(Grace, s.end) })
	defer stop()
	s.late.Stop() // until a message begins
	read := make(chan struct{})
	go func() {
		defer close(read)
		s.read()
	}()
	age := time.NewTimer(MaxAge)
	defer age.Stop()
	select {
	case <-read: // the client has left
		s.end()
		s.all.Wait()
		conn.Abort()
		return
	case <-s.over:
	case <-age.C:
		time.AfterFunc(Grace, s.end) // the client may read nothing
		s.tell(&Turn{session: s}, tooOld())
	case <-s.late.C:
		time.AfterFunc(Grace, s.end)
		s.run(s.newTurn(&Turn{Err: os.ErrDeadlineExceeded}))
	case <-serving.Done():
	}
	s.close(serving)
	s.end()
	<-read
	s.all.Wait()
}

// close ends the connection in the way that the last turn or the end of serving calls for.
func (s *Session) close(serving context.Context) {
	s.mu.Lock()
	fate := s.fate
	s.mu.Unlock()
	switch {
	case fate == Breaks && serving.Err() == nil:
		s.conn.Abort()
	case serving.Err() != nil:
		s.awaitTurns()
		_ = s.conn.Close(closeGoingAway, "the server shuts down")
	default:
		_ = s.conn.Close(closeNormal, "")
	}
}

// awaitTurns waits until no turn is being answered and none waits.
func (s *Session) awaitTurns() {
	for range MaxInFlight {
		select {
		case s.slots <- struct{}{}:
		case <-s.ctx.Done():
			return
		}
	}
}

// read reads messages until there are no more, and puts the turn of each into its lane. Then it
// closes the lanes.
func (s *Session) read() {
	defer func() {
		for _, lane := range s.lanes {
			close(lane)
		}
	}()
	for {
		message, err := s.conn.ReadMessage(s.ctx, func() { s.late.Reset(s.timeout) })
		s.late.Stop()
		if err != nil {
			s.end()
			return
		}
		select {
		case s.slots <- struct{}{}:
		case <-s.ctx.Done():
			return
		}
		turn := s.newTurn(parse(message))
		s.lane(turn) <- turn // never blocks: a lane has room for every turn that has a slot
	}
}

// newTurn makes a turn the next one of the session.
func (s *Session) newTurn(turn *Turn) *Turn {
	turn.session, turn.header, turn.Number = s, http.Header{}, s.turns.Add(1)
	return turn
}

// lane returns the queue of a turn's stream id, and starts its goroutine at the first turn. A
// turn with one stream id too many becomes an error, on the lane without a name.
func (s *Session) lane(turn *Turn) chan *Turn {
	id := turn.StreamID
	if turn.Err != nil {
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
	if id != "" && named >= MaxStreams {
		turn.Err = tooManyStreams()
		return s.lane(turn)
	}
	lane = make(chan *Turn, MaxInFlight)
	s.lanes[id] = lane
	s.all.Go(func() {
		for turn := range lane {
			s.run(turn)
			<-s.slots
		}
	})
	return lane
}

// run answers a turn, unless the connection has ended.
func (s *Session) run(turn *Turn) {
	if s.ctx.Err() != nil {
		return
	}
	select {
	case <-s.over:
		return
	default:
	}
	fate := s.answer(turn)
	if fate == GoesOn {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fate == GoesOn {
		s.fate = fate
		close(s.over)
	}
}

// tell sends an error that belongs to no turn.
func (s *Session) tell(turn *Turn, e *apierror.Error) {
	_ = turn.write(errorMessage(e.Status, "", apierror.Envelope(e.Object()), nil))
}

func tooOld() *apierror.Error {
	return apierror.Bad("", "websocket_connection_limit_reached",
		"Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.")
}

func tooManyStreams() *apierror.Error {
	return apierror.Bad("stream_id", "websocket_stream_limit_reached",
		"This WebSocket connection has reached its maximum number of distinct stream IDs (%d). Reuse an existing stream_id or open a new WebSocket connection.", MaxStreams)
}
