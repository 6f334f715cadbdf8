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
	ID                Opt[Text]   // default: chatcmpl- and 29 letters and digits drawn from the seed
	Object            Opt[Text]   // default: chat.completion.chunk
	Created           Opt[int64]  // seconds since 1970; default: when the answer began
	CreatedPerChunk   bool        // created: per_chunk; the time at which each chunk is sent
	Model             Opt[Text]   // default: the dated snapshot of the model that was asked for
	SystemFingerprint Opt[Text]   // default: fp_ and 10 hex digits, where the layout has it
	ServiceTier       Opt[Text]   // default: default, where the layout has it
	Layout            Layout      // default: by the model asked for
	Obfuscation       *bool       // false leaves the obfuscation member out even where the layout has it
	Extra             ojson.Value // an object: further members of every chunk
}

// Pace is the rhythm of an answer's chunks. The zero Pace sends everything at
// once. Pauses written at a step (After, Every, Wait) come in place of it.
type Pace struct {
	First           *time.Duration  // until the first chunk
	Every           *time.Duration  // between two chunks
	Jitter          *time.Duration  // each pause varies by up to this much, either way, drawn from the seed
	Distribution    string          // of the pauses: constant (the default), uniform, normal, gamma
	Recorded        []time.Duration // pauses taken in turn and from the start again, in place of Every
	TokensPerSecond float64         // in place of Every
	Speed           float64         // plays this many times as fast; 0 is as written, [Instant] leaves no pauses
}

// Instant is the [Pace.Speed] at which no pause is left.
const Instant = -1

// Wire is how a stream is laid out in bytes. Its zero value is what
// api.openai.com sends.
type Wire struct {
	Newline         string // lf (the default), crlf, cr or mixed
	BOM             *bool  // a byte order mark before the first byte
	Space           *bool  // false leaves out the space after a field's colon
	Split           *Split
	Coalesce        int            // this many events leave in one write; pauses between them are added up
	MultilineData   *bool          // an event's JSON is written over several data: lines
	CommentsBetween *Text          // a comment before each event
	EventName       *Text          // an event: line on each event
	IDs             *bool          // an id: line on each event, counted from 1
	UnknownID       *APIError      // answers a request to go on after an event that the stream does not have; nil starts anew
	Retry           *int           // a retry: line on the first event, in milliseconds
	FinalBlank      *bool          // false leaves out the blank line after the last event
	Done            *int           // how many [DONE] events close the stream; default 1
	AfterDone       *Text          // bytes sent after the last [DONE]
	JSONStyle       string         // compact (the default), spaced (as Python writes), ascii, pretty
	Gzip            string         // flush (a flush for each frame), buffer (all at the end), truncate
	GzipForced      bool           // compress even for a client that does not accept it
	Connection      string         // keep-alive, close, or close_on_reuse: open, but the next request on it gets no answer
	Length          string         // how the end of the body is told: chunked (the default) or close
	HeaderDelay     *time.Duration // the pause before the status line
	Drip            int            // the body flows at this many bytes per second; 0 is as fast as it can
	ContentType     *Text
	Headers         []Header
	Status          int    // default 200
	Format          string // sse (the default), json, ndjson: what is sent to a request that asks for a stream
	Body            *Text  // sent in place of the stream, as it is
	OnShutdown      []Step // wire steps sent to open streams when the server is shut down, before the body's orderly end
	Pos             diag.Pos
}

// Split is how the bytes of a stream are cut into separate writes. Exactly one
// way is set.
type Split struct {
	By   string        // byte, rune, inside_rune, crlf (between CR and LF), field (at each field boundary), random
	Size int           // or: into pieces of this many bytes
	Rune string        // with inside_rune: only inside this character
	Seed *int64        // with random: what the cuts are drawn from; nil is the scenario's seed
	Gap  time.Duration // the pause between two pieces; default 1ms, so that a reader sees them apart
	Pos  diag.Pos
}
