package journal

import (
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Entry is the journal's entry for one request: what was asked, what was
// answered, and what of it the client really took.
//
// Entries are passed on as values, but what Header, Body, Request, Chance and
// Transcript point to is shared by all who have the entry: it must not be changed.
type Entry struct {
	ID      int64              `json:"id"` // 1 for the first request since the start; not reset
	Time    time.Time          `json:"time"`
	Method  string             `json:"method"`
	Path    string             `json:"path"` // with the query
	Header  http.Header        `json:"header"`
	APIKey  string             `json:"-"` // the bearer token or Azure's Api-Key in Header; "" for none
	Body    []byte             `json:"-"`
	Request *scenarios.Request `json:"-"` // nil when the body could not be read as a request

	Scenario string `json:"scenario,omitempty"` // "" when nothing matched
	Reply    int    `json:"reply"`              // its position in the scenario, from 0; -1 when nothing matched
	Problem  string `json:"problem,omitempty"`  // why nothing matched, or what was wrong with the request
	// Unmatched says that nothing here answers such a request: no scenario, or no
	// such URL. Problem has the reason.
	Unmatched bool `json:"unmatched,omitempty"`
	// BadHistory says that the request was refused because its messages cannot be
	// how a conversation went. Problem has the reason.
	BadHistory bool `json:"bad_history,omitempty"`
	Status     int  `json:"status"` // 0 when the connection ended before there was one
	// Failed says that the client did not get a whole answer: none at all, one
	// with a status of 400 or more, one that broke off, that lacks its proper end,
	// or that holds an error in mid-stream. It is set when the answer has ended.
	Failed bool         `json:"failed,omitempty"`
	Advice *RetryAdvice `json:"advice,omitempty"` // what the answer said about trying again; nil for nothing

	// Chance is what the scenario left to chance and the seed decided, in words,
	// such as "damage 1 (drop) struck frame 3" or "end cut: not drawn".
	Chance []string `json:"drawn,omitempty"`

	Delivery   Delivery `json:"delivery"`
	Transcript []byte   `json:"-"` // the body's bytes as sent; nil unless Config.KeepTranscripts
}

// BelongsTo reports whether the entry is one of the API key's. Every entry belongs
// to "".
func (e *Entry) BelongsTo(apiKey string) bool { return apiKey == "" || e.APIKey == apiKey }

// Delivery says how much of an answer the client really took, and how it ended.
type Delivery struct {
	Frames   int           `json:"frames"`  // frames written to the client; one that is cut into pieces counts once
	Planned  int           `json:"planned"` // frames there were to write
	Bytes    int64         `json:"bytes"`   // bytes of the body that the connection took
	Step     int           `json:"step"`    // position of the last step that was written, from 0; -1 for none
	Ended    Ending        `json:"ended"`
	Duration time.Duration `json:"duration"` // from the request to the end, in nanoseconds

	// Left says how the client went away before the end, and LeftAfter how long
	// after the request that was noticed, in nanoseconds. Empty if it stayed.
	Left      Departure     `json:"left,omitempty"`
	LeftAfter time.Duration `json:"left_after,omitempty"`
	Stalls    Stalls        `json:"stalls,omitzero"`
	Unread    Unread        `json:"unread,omitzero"`

	Protocol      string `json:"protocol"`       // HTTP/1.1, HTTP/2.0
	RequestNumber int64  `json:"request_number"` // on its connection, from 1; always 1 without Server.ConnContext
	Reused        bool   `json:"reused"`         // the connection had served another request before
}

// Departure says how a client went away.
type Departure string

// How a client can leave. Which of the first two it is, a server knows only
// of connections that came through its Watch.
const (
	LeftFIN         Departure = "fin"          // it closed the connection; there was nothing that it had not read
	LeftRST         Departure = "rst"          // it reset the connection, as closing it with unread bytes does, too
	LeftHTTP2Cancel Departure = "http2_cancel" // it gave up the answer alone, with RST_STREAM
	LeftContext     Departure = "context"      // the request's context was cancelled; how the client left cannot be told
	LeftDeadline    Departure = "deadline"     // a deadline of the HTTP server ended the request
)

// Stalls are the writes that were held up because the client read slowly: those
// that took 10 ms or longer. Times are in nanoseconds.
type Stalls struct {
	Count   int           `json:"count"`
	Longest time.Duration `json:"longest"`
	Total   time.Duration `json:"total"`
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
	Frames int `json:"frames"` // planned and not written
	// Bytes are written, but still waited on this side, with HTTP's framing. On
	// Linux those the client's machine had not acknowledged; in memory, those the
	// client had not read; 0 where it cannot be known, as in HTTP/2.
	Bytes int64 `json:"bytes"`
}

// Ending says how an exchange ended.
type Ending string

// How an exchange can end.
const (
	EndedComplete   Ending = "complete"    // everything was sent, the body ended properly
	EndedAsAuthored Ending = "as_authored" // by the ending that the scenario asks for
	EndedByClient   Ending = "client_left" // the client went away first
	EndedByShutdown Ending = "shutdown"    // the server was shut down
	EndedOpen       Ending = "open"        // it still goes on
)
