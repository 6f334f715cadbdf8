package websocket

import (
	"fmt"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// Limits of the real service.
const (
	maxInFlight = 16 // maxInFlight is the most turns of a connection that are being answered.
	maxStreams  = 32 // maxStreams is the most stream ids on a connection.
)

// maxWaiting is the most turns of a connection that wait or are being answered. A message that is
// longer than that part of [Lanes.MaxMessage] counts as several. Beyond it a turn waits for
// roomGrace, while the server reads no further message, and then gets an error.
const (
	maxWaiting = 256
	roomGrace  = time.Second
)

// Lanes are the [Mode] of the Responses API: a client sends a message for each response that it
// wants, a turn, and gets each event of the response as a message. Turns with the same stream id
// are answered in the order of their messages; turns with different ones are answered
// concurrently.
//
// Sources: OpenAI's guide to the WebSocket mode, and what clients sent in 2026.
type Lanes struct {
	Session    *Session
	MaxMessage int64 // MaxMessage is the length in bytes of the longest message.
	// Answer answers a turn. The error is how the turn ends the connection; nil if it goes on.
	Answer func(*Turn) error
	// Hear is called with each message first, and reports whether that asks for no response, so that it is no turn; nil
	// is for none. It must not wait for an answer.
	Hear func(message ojson.Value) bool

	slots   chan struct{} // slots holds one value for each turn that is being answered.
	waiting chan struct{} // waiting holds the values of the turns that are being answered or wait: see maxWaiting.
	turns   atomic.Int64
	queues  map[string]chan *Turn // queues are the waiting turns, by stream id.
	all     sync.WaitGroup        // all counts the goroutines that answer the lanes.
}

// NewLanes returns the lanes of a session, which has no turns yet.
func NewLanes(s *Session, maxMessage int64, answer func(*Turn) error) *Lanes {
	return &Lanes{
		Session: s, MaxMessage: maxMessage, Answer: answer,
		slots: make(chan struct{}, maxInFlight), waiting: make(chan struct{}, maxWaiting), queues: map[string]chan *Turn{},
	}
}

// Receive implements [Mode]: it puts the turn of a message into its lane.
func (l *Lanes) Receive(message []byte, _ bool) {
	v, err := request.ReadObject("message", message)
	if err == nil && l.Hear != nil && l.Hear(v) {
		return
	}
	t := l.newTurn(parseTurn(message, v, err))
	t.size = min(maxWaiting, 1+int(int64(len(message))*maxWaiting/l.MaxMessage))
	if !l.reserve(t.size, roomGrace) {
		t.Err = apierror.Refusal(http.StatusTooManyRequests, apierror.CodeTurns,
			fmt.Sprintf("Too many requests wait on this connection: at most %d, and fewer if they are long. Wait for answers before you send more.", maxWaiting))
		l.run(t)
		return
	}
	l.lane(t) <- t // never blocks: a lane has room for all turns that wait
}

// End implements [Mode].
func (l *Lanes) End() {
	for _, queue := range l.queues {
		close(queue)
	}
}

// Late implements [Mode]: the turn whose message takes too long gets an error.
func (l *Lanes) Late() { l.run(l.newTurn(&Turn{Err: os.ErrDeadlineExceeded})) }

// Aged implements [Mode].
func (l *Lanes) Aged() *Closing {
	e := apierror.Bad("", "websocket_connection_limit_reached",
		"Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.") // it belongs to no turn
	_ = (&Turn{session: l.Session}).write(errorMessage(e.Status, "", apierror.Envelope(e.Object()), nil))
	return &Closing{Code: CloseNormal}
}

// Wait implements [Mode]. It waits until no turn is being answered and none waits, or the client leaves.
func (l *Lanes) Wait() {
	if l.Session.Ctx.Err() != nil || !l.reserve(maxWaiting, MaxAge) {
		l.all.Wait()
	}
}

// reserve reserves n places in the queue. It reserves none, and returns false, if the client leaves before or patience
// ends.
func (l *Lanes) reserve(n int, patience time.Duration) bool {
	late := time.NewTimer(patience)
	defer late.Stop()
	for taken := range n {
		select {
		case l.waiting <- struct{}{}:
			continue
		case <-late.C:
		case <-l.Session.Ctx.Done():
		}
		l.free(taken)
		return false
	}
	return true
}

func (l *Lanes) free(n int) {
	for range n {
		<-l.waiting
	}
}

// newTurn makes a turn the next one of the session.
func (l *Lanes) newTurn(t *Turn) *Turn {
	t.session, t.header, t.Number = l.Session, http.Header{}, l.turns.Add(1)
	return t
}

// lane returns the queue of a turn's stream id, and starts its goroutine at the first turn. A
// turn with one stream id too many becomes an error, on the lane without a name.
func (l *Lanes) lane(t *Turn) chan *Turn {
	id := t.StreamID
	if t.Err != nil {
		id = ""
	}
	queue, known := l.queues[id]
	if known {
		return queue
	}
	named := len(l.queues)
	if _, unnamed := l.queues[""]; unnamed {
		named--
	}
	if id != "" && named >= maxStreams {
		t.Err = apierror.Bad("stream_id", "websocket_stream_limit_reached",
			"This WebSocket connection has reached its maximum number of distinct stream IDs (%d). Reuse an existing stream_id or open a new WebSocket connection.", maxStreams)
		return l.lane(t)
	}
	queue = make(chan *Turn, maxWaiting)
	l.queues[id] = queue
	l.all.Go(func() {
		for t := range queue {
			l.slots <- struct{}{}
			l.run(t)
			<-l.slots
			l.free(t.size)
		}
	})
	return queue
}

// run answers a turn, unless the connection has ended.
func (l *Lanes) run(t *Turn) {
	if l.Session.IsOver() {
		return
	}
	if err := l.Answer(t); err != nil {
		l.Session.Finish(err)
	}
}
