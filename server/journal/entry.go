package journal

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
)

// Entry is one request with its answer, and how much of the answer the client took.
//
// Copies of an entry share what Header, Body, Request, Advice, Said, Warnings, Chance, Transcript, Made and Trace
// point to: it must not be changed.
type Entry struct {
	// ID is the number of the request, from 1 for the first since the start. A reset does
	// not start the numbers again.
	ID     int64       `json:"id"`
	Time   time.Time   `json:"time"` // Time is when the request came.
	Method string      `json:"method"`
	Path   string      `json:"path"` // Path includes the query.
	Header http.Header `json:"header"`
	// APIKey is the bearer token or Azure's Api-Key in Header; empty for none.
	APIKey string `json:"api_key,omitempty"`
	Body   []byte `json:"-"`
	// Request is the parsed body; nil if the body could not be parsed as a request.
	Request *scenarios.Request `json:"-"`

	// Scenario is the name of the scenario that answered, and Reply the position of its
	// reply, from 0. They are empty and -1 if no scenario answered.
	Scenario string `json:"scenario,omitempty"`
	Reply    int    `json:"reply"`
	// Problem says why no scenario matched, or what was wrong with the request.
	Problem string `json:"problem,omitempty"`
	// Note says why no scenario answered, where that is no problem.
	Note string `json:"note,omitempty"`
	// Warnings say what the author of the scenario, or the client, probably forgot. Each is given once for a scenario.
	Warnings []string `json:"warnings,omitempty"`
	// Unmatched says that the server has no answer to such a request: no scenario matches,
	// the API of the request cannot express the reply, or the URL is unknown. Problem has
	// the reason.
	Unmatched bool `json:"unmatched,omitempty"`
	// Fault says that the scenario or the server failed at a request that could have been
	// answered: for example a template that uses a value which the request does not have.
	// Problem has the reason.
	Fault bool `json:"fault,omitempty"`
	// BadHistory says that the messages of the request contradict each other, as far as
	// that is looked at. Problem has the reason.
	BadHistory bool `json:"bad_history,omitempty"`
	// Limit is the limit for which the request was refused, such as "rpm: 3 of scenario
	// weather"; empty if it was not refused for one.
	Limit string `json:"limit,omitempty"`
	// Injected names the fault that struck the answer, such as "503 of brownout"; empty if none did.
	Injected string `json:"injected,omitempty"`
	// Status is the HTTP status of the answer; 0 if the connection ended without an answer.
	Status int `json:"status"`
	// Answer says what the client got; "" while the answer is open. Failed says that this is no whole
	// answer: see [Answer.IsFailure].
	Answer Answer `json:"answer,omitempty"`
	Failed bool   `json:"failed,omitempty"`
	// ErrorCode is the code, or without one the type, of the error that the answer has or is; "" if it
	// has none.
	ErrorCode string `json:"error_code,omitempty"`
	// Said has the texts and calls of an answer that is not whole; nil if they are not known.
	Said *Said `json:"-"`
	// Advice is what the answer said about retries; nil if nothing.
	Advice *RetryAdvice `json:"advice,omitempty"`

	// Chance has in words what was drawn from the seed for the answer, such as "damage 1
	// (drop) struck frame 3" or "end cut: not drawn".
	Chance []string `json:"drawn,omitempty"`

	// Surface is the API of the request, such as chat; empty if scenarios do not answer it.
	Surface string `json:"-"`
	// OutputTokens is how many tokens of output the whole answer of the scenario has; 0 if
	// no scenario answered.
	OutputTokens int `json:"-"`

	Delivery Delivery `json:"delivery"`
	// Transcript has the bytes of the body as they were sent; nil if the server keeps no
	// transcripts.
	Transcript []byte `json:"-"`
	// Made is what the server made the answer of, so that it can make it again; nil if no scenario answered.
	Made any `json:"-"`
	// Trace says when the answer was sent; nil unless transcripts are kept or somebody watches the journal.
	Trace *Trace `json:"-"`

	revision int64 // revision is that of the journal when the entry was put last.

	body uint64        // body is the hash of Body; 0 if it is not known.
	kept *conversation // kept is the conversation that the request continues; nil unless it was kept.
	held int           // held is how many bytes of memory the request takes.
	sent *Sent         // sent counts what is sent while the answer is open; nil if the counts are those in Delivery.
}

// Sent counts how much of an answer was sent while it is open, with the meanings of the fields
// of [Delivery]. The goroutine that writes the answer and those that read the journal may use it
// at the same time.
type Sent struct{ Bytes, Frames, Step atomic.Int64 }

// Follow lets the journal show the counts of s as Bytes, Frames and Step of the entry's
// Delivery. Follow(nil) ends that, and stores the last counts there.
func (e *Entry) Follow(s *Sent) {
	if old := e.sent; old != nil {
		d := &e.Delivery
		d.Bytes, d.Frames, d.Step = old.Bytes.Load(), int(old.Frames.Load()), int(old.Step.Load())
	}
	e.sent = s
}

// shown returns a copy of the entry with its current counts. Its Body and Transcript have no
// spare capacity: what a user appends to them must not overwrite what the server appends.
func (e *Entry) shown() Entry {
	c := *e
	c.Follow(nil)
	c.Body, c.Transcript = slices.Clip(c.Body), slices.Clip(c.Transcript)
	if c.Delivery.Ended == EndedOpen {
		c.Delivery.Duration = time.Since(c.Time)
	}
	return c
}

// BelongsTo reports whether the request had the API key. Every entry belongs to "".
func (e *Entry) BelongsTo(apiKey string) bool { return apiKey == "" || e.APIKey == apiKey }

// Delivery says how much of an answer the client took, and how the answer ended. In JSON,
// times are in nanoseconds, as the names of the members say.
type Delivery struct {
	// Frames counts the frames that were written; one that is cut into pieces counts once.
	// Planned counts all frames of the answer.
	Frames  int `json:"frames"`
	Planned int `json:"planned"`
	// Bytes counts the bytes of the body that the connection took. While the answer is
	// open, Frames, Bytes and Step are the counts so far.
	Bytes int64 `json:"bytes"`
	// Step is the position of the last step that was written, from 0; -1 if none was.
	Step  int    `json:"step"`
	Ended Ending `json:"ended"`
	// End is the ending that the scenario asked for, if the answer ended so and not in order: cut, reset, stall …
	End string `json:"end,omitempty"`
	// CloseCode is the code with which the WebSocket connection closes after the answer, 1006 if it
	// breaks; 0 if it stays open, and over HTTP.
	CloseCode int `json:"close_code,omitempty"`
	// Duration is the time from the request to the end, or to now while the answer is open.
	Duration time.Duration `json:"duration_ns"`

	// First and Last are the times from the request to the end of the first and of the last
	// write of the body. They are 0 if there was no write, or no scenario answered.
	First time.Duration `json:"-"`
	Last  time.Duration `json:"-"`

	// Left says how the client left before the end; it is empty if the client stayed.
	// LeftAfter is the time from the request to when the server noticed that.
	Left      Departure     `json:"left,omitempty"`
	LeftAfter time.Duration `json:"left_after_ns,omitempty"`
	Stalls    Stalls        `json:"stalls,omitzero"`
	Unread    Unread        `json:"unread,omitzero"`

	// Protocol is the version of HTTP, such as HTTP/1.1 or HTTP/2.0, or WebSocket for a
	// turn of a WebSocket connection. The entry of a turn is otherwise that of a POST.
	Protocol string `json:"protocol"`
	// RequestNumber is the number of the request on its connection, from 1. Reused says
	// that it is above 1. A server that does not know its connections takes every request
	// for the first.
	RequestNumber int64 `json:"request_number"`
	Reused        bool  `json:"reused"`
	// Connection is the number of the WebSocket connection, from 1 since the server began; 0 over HTTP. Lane is the
	// stream id of the turn, "" if its message has none: turns of one lane are answered one after the other.
	Connection int64  `json:"connection,omitempty"`
	Lane       string `json:"lane,omitempty"`
}

// String describes the delivery in one line, for tests that print what they got. It leaves
// out what is zero.
func (d Delivery) String() string {
	text := fmt.Sprintf("%d of %d frames, %s after %s", d.Frames, d.Planned, d.Ended, d.Duration)
	if d.Left != "" {
		text += fmt.Sprintf(" (%s after %s)", d.Left, d.LeftAfter)
	}
	text += fmt.Sprintf("; %d bytes", d.Bytes)
	if d.Step >= 0 {
		text += fmt.Sprintf(", last step %d", d.Step)
	}
	if d.Last > 0 {
		text += fmt.Sprintf(", written from %s to %s", d.First, d.Last)
	}
	if d.Unread != (Unread{}) {
		text += fmt.Sprintf("; unread: %d frames, %d bytes", d.Unread.Frames, d.Unread.Bytes)
	}
	if d.Stalls.Count > 0 {
		text += fmt.Sprintf("; stalls: %d, the longest %s", d.Stalls.Count, d.Stalls.Longest)
	}
	if d.Protocol != "" {
		text += fmt.Sprintf("; request %d of its %s connection", d.RequestNumber, d.Protocol)
	}
	return text
}

// Write is one write of an answer's body: the frames that were due together.
type Write struct {
	Scenario string // Scenario is the name of the scenario that is played.
	First    bool   // First says that this is the first write of the body.
	// After is the time from the request to the end of the write.
	After time.Duration
	Gap   time.Duration // Gap is the time since the end of the previous write; 0 for the first.
	// Late is the time from when the write was due to when it began. Due times count anew
	// after a hold. A client that reads slowly makes later writes late.
	Late time.Duration
}

// TimeWrite records when a part of the body was written, counted from the request. First
// says that nothing of the body was written before it.
func (d *Delivery) TimeWrite(first bool, began, ended time.Duration) Write {
	w := Write{First: first, After: ended}
	if first {
		d.First = ended
	} else {
		w.Gap = ended - d.Last
	}
	d.Last = ended
	if took := ended - began; took >= stallLimit {
		d.Stalls.Count++
		d.Stalls.Longest = max(d.Stalls.Longest, took)
		d.Stalls.Total += took
	}
	return w
}

// Departure says how a client left.
type Departure string

// How a client can leave. A server can tell LeftFIN and LeftRST only for connections that
// it watches.
const (
	LeftFIN Departure = "fin" // LeftFIN says that the client closed the connection and had read all.
	// LeftRST says that the client reset the connection. Closing it with unread bytes
	// resets it, too.
	LeftRST Departure = "rst"
	// LeftHTTP2Cancel says that the client cancelled the stream of HTTP/2, with RST_STREAM.
	LeftHTTP2Cancel Departure = "http2_cancel"
	// LeftContext says that the request's context was cancelled, and that the server cannot
	// tell how the client left.
	LeftContext Departure = "context"
	// LeftDeadline says that a deadline of the HTTP server ended the request.
	LeftDeadline Departure = "deadline"
)

// Stalls counts the writes that took 10 ms or longer, because the client read slowly.
type Stalls struct {
	Count   int           `json:"count"`      // Count is the number of such writes.
	Longest time.Duration `json:"longest_ns"` // Longest is the time that the slowest write took.
	Total   time.Duration `json:"total_ns"`   // Total is the time that all such writes took.
}

// stallLimit is the duration from which on a write counts as a stall.
const stallLimit = 10 * time.Millisecond

// Unread is the part of an answer that the client did not get, because it left early or the
// server shut down.
type Unread struct {
	// Frames counts the frames that were planned and not written.
	Frames int `json:"frames"`
	// Bytes counts the bytes that were written but not delivered, with HTTP's framing: on
	// Linux those that the client's machine had not acknowledged, on a connection in memory
	// those that the client had not read. It is 0 where the server cannot know, as in HTTP/2.
	Bytes int64 `json:"bytes"`
}

// Ending says how an answer ended.
type Ending string

// How an answer can end.
const (
	// EndedComplete says that everything was sent and the body ended properly.
	EndedComplete Ending = "complete"
	// EndedAsAuthored says that the answer ended as the scenario's end asks for.
	EndedAsAuthored Ending = "as_authored"
	EndedByClient   Ending = "client_left" // EndedByClient says that the client left first.
	EndedByShutdown Ending = "shutdown"    // EndedByShutdown says that the server shut down.
	EndedOpen       Ending = "open"        // EndedOpen says that the answer has not ended.
)

// RetryAdvice is what an answer says about trying again.
type RetryAdvice struct {
	// RetryAfter is the pause that Retry-After-Ms or, without that, Retry-After asks for,
	// the latter in seconds or as a date; nil if neither does.
	RetryAfter *time.Duration `json:"retry_after_ns,omitempty"`
	// ShouldRetry is X-Should-Retry; nil if the answer has none.
	ShouldRetry *bool `json:"should_retry,omitempty"`
}

// AdviceIn returns the advice in an answer's header; nil if there is none. It reads the pause as
// the official clients do, and ignores one that they cannot read. Now is the clock for a date in
// Retry-After.
func AdviceIn(h http.Header, now func() time.Time) *RetryAdvice {
	var a RetryAdvice
	if text := h.Get("X-Should-Retry"); text == "true" || text == "false" {
		a.ShouldRetry = new(text == "true")
	}
	if text := h.Get("Retry-After"); text != "" {
		if seconds, err := strconv.ParseFloat(text, 64); err == nil {
			a.RetryAfter = inUnits(seconds, time.Second)
		} else if at, err := http.ParseTime(text); err == nil {
			a.RetryAfter = new(max(0, at.Sub(now())))
		}
	}
	if text := h.Get("Retry-After-Ms"); text != "" {
		if ms, err := strconv.ParseFloat(text, 64); err == nil {
			a.RetryAfter = inUnits(ms, time.Millisecond)
		}
	}
	if a == (RetryAdvice{}) {
		return nil
	}
	return new(a)
}

// inUnits returns the duration of n units; nil if it is negative, too long or not a number.
func inUnits(n float64, unit time.Duration) *time.Duration {
	const longest = 1e9 * float64(time.Second)
	if d := n * float64(unit); d >= 0 && d <= longest {
		return new(time.Duration(d))
	}
	return nil
}

// Shown is an entry in the form in which the endpoints of the journal show it as JSON.
type Shown struct {
	Entry
	Model  string `json:"model,omitempty"`  // Model is the model of the request or, if it names none, of the answer.
	Stream *bool  `json:"stream,omitempty"` // Stream says whether the request asks for a stream; nil if the body could not be parsed.
	Seed   int64  `json:"seed,omitempty"`   // Seed is that of the header field X-Fakeopenai-Seed.
	// Body is the body of the request: as JSON if it is JSON, as a text if it is UTF-8, or
	// else as bytes in base64.
	Body any `json:"body,omitempty"`
}

// Show returns an entry in the form for JSON.
func Show(e Entry) Shown {
	s := Shown{Entry: e}
	if e.Request != nil {
		s.Model, s.Stream, s.Seed = e.Request.Model, &e.Request.Stream, e.Request.Seed
	}
	switch {
	case len(e.Body) == 0:
	case json.Valid(e.Body):
		s.Body = json.RawMessage(e.Body)
	case utf8.Valid(e.Body):
		s.Body = string(e.Body)
	default:
		s.Body = e.Body
	}
	return s
}

// Masked returns the entry with masks in place of its secrets: the API key; secrets in the header, the path
// and the problem, such as cookies, ids of organisations and keys of a known form; and in the body the keys
// that the header and the path have. Equal secrets have equal masks. Transcript is not masked.
func (e Entry) Masked() Entry {
	m := secret.Of(e.Header, e.Path, e.APIKey)
	e.Path, e.Header, e.APIKey = m.Path(e.Path), m.Header(e.Header), secret.Mask(e.APIKey)
	e.Problem, e.Body = m.Text(e.Problem), m.Body(e.Body)
	e.Warnings = slices.Clone(e.Warnings)
	for i, text := range e.Warnings {
		e.Warnings[i] = m.Text(text)
	}
	if e.Request != nil {
		if model := m.Text(e.Request.Model); model != e.Request.Model {
			r := *e.Request
			r.Model, e.Request = model, &r
		}
	}
	return e
}

// Masked returns the call with masks in place of its secrets: see [Entry.Masked].
func (c Call) Masked() Call {
	m := secret.Of(c.header, c.Path, c.APIKey)
	c.Path, c.APIKey, c.Attempts = m.Path(c.Path), secret.Mask(c.APIKey), slices.Clone(c.Attempts)
	for i := range c.Attempts {
		c.Attempts[i].Accepted = m.Text(c.Attempts[i].Accepted)
	}
	return c
}

// MaskKey returns the mask of an API key, such as sk-…a1b2 (sha256:3f9c0d12).
func MaskKey(key string) string { return secret.Mask(key) }

// MaskPath returns a path with masks in place of the secrets that are known by their form or their name.
func MaskPath(path string) string { return secret.Of(nil, path, "").Path(path) }
