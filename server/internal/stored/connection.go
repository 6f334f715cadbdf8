package stored

import (
	"maps"
	"net/http"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/ask"
)

// Connection is the memory of a WebSocket connection: the last response of each lane, from which a
// later turn of the same connection can go on, even if its request says store: false. It is safe for
// concurrent use.
//
// Source: OpenAI's guide to the WebSocket mode.
type Connection struct {
	store *Store

	mu   sync.Mutex           // guards last
	last map[string]*Response // last are the last responses, by stream id.
}

// Lane is the part of a [Connection] that belongs to one stream id. A nil Lane, which requests over HTTP
// have, remembers nothing.
type Lane struct {
	connection *Connection
	streamID   string
}

// Connect returns the memory of a new connection. [Connection.Close] must follow.
func (s *Store) Connect() *Connection {
	c := &Connection{store: s, last: map[string]*Response{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.connections[c] = true
	return c
}

// Close forgets everything: the connection is over.
func (c *Connection) Close() {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	delete(c.store.connections, c)
}

// Lane returns the lane of a stream id; "" is the one without a name.
func (c *Connection) Lane(streamID string) *Lane { return &Lane{c, streamID} }

// reset forgets the responses of an API key, or all if it is "".
func (c *Connection) reset(apiKey string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.last, func(_ string, r *Response) bool { return apiKey == "" || r.name.apiKey == apiKey })
}

// remember keeps the response in the place of the one before it in the lane.
func (l *Lane) remember(r *Response) {
	if l == nil {
		return
	}
	l.connection.mu.Lock()
	defer l.connection.mu.Unlock()
	l.connection.last[l.streamID] = r
}

// find returns the response with this id that is the last of any lane of the connection; nil if there is none.
func (l *Lane) find(apiKey, id string) *Response {
	if l == nil {
		return nil
	}
	l.connection.mu.Lock()
	defer l.connection.mu.Unlock()
	for _, r := range l.connection.last {
		if r.name.id == id && r.name.apiKey == apiKey {
			return r
		}
	}
	return nil
}

// Answered notes the status of a turn. If it is an error, the response that its request goes on from is
// forgotten, as at the real service. A nil request was not read.
func (l *Lane) Answered(req *scenarios.Request, status int) {
	if l == nil || req == nil || status < http.StatusBadRequest {
		return
	}
	l.connection.mu.Lock()
	defer l.connection.mu.Unlock()
	maps.DeleteFunc(l.connection.last, func(_ string, r *Response) bool { return r.name.id == ask.Previous(req) })
}
