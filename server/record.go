package server

import (
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// Record is the journal's entry for one request: what was asked, what was
// answered, and what of it the client really took.
type Record struct {
	ID      int64              `json:"id"` // 1 for the first request since the start; not reset
	Time    time.Time          `json:"time"`
	Method  string             `json:"method"`
	Path    string             `json:"path"` // with the query
	Header  http.Header        `json:"header"`
	Body    []byte             `json:"-"`
	Request *scenarios.Request `json:"-"` // nil when the body could not be read as a request

	Scenario string `json:"scenario,omitempty"` // "" when nothing matched
	Reply    int    `json:"reply"`              // its position in the scenario, from 0; -1 when nothing matched
	Problem  string `json:"problem,omitempty"`  // why nothing matched, or what was wrong with the request
	// Unmatched says that nothing here answers such a request: no scenario, or no
	// such URL. Problem has the reason.
	Unmatched bool `json:"unmatched,omitempty"`
	Status    int  `json:"status"` // 0 when the connection ended before there was one

	Delivery   Delivery `json:"delivery"`
	Transcript []byte   `json:"-"` // the body's bytes as sent; nil unless Config.KeepTranscripts
}

// Delivery says how much of an answer the client really took, and how it ended.
type Delivery struct {
	Frames   int           `json:"frames"`  // frames written to the client
	Planned  int           `json:"planned"` // frames there were to write
	Bytes    int64         `json:"bytes"`   // bytes of the body that the connection took
	Step     int           `json:"step"`    // position of the last step that was written, from 0; -1 for none
	Ended    Ended         `json:"ended"`
	Duration time.Duration `json:"duration"` // from the request to the end, in nanoseconds
}

// Ended says how an exchange ended.
type Ended string

// How an exchange can end.
const (
	EndedComplete   Ended = "complete"    // everything was sent, the body ended properly
	EndedAsAuthored Ended = "as_authored" // by the ending that the scenario asks for
	EndedByClient   Ended = "client_left" // the client went away first
	EndedByShutdown Ended = "shutdown"    // the server was shut down
	EndedOpen       Ended = "open"        // it still goes on
)
