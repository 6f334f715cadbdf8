package stored

import (
	"maps"
	"net/http"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// Connection is the memory of one WebSocket connection: the last response of each lane. A later
// turn of the same connection can go on from it, even if its request had store: false. A
// Connection is safe for concurrent use.
//
// Source: OpenAI's guide to the WebSocket mode.
type Connection struct {
	store *Store

	mu   sync.Mutex           // mu guards last.
	last map[string]*Response // last has the last response of each stream id.
}

// Lane is the part of a [Connection] that belongs to one stream id. Requests over HTTP have a
// nil Lane, which remembers nothing.
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

// Close ends the memory with its connection.
func (c *Connection) Close() {
	c.store.mu.Lock()
	defer c.store.mu.Unlock()
	delete(c.store.connections, c)
}

// Lane returns the lane of a stream id; "" is the lane without a name.
func (c *Connection) Lane(streamID string) *Lane { return &Lane{c, streamID} }

// reset forgets the responses of an API key, or all if it is "".
func (c *Connection) reset(apiKey string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.last, func(_ string, r *Response) bool { return apiKey == "" || r.name.apiKey == apiKey })
}

// remember makes a response the last of the lane.
func (l *Lane) remember(r *Response) {
	if l == nil {
		return
	}
	l.connection.mu.Lock()
	defer l.connection.mu.Unlock()
	l.connection.last[l.streamID] = r
}

// find returns the response with this id if it is the last of any lane of the connection; else
// nil.
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

// Answered notes the HTTP status of a turn. After an error the lane forgets the response that
// the turn went on from, as the real service does. Req is nil if it could not be read.
func (l *Lane) Answered(req *scenarios.Request, status int) {
	if l == nil || req == nil || status < http.StatusBadRequest {
		return
	}
	l.connection.mu.Lock()
	defer l.connection.mu.Unlock()
	maps.DeleteFunc(l.connection.last, func(_ string, r *Response) bool { return r.name.id == responses.Previous(req) })
}
