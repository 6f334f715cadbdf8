package journal

import (
	"net/http"
	"time"
)

// Plan is what an answer would send, and when. Its times are those of the scenario, at its own
// speed, and count from the request, as if no stream waited at a hold.
type Plan struct {
	Status int // Status is the HTTP status; 0 if the connection ends without an answer.
	Header http.Header
	Start  time.Duration // Start is when the header is sent.
	Frames []PlannedFrame
	// End is "" for a body that ends in order; otherwise cut, reset, stall, linger, refuse
	// or refuse_reset.
	End   string
	EndAt time.Duration // EndAt is when the answer ends.
}

// PlannedFrame is bytes that are due at one time, or a hold.
type PlannedFrame struct {
	At    time.Duration // At is when the frame is due.
	Kind  string        // Kind is the name that damage has for the frame: content, finish, comment …
	Hold  string        // Hold is the hold to wait at; the frame has no bytes then.
	Bytes []byte
	More  bool // More says that the next frame has the rest of the same event.
}
