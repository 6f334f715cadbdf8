package journal

import (
	"net/http"
	"slices"
	"sync"
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
	// Whole is how many frames an answer that ends early would have, and Torn how many bytes the frame in which it breaks
	// off. Both are 0 where that is not known, and Torn for one that ends between frames.
	Whole, Torn int
}

// LongestPause is the longest time in which an answer that does not wait at a hold sends nothing.
func (p *Plan) LongestPause() (longest time.Duration) {
	last := time.Duration(0)
	for i := range p.Frames {
		longest, last = max(longest, p.Frames[i].At-last), p.Frames[i].At
	}
	return max(longest, p.EndAt-last)
}

// PlannedFrame is bytes that are due at one time, or a hold.
type PlannedFrame struct {
	At    time.Duration // At is when the frame is due.
	Kind  string        // Kind is the name that damage has for the frame: content, finish, comment …
	Hold  string        // Hold is the hold to wait at; the frame has no bytes then.
	Bytes []byte
	More  bool // More says that the next frame has the rest of the same event.
}

// Trace has the plan of an answer, and the times of its writes and waits. The goroutine that writes
// the answer and goroutines that read the journal may use it at the same time.
type Trace struct {
	Plan   Plan    // Plan is empty for an answer that is planned when somebody asks for it: see [Entry.Made].
	Speed  float64 // Speed divides the times of the plan; a negative one makes them 0.
	Frames int     // Frames is about how many frames the answer has.
	// MadeAgain says that nobody looked when the answer was sent, so that there are no writes.
	MadeAgain bool

	mu     sync.Mutex
	writes []TracedWrite
	waits  []TracedWait
}

// TracedWrite is one write of a body. Times count from the request.
type TracedWrite struct {
	Began time.Duration `json:"began_ns"`
	Ended time.Duration `json:"ended_ns"`
	Bytes int           `json:"bytes"` // Bytes is the number of bytes that were written.
	// Packets is how many TCP packets left for the client meanwhile, or with HTTP/2 for all answers on its
	// connection; 0 if none did or, but for Linux, if that is not known.
	Packets int `json:"packets,omitempty"`
}

// TracedWait is a wait of the answer at a hold. Times count from the request.
type TracedWait struct {
	Hold     string        `json:"hold"`
	Reached  time.Duration `json:"reached_ns"`
	Released time.Duration `json:"released_ns,omitempty"` // Released is when the answer went on; 0 if it still waits, or ended there.
}

// Wrote adds a write. A nil Trace ignores it, and so do Reached and Released.
func (t *Trace) Wrote(w TracedWrite) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.writes = append(t.writes, w)
	}
}

// Reached says that the answer waits at a hold.
func (t *Trace) Reached(hold string, at time.Duration) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.waits = append(t.waits, TracedWait{Hold: hold, Reached: at})
	}
}

// Released says that the answer waits at the last hold no more.
func (t *Trace) Released(at time.Duration) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.waits[len(t.waits)-1].Released = at
	}
}

// Sent returns the writes and the waits so far.
func (t *Trace) Sent() ([]TracedWrite, []TracedWait) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Clone(t.writes), slices.Clone(t.waits)
}

// With returns the trace as it is now, with another plan.
func (t *Trace) With(plan Plan) *Trace {
	c := &Trace{Plan: plan, Speed: t.Speed}
	c.writes, c.waits = t.Sent()
	return c
}

// tracedFrame is about how many bytes of memory the write of a frame takes.
const tracedFrame = 64

// size is about how many bytes of memory the trace takes when its answer has ended. It is the same at
// each time.
func (t *Trace) size() (n int) {
	if t != nil {
		n = t.Frames * tracedFrame
		for i := range t.Plan.Frames {
			n += len(t.Plan.Frames[i].Bytes)
		}
	}
	return n
}
