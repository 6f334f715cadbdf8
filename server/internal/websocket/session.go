package websocket

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync/atomic"
	"time"
)

// Close codes of RFC 6455.
const (
	CloseNormal    = 1000
	CloseGoingAway = 1001
	CloseAbnormal  = 1006 // CloseAbnormal stands for a connection that breaks; nobody sends it.
)

// MaxAge is the longest that a session of the real service lasts.
const MaxAge = time.Hour

// grace is how long a client may go on reading after the server has begun to shut down or to end the connection.
const grace = time.Second

// ErrBreaks ends a connection without a close frame.
var ErrBreaks = errors.New("the connection breaks")

// Closing ends a connection with a close frame.
type Closing struct {
	Code   int
	Reason string
}

// Error implements error.
func (*Closing) Error() string { return "the server closes the connection" }

// Closed is the error of [Conn.ReadMessage] when the client has closed the connection with a code of RFC 6455.
type Closed struct{ Code int }

// Error says the code.
func (c *Closed) Error() string {
	return fmt.Sprintf("the client has closed the connection with the code %d", c.Code)
}

// Mode is what an API does with the messages of a session. Its functions are called by one goroutine at a time.
type Mode interface {
	// Receive takes the next message; text says that it came as text. It must not wait for an answer.
	Receive(message []byte, text bool)
	// End is called once, when no further message comes.
	End()
	// Late is called when a message has taken too long to come; it may still write an error.
	Late()
	// Aged is called when the session has reached [MaxAge], and says how it ends.
	Aged() *Closing
	// Wait waits until no turn is being answered.
	Wait()
}

// Session is one WebSocket connection, from its handshake to its end.
type Session struct {
	Number      int64 // Number counts the WebSocket connections of the server, from 1.
	Conn        Conn
	BodyTimeout time.Duration // BodyTimeout is how long a message may take.
	// Ctx ends when the client has left or the session is over.
	Ctx  context.Context
	stop context.CancelFunc

	left   atomic.Int64    // left is the close code with which the client left; 0 while it is there.
	over   context.Context // over ends when Finish is called; its cause says how the connection ends.
	finish context.CancelCauseFunc
}

// NewSession makes the session of a connection whose handshake had the context ctx.
func NewSession(ctx context.Context, conn Conn, bodyTimeout time.Duration) *Session {
	s := &Session{Conn: conn, BodyTimeout: bodyTimeout}
	s.Ctx, s.stop = context.WithCancel(context.WithoutCancel(ctx))
	s.over, s.finish = context.WithCancelCause(context.Background())
	return s
}

// Finish ends the session: with a close frame if how is a [*Closing], without one if it is [ErrBreaks]. Only the first
// call counts.
func (s *Session) Finish(how error) { s.finish(how) }

// IsOver reports whether the client has left or the session ends.
func (s *Session) IsOver() bool { return s.Ctx.Err() != nil || s.over.Err() != nil }

// endSoon ends the session after a while, because the client may read nothing.
func (s *Session) endSoon() { time.AfterFunc(grace, s.stop) }

// Run hands the messages of the connection to a mode until the client leaves, Finish is called, the session reaches its
// greatest age, or the server closes, which is when serving ends. Then it waits for the turns that are being answered;
// they end soon by themselves.
func (s *Session) Run(serving context.Context, mode Mode) {
	defer s.stop()
	stop := context.AfterFunc(serving, s.endSoon)
	defer stop()
	late := time.NewTimer(s.BodyTimeout)
	late.Stop() // until a message begins
	read := make(chan struct{})
	go func() {
		defer close(read)
		defer mode.End()
		s.read(late, mode.Receive)
	}()
	age := time.NewTimer(MaxAge)
	defer age.Stop()
	select {
	case <-read: // the client has left
		s.stop()
		mode.Wait()
		if s.over.Err() == nil {
			s.Conn.Abort()
			return
		} // or else its last turn has ended the connection, however soon the client left
	case <-s.over.Done():
	case <-age.C:
		s.endSoon()
		s.finish(mode.Aged())
	case <-late.C:
		s.endSoon()
		mode.Late()
	case <-serving.Done():
		mode.Wait()
		s.finish(&Closing{CloseGoingAway, "the server shuts down"})
	}
	s.close()
	s.stop()
	<-read
	mode.Wait()
}

// close ends the connection in the way that Finish was told; normally if it was not called.
func (s *Session) close() {
	closing, ok := errors.AsType[*Closing](context.Cause(s.over))
	switch {
	case ok:
		_ = s.Conn.Close(closing.Code, closing.Reason)
	case errors.Is(context.Cause(s.over), ErrBreaks):
		s.Conn.Abort()
	default:
		_ = s.Conn.Close(CloseNormal, "")
	}
}

// read reads messages until there are no more.
func (s *Session) read(late *time.Timer, receive func(message []byte, text bool)) {
	for {
		message, text, err := s.Conn.ReadMessage(s.Ctx, func() { late.Reset(s.BodyTimeout) })
		late.Stop()
		if err != nil {
			s.left.Store(CloseAbnormal)
			if closed, ok := errors.AsType[*Closed](err); ok {
				s.left.Store(int64(closed.Code))
			}
			s.stop()
			return
		}
		receive(message, text)
	}
}

// NewTurn returns a turn of the session. Number counts the turns, from 1; body is the body of the equivalent POST.
func (s *Session) NewTurn(number int64, body []byte) *Turn {
	return &Turn{Number: number, Body: body, session: s, header: http.Header{}}
}
