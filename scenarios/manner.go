package scenarios

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

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

// Damage is one thing that goes wrong on the way, applied to the finished
// frames. Op says which, Frames where.
type Damage struct {
	Op     string // drop, duplicate, swap, rename, retype, corrupt
	Frames Selector
	With   Selector // swap: the other frame
	From   Path     // rename: the member that gets another name; retype: the place
	To     string   // rename: the new name; retype: string, number, bool, null, array, object, or absent
	Bytes  int      // corrupt: how many bytes; default 1
	Chance *float64 // drawn from the seed, for each frame; nil is always
	Pos    diag.Pos
}

// Selector picks frames: by position (1 is the first, -1 the last), by kind, or
// all.
type Selector struct {
	Position int
	Kind     string // role, content, refusal, reasoning, tool, logprobs, heartbeat, finish, usage, error, comment, done, all
	Pos      diag.Pos
}

// End is how a stream ends. The zero End is the real service's: [DONE], then
// the orderly end of the HTTP body.
type End struct {
	Kind  EndKind
	After *int          // whole frames that are sent before; negative counts from the last
	Byte  *int64        // or: bytes of the body that are sent before
	For   time.Duration // stall, linger: how long; default 60s
	// cut: also send HTTP's own final chunk, so that the body looks complete
	FinalChunk bool
	Inside     *bool    // cut: false ends between two frames
	Reset      bool     // refuse: by a reset
	Chance     *float64 // drawn from the seed; nil is always
	Pos        diag.Pos
}

// EndKind names an ending.
type EndKind string

// The endings.
const (
	EndClose  EndKind = "close"  // orderly, but without [DONE]; a message also without its finish
	EndCut    EndKind = "cut"    // inside an event; the connection closes without HTTP's final chunk
	EndReset  EndKind = "reset"  // TCP RST
	EndStall  EndKind = "stall"  // silence, then the connection closes
	EndLinger EndKind = "linger" // all is sent, but the connection stays open
	EndRefuse EndKind = "refuse" // the connection closes before any answer
)

// Layouts are the chunk layouts that envelope.layout can name, with the model
// family that each was recorded from.
var Layouts = []struct {
	Name  Layout
	About string
}{
	{LayoutGPT4o, "gpt-4o, gpt-4.1 and what is not named below"},
	{LayoutParallel, "the same models when they make parallel calls: usage stands before choices"},
	{LayoutReasoning, "gpt-5, o1, o3, o4: no logprobs member, system_fingerprint null"},
	{LayoutSearch, "search-preview models: no service_tier, no logprobs, no obfuscation"},
	{Layout2024, "recordings of 2024: no service_tier, no obfuscation"},
	{LayoutAudio, "audio models: choices have no logprobs member"},
	{LayoutAzure, "Azure OpenAI: members in alphabetical order, a first chunk with prompt_filter_results"},
	{LayoutMinimal, "id, object, created, model, choices and nothing else, as compatible servers send"},
}

// The chunk layouts.
const (
	LayoutGPT4o     Layout = "gpt-4o"
	LayoutParallel  Layout = "parallel-calls"
	LayoutReasoning Layout = "reasoning"
	LayoutSearch    Layout = "search-preview"
	Layout2024      Layout = "2024"
	LayoutAudio     Layout = "audio"
	LayoutAzure     Layout = "azure"
	LayoutMinimal   Layout = "minimal"
)
