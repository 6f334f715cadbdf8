package journal

import (
	"net/http"
	"sync/atomic"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Entry is the journal's entry for one request: what was asked, what was
// answered, and what of it the client really took.
//
// Entries are passed on as values, but what Header, Body, Request, Advice, Chance
// and Transcript point to is shared by all who have the entry: it must not be
// changed.
type Entry struct {
	// ID numbers the requests: it is 1 for the first since the start, and a reset
	// does not begin again.
	ID     int64       `json:"id"`
	Time   time.Time   `json:"time"` // Time is when the request came.
	Method string      `json:"method"`
	Path   string      `json:"path"` // Path includes the query.
	Header http.Header `json:"header"`
	// APIKey is the bearer token or Azure's Api-Key in Header; empty for none.
	APIKey string `json:"api_key,omitempty"`
	Body   []byte `json:"-"`
	// Request is the body as scenarios see it; nil when it could not be read so.
	Request *scenarios.Request `json:"-"`

	// Scenario and Reply say what answered: a name, and the reply's position in the
	// scenario, from 0. They are empty and -1 when nothing matched.
	Scenario string `json:"scenario,omitempty"`
	Reply    int    `json:"reply"`
	// Problem says why nothing matched, or what was wrong with the request.
	Problem string `json:"problem,omitempty"`
	// Unmatched says that nothing here answers such a request: there is no scenario
	// for it, or one whose reply its API has no words for, or no such URL. Problem
	// has the reason.
	Unmatched bool `json:"unmatched,omitempty"`
	// Fault says that the request could have been answered, and that the scenario or
	// the server failed at it: a template that needs what the request does not have,
	// for example. Problem has the reason.
	Fault bool `json:"fault,omitempty"`
	// BadHistory says that the request was refused because its messages cannot be
	// how a conversation went. Problem has the reason.
	BadHistory bool `json:"bad_history,omitempty"`
	// Limit is the limit beyond which the request was refused, such as "rpm: 3 of
	// scenario weather"; it is empty if it was not refused for one.
	Limit string `json:"limit,omitempty"`
	// Status is the answer's; 0 when the connection ended before there was one.
	Status int `json:"status"`
	// Failed says that the client did not get a whole answer: none at all, one
	// with a status of 400 or more, one that broke off, that lacks its proper end,
	// or that holds an error in mid-stream. It is set when the answer has ended.
	Failed bool `json:"failed,omitempty"`
	// Advice is what the answer said about trying again; nil for nothing.
	Advice *RetryAdvice `json:"advice,omitempty"`

	// Chance is what the scenario left to chance and the seed decided, in words,
	// such as "damage 1 (drop) struck frame 3" or "end cut: not drawn".
	Chance []string `json:"drawn,omitempty"`

	// Surface is the API that was asked, such as chat; empty where it is none that
	// scenarios answer.
	Surface string `json:"-"`
	// OutputTokens is how many tokens of output the whole answer of the scenario
	// costs; 0 if no scenario answered.
	OutputTokens int `json:"-"`

	Delivery Delivery `json:"delivery"`
	// Transcript is the bytes of the body as they were sent; nil if the server was
	// not asked to keep them.
	Transcript []byte `json:"-"`

	held int   // held is how many bytes the journal holds for the request.
	sent *Sent // sent counts what is sent while the answer is open; nil if the counts are those in Delivery.
}

// Sent counts how much of an answer was sent while it is open. The goroutine that
// writes the answer and those that read the journal may use it at the same time.
type Sent struct {
	bytes, frames atomic.Int64
	steps         atomic.Int64 // steps is the position of the last step and 1, so that 0 is none.
}

// AddBytes counts further bytes that the connection took.
func (s *Sent) AddBytes(n int) { s.bytes.Add(int64(n)) }

// Bytes is how many bytes the connection took so far.
func (s *Sent) Bytes() int64 { return s.bytes.Load() }

// StoreProgress stores how many frames were written so far, and the step of the
// last of them, -1 for none.
func (s *Sent) StoreProgress(frames, step int) {
	s.frames.Store(int64(frames))
	s.steps.Store(int64(step) + 1)
}

// Progress is what was stored last: 0 frames and the step -1 if nothing was.
func (s *Sent) Progress() (frames, step int) { return int(s.frames.Load()), int(s.steps.Load()) - 1 }

// Follow lets Bytes, Frames and Step of the entry's Delivery be what s counts, until
// Follow(nil) stores them as they are then.
func (e *Entry) Follow(s *Sent) {
	e.Delivery.take(e.sent)
	e.sent = s
}

// take stores what was counted; nil counts nothing.
func (d *Delivery) take(s *Sent) {
	if s != nil {
		d.Bytes = s.Bytes()
		d.Frames, d.Step = s.Progress()
	}
}

// shown is the entry as it stands now.
func (e *Entry) shown() Entry {
	c := *e
	c.Follow(nil)
	if c.Delivery.Ended == EndedOpen {
		c.Delivery.Duration = time.Since(c.Time)
	}
	return c
}

// BelongsTo reports whether the entry is one of the API key's. Every entry
// belongs to "".
func (e *Entry) BelongsTo(apiKey string) bool { return apiKey == "" || e.APIKey == apiKey }

// Delivery says how much of an answer the client really took, and how it ended.
// Times are in nanoseconds in JSON, as the names of its members say.
type Delivery struct {
	// Frames counts the frames that were written to the client, one that is cut into
	// pieces once, and Planned those that there were to write.
	Frames  int `json:"frames"`
	Planned int `json:"planned"`
	// Bytes counts the bytes of the body that the connection took. While the answer
	// is open, Frames, Bytes and Step say how far it is by now.
	Bytes int64 `json:"bytes"`
	// Step is the position of the last step that was written, from 0; -1 for none.
	Step  int    `json:"step"`
	Ended Ending `json:"ended"`
	// Duration is the time from the request to the end, or to now while it is open.
	Duration time.Duration `json:"duration_ns"`

	// First and Last are the time from the request to when the first and the last part
	// of an answer's body was handed to the connection; 0 if none was, and where a
	// scenario did not answer.
	First time.Duration `json:"-"`
	Last  time.Duration `json:"-"`

	// Left says how the client went away before the end, and LeftAfter how long
	// after the request that was noticed. Left is empty if the client stayed.
	Left      Departure     `json:"left,omitempty"`
	LeftAfter time.Duration `json:"left_after_ns,omitempty"`
	Stalls    Stalls        `json:"stalls,omitzero"`
	Unread    Unread        `json:"unread,omitzero"`

	// Protocol is the one of HTTP, such as HTTP/1.1 or HTTP/2.0, or WebSocket for a
	// turn on such a connection, which is as the POST that asks for the same.
	Protocol string `json:"protocol"`
	// RequestNumber is the request's number on its connection, from 1, and Reused
	// says that the connection had served another one before. A server that does
	// not know its connections takes every request for the first.
	RequestNumber int64 `json:"request_number"`
	Reused        bool  `json:"reused"`
}

// Write is one write of an answer's body: the frames that were due together.
type Write struct {
	Scenario string // Scenario is the name of what is played.
	First    bool   // First says that nothing of the body was written before.
	// After is the time from the request to the end of the write.
	After time.Duration
	Gap   time.Duration // Gap is the time since the write before ended; 0 for the first.
	// Late is how long after it was due the write began. Times begin anew after a hold;
	// a client that reads slowly makes what follows late.
	Late time.Duration
}

// TimeWrite records when a part of the body was written, counted from the request. First
// says that nothing of the body was written before it.
func (d *Delivery) TimeWrite(first bool, began, ended time.Duration) Write {
	w := Write{First: first, After: ended}
	if w.First {
		d.First = ended
	} else {
		w.Gap = ended - d.Last
	}
	d.Last = ended
	d.Stalls.Add(ended - began)
	return w
}

// Departure says how a client went away.
type Departure string

// How a client can leave. Which of the first two it is, a server knows only of
// connections that it watches.
const (
	LeftFIN Departure = "fin" // LeftFIN says that it closed the connection and had read all.
	// LeftRST says that it reset the connection, as closing it with unread bytes
	// does, too.
	LeftRST Departure = "rst"
	// LeftHTTP2Cancel says that it gave up the answer alone, with RST_STREAM.
	LeftHTTP2Cancel Departure = "http2_cancel"
	// LeftContext says that the request's context was cancelled; how the client
	// left cannot be told.
	LeftContext Departure = "context"
	// LeftDeadline says that a deadline of the HTTP server ended the request.
	LeftDeadline Departure = "deadline"
)

// Stalls are the writes that were held up because the client read slowly: those
// that took 10 ms or longer.
type Stalls struct {
	Count   int           `json:"count"`      // Count is how many writes were held up.
	Longest time.Duration `json:"longest_ns"` // Longest is the time that the slowest took.
	Total   time.Duration `json:"total_ns"`   // Total is the time that all of them took.
}

// stallLimit is from when on a write counts as held up.
const stallLimit = 10 * time.Millisecond

// Add counts a write that took so long, if that is long enough for a stall.
func (s *Stalls) Add(d time.Duration) {
	if d < stallLimit {
		return
	}
	s.Count++
	s.Longest = max(s.Longest, d)
	s.Total += d
}

// Unread is what a client did not take of an answer that it, or a shutdown,
// ended early.
type Unread struct {
	// Frames counts those that were planned and not written.
	Frames int `json:"frames"`
	// Bytes counts those that were written but still waited on this side, with
	// HTTP's framing: on Linux what the client's machine had not acknowledged, in
	// memory what the client had not read. It is 0 where that cannot be known, as in
	// HTTP/2.
	Bytes int64 `json:"bytes"`
}

// Ending says how an exchange ended.
type Ending string

// How an exchange can end.
const (
	// EndedComplete says that everything was sent and the body ended properly.
	EndedComplete Ending = "complete"
	// EndedAsAuthored says that it ended as the scenario asks for with end.
	EndedAsAuthored Ending = "as_authored"
	EndedByClient   Ending = "client_left" // EndedByClient says that the client went away first.
	EndedByShutdown Ending = "shutdown"    // EndedByShutdown says that the server was shut down.
	EndedOpen       Ending = "open"        // EndedOpen says that it still goes on.
)
