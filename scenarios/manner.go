package scenarios

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Manner is how an answer is spoken: everything but what it says.
// A reply's manner is laid over its scenario's, member by member.
type Manner struct {
	Envelope Envelope
	Pace     Pace
	Wire     Wire
	Damage   []Damage
	End      End
}

// Envelope is the members that every chunk of an answer carries.
type Envelope struct {
	ID              Opt[Text]  // ID is by default chatcmpl- and 29 letters and digits drawn from the seed.
	Object          Opt[Text]  // Object is by default chat.completion.chunk.
	Created         Opt[int64] // Created is in seconds since 1970, by default when the answer began.
	CreatedPerChunk bool       // CreatedPerChunk gives each chunk the time at which it is sent.
	// CreatedAs is a number that is not whole, or a text, in place of Created.
	CreatedAs ojson.Value
	Model     Opt[Text] // Model is by default the dated snapshot of the model that was asked for.
	// SystemFingerprint is by default fp_ and 10 hex digits, where the layout
	// has it.
	SystemFingerprint Opt[Text]
	// ServiceTier is by default the word default, where the layout has it.
	ServiceTier Opt[Text]
	Layout      Layout // Layout follows by default from the model that was asked for.
	// Obfuscation leaves the obfuscation member out if it is false, even where
	// the layout has it.
	Obfuscation *bool
	// Obfuscations are the values of that member, chunk after chunk, in place of
	// those that are drawn.
	Obfuscations []string
	// UsageNull writes usage: null on the chunks that have no usage, or leaves it out
	// if it is false; nil leaves it to the request.
	UsageNull *bool
	// SequenceNumber is how the events of responses are numbered; nil is from 0, one
	// by one.
	SequenceNumber *Numbering
	// ItemIDs are the ids of the items of an answer of the Responses API, in their
	// order; those of items beyond them are drawn.
	ItemIDs []string
	Extra   ojson.Value // Extra is an object with further members of every chunk.
	// Order are names of members in the order in which they stand in every chunk, in its
	// choices and in their deltas; other members follow them.
	Order []string
	// Omit are places taken out of every finished chunk and of the whole answer. A
	// path that starts with message is looked up in each choice of a whole answer.
	Omit []Path
	// Set are places overwritten in every finished chunk and in the whole answer,
	// where there is something around them; in addition to Step.Set, which wins.
	Set []Assignment
	// Response is how an answer of the Responses API stands in the end; nil is as its
	// steps say.
	Response *Response
	At       Places
}

// Places says where the words of a section stand in a file.
type Places map[string]diag.Pos

// Response is how an answer of the Responses API stands in the end, where its finish
// does not say it.
type Response struct {
	// Status is completed, incomplete, failed or cancelled; or queued, for a stream
	// that begins so and an answer in one piece that has not begun. "" is incomplete
	// beside IncompleteDetails, and failed beside Error.
	Status string
	// IncompleteDetails is an object that says why the answer is incomplete; Absent is
	// the reason that follows from the finish, or max_output_tokens.
	IncompleteDetails ojson.Value
	// Error is an object that says why the answer failed. A code that is left out is
	// server_error, a message what the real service says with the code.
	Error ojson.Value
	Pos   diag.Pos
}

// Ends returns the status of the finished answer; "" if the finish reason decides it.
func (r *Response) Ends() string {
	switch {
	case r == nil || r.Status == ResponseQueued:
		return ""
	case r.Status != "":
		return r.Status
	case !r.Error.IsAbsent():
		return ResponseFailed
	}
	return ResponseIncomplete
}

// The statuses of an answer of the Responses API that [Response] can name.
const (
	ResponseCompleted  = "completed"
	ResponseIncomplete = "incomplete"
	ResponseFailed     = "failed"
	ResponseCancelled  = "cancelled"
	ResponseQueued     = "queued"
)

// Numbering is a row of numbers: Start, then Step more each time. Each event keeps its number under damage.
type Numbering struct{ Start, Step int }

// Pace is the rhythm of an answer's chunks. The zero Pace sends everything at
// once. Pauses written at a step (After, Every, Wait) come in place of it. What is
// drawn is drawn anew for each request and each of its attempts, from the seed.
type Pace struct {
	First *First         // First is the pause before the first chunk.
	Every *time.Duration // Every is the pause between two chunks, or between two bursts.
	// Jitter is by how much each pause varies at most, either way; of pauses that are
	// normal, lognormal or gamma it is the standard deviation.
	Jitter *time.Duration
	// Distribution is how pauses are drawn: constant (the default), uniform,
	// normal, lognormal or gamma. The first has its own.
	Distribution string
	// Recorded are pauses in place of Every, taken in turn and then from the
	// start again.
	Recorded []time.Duration
	// Per is what the pauses are between: chunk (the default), or event, where a
	// chunk becomes several events.
	Per   string
	Burst *Bounds // Burst is how many chunks leave at once, all numbers being as likely; nil is one.
	// Speed plays this many times as fast; 0 is as written, [Instant] leaves no
	// pauses.
	Speed float64
	At    Places
}

// First is the pause before the first chunk of an answer, which clients see as the
// time to first token.
type First struct {
	Mean time.Duration // Mean is the mean of the pauses that are drawn.
	// Jitter is as in [Pace]; nil is that of the pace, unless Distribution is set.
	Jitter       *time.Duration
	Distribution string // Distribution is as in [Pace].
}

// Bounds is a number from Min to Max.
type Bounds struct{ Min, Max int }

// Instant is the [Pace.Speed] at which no pause is left.
const Instant = -1

// Wire is how a stream is laid out in bytes. Its zero value is what
// api.openai.com sends.
type Wire struct {
	Newline string // Newline is what ends a line: lf (the default), crlf, cr or mixed.
	// Newlines is what ends the lines of an event, and what its blank line: two words of lf, crlf and cr, in place
	// of Newline.
	Newlines [2]string
	BOM      *bool  // BOM writes a byte order mark before the first byte.
	Space    *bool  // Space leaves out the space after a field's colon if it is false.
	Split    *Split // Split cuts the bytes into separate writes; nil does not.
	// Coalesce is how many events leave in one write; the pauses between them
	// are added up.
	Coalesce        int
	MultilineData   *bool     // MultilineData writes each member of an event's JSON on a data: line of its own.
	DataLines       int       // DataLines is over how many data: lines JSON is written, in place of MultilineData.
	CommentsBetween *Text     // CommentsBetween is a comment before each event.
	EventName       Opt[Text] // EventName writes an event: line on each event; null leaves out those that the API writes.
	IDs             *EventIDs // IDs writes an id: line on each event; nil writes none.
	Retry           *int      // Retry writes a retry: line on the first event, in milliseconds.
	// FinalBlank leaves out the blank line after the last event if it is false.
	FinalBlank *bool
	Done       *int // Done is how many [DONE] events close the stream; nil is one.
	// JSONStyle is how JSON is laid out; nil is compact in a stream, and indented by
	// two spaces in an answer of one piece and in an error.
	JSONStyle *JSONStyle
	// Gzip is how the body is compressed: flush writes each frame out at once, buffer
	// writes all at the end, truncate leaves out the end; "" is not at all.
	Gzip       string
	GzipForced bool // GzipForced compresses even for a client that does not accept it.
	// Connection is keep-alive (the default), close, or close_on_reuse: it stays
	// open, but the next request on it gets no answer.
	Connection  string
	Length      string         // Length is how the end of the body is told: chunked (the default) or close.
	HeaderDelay *time.Duration // HeaderDelay is the pause before the status line.
	Drip        int            // Drip is how many bytes of the body flow in a second; 0 is without limit.
	ContentType *Text          // ContentType is the Content-Type header, by default that of the format.
	Headers     []Header       // Headers are further fields of the response's header.
	Status      int            // Status is the HTTP status; 0 is 200.
	// Format is what is sent, whatever the request asks for: sse, json or ndjson;
	// "" is sse to a request for a stream and json to others.
	Format string
	Body   *Body // Body is sent in place of the answer, as it is.
	// OnShutdown are wire steps that open streams get when the server is shut
	// down, before the body's orderly end.
	OnShutdown []Step
	Pos        diag.Pos
	At         Places
}

// Body is what is sent in place of an answer: a text, JSON, or the bytes of a file.
type Body struct {
	Text Text        // Text is sent if there is no JSON. The text of a file is literal.
	JSON ojson.Value // JSON is laid out as Wire.JSONStyle says; its texts can be templates.
	// File is the file that Text was read from: a path that is relative to the directory of the scenario's own
	// file, with slashes. [yamlfile.Load] reads it; a scenario made in Go has the bytes in Text.
	File string
	Pos  diag.Pos
}

// IsRead reports whether the bytes of the body are there.
func (b *Body) IsRead() bool { return b.File == "" || b.Text.Literal }

// JSONStyle is how JSON is laid out. Its zero value is compact: one line without
// spaces, and no escapes but those that JSON asks for.
type JSONStyle struct {
	Spaces  bool   // Spaces writes a space after commas and colons; it goes without Indent.
	Escapes string // Escapes is none (the default), ascii (all beyond ASCII as \u) or html (<, >, & as \u).
	Indent  int    // Indent writes several lines, indented by this many spaces for each level.
	Pos     diag.Pos
}

// EventIDs is how the events of a stream get their ids.
type EventIDs struct {
	// By is count (the default: 1, 2, 3 ...), hash (a hash of that number:
	// 12 hexadecimal digits, which tell a client nothing) or none.
	By  string
	Pos diag.Pos
}

// StepWire is how the events of one step are laid out in bytes. What it leaves
// out is as the manner's [Wire] says.
type StepWire struct {
	// Frames is which of the step's events it is for, as in [Damage]: those of a kind such as
	// content, or of a name such as response.output_text.delta. "" is all of them.
	Frames        string
	Comment       Opt[Text] // Comment is a comment line before the event's fields, with no blank line between.
	Event         Opt[Text] // Event is the event's name; null leaves out the one that the API writes.
	ID            Opt[Text]
	Retry         Opt[Text]  // Retry is a text, so that a retry that is no number can be sent.
	Newline       string     // Newline is as in [Wire].
	Newlines      [2]string  // Newlines is as in [Wire].
	Space         *bool      // Space is as in [Wire].
	MultilineData *bool      // MultilineData is as in [Wire].
	DataLines     int        // DataLines is as in [Wire].
	JSONStyle     *JSONStyle // JSONStyle is as in [Wire].
	Pos           diag.Pos
}

// Split is how the bytes of a stream are cut into separate writes. Exactly one of
// By, Size and At is set.
type Split struct {
	// By is where the cuts are: byte, rune, inside_rune, crlf (between CR and
	// LF), field (at each field's boundary), inside_chunk (in the framing of HTTP/1.1 without TLS) or random.
	By string
	// Size cuts into pieces of this many bytes, in place of By. Like random, it
	// cuts events that are due together as one.
	Size int
	// At cuts after these numbers of bytes of the body, in rising order, in place of
	// By. Events that are due together otherwise share a write.
	At   []int64
	Seed *int64 // Seed is what random cuts are drawn from; nil is the scenario's seed.
	// Gap is the pause between two pieces; 0 is 1ms, so that a reader sees them
	// apart.
	Gap time.Duration
	Pos diag.Pos
}
