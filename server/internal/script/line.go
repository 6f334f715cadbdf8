package script

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Kind names what a line of a stream is; damage and reports use these words.
type Kind string

// The kinds of lines. A chunk that holds several things has the kind of the
// first of them in this order.
const (
	KindFinish    Kind = "finish"
	KindUsage     Kind = "usage" // a chunk with nothing but usage
	KindTool      Kind = "tool"
	KindContent   Kind = "content"
	KindRefusal   Kind = "refusal"
	KindReasoning Kind = "reasoning"
	KindAudio     Kind = "audio"
	KindRole      Kind = "role"
	KindHeartbeat Kind = "heartbeat" // a chunk with an empty delta
	KindChunk     Kind = "chunk"     // any other chunk
	KindComment   Kind = "comment"
	KindRaw       Kind = "raw"
	KindEvent     Kind = "event"
	KindError     Kind = "error"
	KindDone      Kind = "done"
	KindWait      Kind = "wait"
	KindHold      Kind = "hold"
)

// Line is a step brought into its final form: exactly one chunk, wire event or
// pause, with every text rendered, every generator run and every expansion
// done. What remains is the surface's business: the envelope, the layout and
// the framing.
type Line struct {
	Kind Kind
	Step int // the position in the reply's stream of the step it came from
	Pos  diag.Pos

	// When: Gap is the pause before the line that the step asks for; nil leaves
	// it to the pace. Jitter is how far that pause varies.
	Gap    *time.Duration
	Jitter time.Duration

	// A chunk.
	Choice   int
	Delta    ojson.Value // an object in the terms of chat completions, or Absent
	Literal  bool        // Delta is exactly as authored: the layout adds no members to it
	Logprobs ojson.Value // null, an object, or Absent
	Finish   scenarios.Opt[string]
	Usage    ojson.Value // null, an object, or Absent
	Chunk    ojson.Value // the whole chunk as authored, without even the envelope; or Absent
	Extra    ojson.Value
	Omit     []scenarios.Path
	Set      []scenarios.Assignment

	// A wire event: the text of a comment, the bytes of a raw step, or an event's
	// data (not split into lines yet).
	Text   string
	Fill   *Fill // the bytes of a raw step, in place of Text
	Event  Fields
	Error  ojson.Value // the error object
	Close  bool        // the stream ends after this error, without [DONE]
	Status int         // the HTTP status of the error, where it is the whole answer; 0 is 500
	Hold   string

	// Templated says that a template took part in the line, so that what it says
	// is known only once there is a request.
	Templated bool
}

// Fields are the fields of an SSE event, rendered.
type Fields struct {
	Event, ID, Retry, Data scenarios.Opt[string]
}

// IsChunk reports whether the line is a chunk, in contrast to a wire event or a
// pause.
func (l *Line) IsChunk() bool {
	switch l.Kind {
	case KindComment, KindRaw, KindEvent, KindError, KindDone, KindWait, KindHold:
		return false
	}
	return true
}

// Ask is what a request wants to have in its answer. Together with a reply it
// decides the lines, apart from what templates make of the request's texts.
type Ask struct {
	Layout      scenarios.Layout
	N           int  // how many choices; 0 is 1
	Usage       bool // stream_options.include_usage
	Logprobs    bool
	TopLogprobs int
	Fold        bool // the answer is not streamed: usage is always wanted
}

// Holes are values that differ from request to request although nothing else in
// a line does: lines name them with [ojson.Hole], the server fills them in.
const (
	HoleID           uint8 = iota // the completion's id
	HoleCreated                   // when it was made
	HoleModel                     // the model that answers
	HoleFingerprint               // the system_fingerprint
	HoleObfuscation               // the padding of a chunk
	HolePromptTokens              // the number of tokens of the request
	HoleTotalTokens               // that and the answer's
	HoleServiceTier               // the tier that served the request
	HoleDrawn        uint8 = 32   // this and following: ids of calls and audio, in order of appearance
	HoleFill         uint8 = 224  // this and following: texts that are too large to be held
)

// DrawnID is an id that a request draws from the seed: Prefix, then N
// characters of Alphabet.
type DrawnID struct {
	Prefix   string
	Alphabet string
	N        int
}

// Lines is a reply made ready for one [Ask].
type Lines struct {
	Layout           scenarios.Layout // the ask's, or the one that the message calls for
	Lines            []Line
	Drawn            []DrawnID // fills HoleDrawn, HoleDrawn+1, ...
	Fills            []Fill    // for HoleFill, HoleFill+1, ...
	CompletionTokens int       // for HoleTotalTokens
	Static           bool      // the same for every request with this Ask
	OwnDone          bool      // the reply says itself where [DONE] stands; the closing one is not added
}
