package admin

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/server/journal"
)

// rowInfo is what a list of requests shows of an entry.
type rowInfo struct {
	ID         int64           `json:"id"`
	Call       int64           `json:"call"` // Call is the id of the first request of the entry's call.
	Time       time.Time       `json:"time"`
	Method     string          `json:"method"`
	Path       string          `json:"path"`
	APIKey     string          `json:"api_key,omitempty"`
	Model      string          `json:"model,omitempty"`
	Scenario   string          `json:"scenario,omitempty"`
	Injected   string          `json:"injected,omitempty"`
	Status     int             `json:"status"`
	Answer     journal.Answer  `json:"answer,omitempty"`
	Failed     bool            `json:"failed,omitempty"`
	Problem    string          `json:"problem,omitempty"`
	Ended      journal.Ending  `json:"ended"`
	End        string          `json:"end,omitempty"`
	Duration   time.Duration   `json:"duration_ns"`
	Frames     int             `json:"frames"`
	Planned    int             `json:"planned"`
	Protocol   string          `json:"protocol"`             // Protocol is [journal.Delivery.Protocol].
	Turn       int64           `json:"turn"`                 // Turn is [journal.Delivery.RequestNumber].
	Connection int64           `json:"connection,omitempty"` // Connection is [journal.Delivery.Connection].
	Lane       string          `json:"lane,omitempty"`       // Lane is [journal.Delivery.Lane].
	Surface    string          `json:"surface,omitempty"`    // Surface is the API of the request, such as chat.
	Verdict    journal.Verdict `json:"verdict,omitempty"`    // Verdict is that of the retry.
	Found      string          `json:"found,omitempty"`      // Found is what the client did wrong: see [journal.Judge].
}

// changeInfo is an event of GET /_fake/requests/events.
type changeInfo struct {
	Anew     bool      `json:"anew"` // Anew says that the rows are all that there are.
	Requests []rowInfo `json:"requests"`
	Oldest   int64     `json:"oldest"` // Oldest is the id of the oldest request that is remembered; 0 if none is.
	// Forgotten counts the requests that were dropped, of Keeps that are remembered at most.
	Forgotten int64     `json:"forgotten,omitempty"`
	Keeps     int       `json:"keeps"`
	Started   time.Time `json:"started"` // Started is when the server was started.
}

func (h *Handler) row(e *journal.Entry, call journal.Call) rowInfo {
	masks := h.masks(e)
	row := rowInfo{
		ID: e.ID, Call: e.ID, Time: e.Time, Method: e.Method, Path: masks.Path(e.Path), APIKey: masks.Key(e.APIKey),
		Scenario: e.Scenario, Injected: e.Injected, Status: e.Status, Answer: e.Answer, Failed: e.Failed, Problem: masks.Text(e.Problem),
		Ended: e.Delivery.Ended, End: e.Delivery.End, Duration: e.Delivery.Duration, Frames: e.Delivery.Frames, Planned: e.Delivery.Planned, Protocol: e.Delivery.Protocol, Turn: e.Delivery.RequestNumber,
		Connection: e.Delivery.Connection, Lane: e.Delivery.Lane, Surface: e.Surface,
	}
	if e.Request != nil {
		row.Model = masks.Text(e.Request.Model)
	}
	for _, a := range call.Attempts {
		if a.Request == e.ID {
			row.Call, row.Verdict, row.Found = call.Attempts[0].Request, a.Verdict, masks.Text(cmp.Or(a.Problem, a.Accepted))
		}
	}
	return row
}

func (h *Handler) rows(c journal.Changes) changeInfo {
	info := changeInfo{Anew: c.Anew, Requests: make([]rowInfo, len(c.Entries)), Oldest: c.Oldest, Forgotten: c.Forgotten, Keeps: h.fake.JournalSize, Started: h.started}
	for i := range c.Entries {
		info.Requests[i] = h.row(&c.Entries[i], c.Calls[c.Entries[i].ID])
	}
	return info
}

// The times of a stream of events. The gap gathers what changes, so that a server under load makes
// few events; the beat finds clients that are gone and a server that shuts down.
const (
	eventGap      = 100 * time.Millisecond
	eventBeat     = time.Second / 4
	eventPatience = 10 * time.Second // eventPatience is how long a write of an event may take.
)

// streamRequests sends the rows of the journal as server-sent events: first all that there are, then
// those that change.
func (h *Handler) streamRequests(w http.ResponseWriter, r *http.Request) {
	ctx, stop := h.fake.WhileServing(r.Context())
	defer stop()
	defer h.fake.Journal.Watch()()
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	control := http.NewResponseController(w)
	for revision := int64(0); ctx.Err() == nil && !h.fake.Draining(); {
		beat, cancel := context.WithTimeout(ctx, eventBeat)
		changes, err := h.fake.Journal.Since(beat, keyAskedFor(r), revision)
		cancel()
		event := []byte(":\n\n")
		if err == nil {
			data, _ := json.Marshal(h.rows(changes)) // without an error: it has only texts, numbers and times
			event, revision = fmt.Appendf(nil, "data: %s\n\n", data), changes.Revision
		}
		_ = control.SetWriteDeadline(time.Now().Add(eventPatience))
		if _, err := w.Write(event); err != nil || control.Flush() != nil {
			return
		}
		select {
		case <-time.After(eventGap):
		case <-ctx.Done():
		}
	}
}
