package scenarios

import (
	"regexp"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Scenario is one named answer, or row of answers, to the requests it matches:
// one YAML document. It is plain data; a [Set] makes it ready to play.
type Scenario struct {
	Name        string
	Description string
	Tags        []string
	Extends     string // the name of the scenario whose replies this one takes over
	When        When
	Replies     []Reply // in order; the first that matches and is not used up answers
	Seed        *int64  // of everything drawn by chance; nil takes the server's
	Strict      *bool   // check requests as api.openai.com does; nil takes the server's choice
	// CheckHistory refuses requests whose messages cannot be how a conversation
	// went. Nil takes the server's choice.
	CheckHistory *bool
	Quirks       []Quirk
	Manner
	Pos diag.Pos
}

// Quirk is the name of a lint rule that a scenario breaks on purpose.
type Quirk struct {
	Rule string
	Pos  diag.Pos
}

// Reply is one answer of a scenario: a condition, and exactly one of Message,
// Stream and Error.
type Reply struct {
	When    When
	Times   int       // how often it is given to each API key; 0 is without limit
	Message *Message  // what the finished answer is; its stream is derived
	Stream  *[]Step   // every chunk, as written
	Error   *APIError // an HTTP error instead of an answer
	Manner            // laid over the scenario's
	Pos     diag.Pos
}

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

// Layout names one of the real service's ways to lay out a chunk: which members
// there are, in which order, and which of them are null. See [Layouts].
type Layout string

// Step is one line of a stream. A chunk step says what one chunk holds; its
// parts (Role, Content, Finish ...) may be combined in one step and then share
// a chunk. Parts that expand (ToolCall, CustomTool, FunctionCall, Text, Fake)
// become several chunks: the other parts of the step go with the first of them,
// Finish and Usage with the last. Wire and time steps stand alone.
type Step struct {
	// Parts of a chunk, under the names they have in the API.
	Role         Opt[Text]
	Content      Opt[Text]
	Refusal      Opt[Text]
	Reasoning    *Reasoning
	ToolCall     *ToolCall    // expands: an opening chunk, then its arguments in pieces
	ToolCalls    *ojson.Value // the delta's tool_calls, literally
	CustomTool   *ToolCall    // expands, as ToolCall; Arguments is the tool's input
	FunctionCall *ToolCall    // expands, as ToolCall; has no id
	Audio        *ojson.Value // the delta's audio, literally
	Annotations  *ojson.Value // the delta's annotations, literally
	Logprobs     *Logprobs
	Heartbeat    int // this many chunks with an empty delta
	Finish       Opt[Text]
	Usage        *Usage
	Text         *CutText     // expands: a text cut into content chunks
	Fake         *Fake        // expands: generated content
	Delta        *ojson.Value // the whole delta, literally
	Chunk        *ojson.Value // the whole chunk, literally; not even the envelope is added

	// Modifiers of a chunk step.
	Pieces    Pieces         // how an expanding call's arguments are cut
	Choice    int            // the index of the choice
	After     *time.Duration // a pause before its first chunk, in place of the pace's
	Every     *time.Duration // the pause between its chunks, in place of the pace's
	Jitter    *time.Duration // each of its pauses varies by up to this much, either way
	Repeat    int            // sends it this many times; 0 is once
	Extra     ojson.Value    // an object: members merged into the chunk
	Omit      []Path         // places taken out of the finished chunk
	Set       []Assignment   // places overwritten in the finished chunk
	WhenAsked bool           // send usage and logprobs only to a request that asks for them

	// Wire steps.
	Comment *Text      // an SSE comment line
	Raw     *Text      // bytes as written
	Event   *Event     // an SSE event, field by field
	Error   *ErrorStep // an error object in mid-stream
	Done    *bool      // true sends [DONE] here; with any Done step the closing [DONE] is not added

	// Time steps.
	Wait *time.Duration
	Hold string // wait until the test or a call to /_fake/holds releases it

	Pos diag.Pos
}

// Opt is a value that may be left out or null. The zero Opt is left out.
type Opt[T any] struct {
	Present bool
	Null    bool
	Value   T
}

// Some is a present value.
func Some[T any](v T) Opt[T] { return Opt[T]{Present: true, Value: v} }

// NullOf is a present null.
func NullOf[T any]() Opt[T] { return Opt[T]{Present: true, Null: true} }

// Text is a text of a scenario. It may hold template actions in {{ }}, which
// see the request (see the section Templates of the language reference), or be a size: Repeat
// written again and again until it is Bytes long.
type Text struct {
	Source string
	Repeat string // the unit of a generated text; Source is empty then
	Bytes  int64  // the length of a generated text
	Pos    diag.Pos

	Literal bool // Source is no template, whatever it holds
}

// Path is a place in a chunk, such as choices[0].delta.content. A path that
// starts with delta, finish_reason or logprobs is looked up in the chunk's
// choice.
type Path struct {
	ojson.Path
	Pos diag.Pos
}

// Assignment puts a value at a place in a chunk.
type Assignment struct {
	Path  Path
	Value ojson.Value
}

// Reasoning is a piece of the reasoning text that other providers stream.
// api.openai.com has no such member.
type Reasoning struct {
	Text  Opt[Text]
	Field string // the member's name: reasoning_content (the default) or reasoning
	Pos   diag.Pos
}

// ToolCall is a call of a function tool, a custom tool or a legacy function.
type ToolCall struct {
	ID        Opt[Text] // default: call_ and 24 letters and digits drawn from the seed
	Index     *int      // default: the next one of the choice
	Name      Opt[Text]
	Arguments Arguments
	Pos       diag.Pos
}

// Arguments are the arguments of a call: JSON text with templates, a value that
// becomes JSON, or a value invented to satisfy the schema of the offered tool.
type Arguments struct {
	Text  Opt[Text]
	Value *ojson.Value // its texts may hold templates
	Fake  bool         // satisfy the parameters schema of the tool in the request
}

// Pieces is how the arguments of a call are cut into chunks. The zero Pieces
// cuts like the real service, into pieces of a few characters.
type Pieces struct {
	Present bool
	Count   int    // that many pieces of about the same length; 0 puts all of it in the opening chunk
	Texts   []Text // or exactly these pieces
	Pos     diag.Pos
}

// Logprobs are the token log-probabilities of a chunk or message.
type Logprobs struct {
	Null     bool         // logprobs: null
	Generate bool         // logprobs: true; invented for the text of the chunk
	Off      bool         // logprobs: false; none, even when the request asks
	Content  *ojson.Value // a list of token entries, or null
	Refusal  *ojson.Value // the same for refusal tokens
	Pos      diag.Pos
}

// Usage is the usage object. Members that are left out are filled in as the
// real service would: the total as the sum, the details as zeros.
type Usage struct {
	Null   bool
	Object ojson.Value
	Pos    diag.Pos
}

// CutText is a text and the way it is cut into chunks.
type CutText struct {
	Text Text
	By   Cut
	Pos  diag.Pos
}

// Cut is how a text is cut: by "token" (the default: words with the space before
// them, as a tokenizer would), "word", "rune", "line", "all" (one piece), or
// into pieces of Size characters.
type Cut struct {
	Unit string
	Size int
}

// Fake is generated content. Exactly one of its sources is set.
type Fake struct {
	Words      int    // that many words
	Sentences  int    // that many sentences
	Paragraphs int    // that many paragraphs
	Template   string // a gofakeit template
	JSONSchema *JSONSchema
	By         Cut
	Pos        diag.Pos
}

// JSONSchema asks for a JSON text that satisfies a schema.
type JSONSchema struct {
	FromRequest bool        // the schema in the request's response_format
	Schema      ojson.Value // or this one
}

// Event is an SSE event, field by field. Fields that are not present are not
// written.
type Event struct {
	Event Opt[Text]
	ID    Opt[Text]
	Retry Opt[Text] // text, so that a retry that is no number can be sent
	Data  Opt[Text] // each line of it becomes a data: line
	Pos   diag.Pos
}

// ErrorStep is an error object in mid-stream: data: {"error":{...}}.
type ErrorStep struct {
	APIError
	Event string // also write an "event:" line with this name
	Close bool   // end the stream after it, without [DONE]
}

// APIError is OpenAI's error object and, where it answers instead of a stream,
// the HTTP response around it.
type APIError struct {
	Status     int // default 500
	Message    Opt[Text]
	Type       Opt[Text] // default: what the real service sends with the status
	Param      Opt[Text] // default: null
	Code       Opt[Text] // default: null
	RetryAfter *time.Duration
	Headers    []Header
	Body       *Text       // sent instead of an error object, as it is
	Extra      ojson.Value // an object: further members of the error object
	Pos        diag.Pos
}

// Header is an HTTP header field.
type Header struct {
	Name  string
	Value Text
}

// Message is the finished answer. The server derives from it the stream that
// the real service would send.
type Message struct {
	Content         Opt[Text]
	Fake            *Fake // generated content, in place of Content
	Refusal         Opt[Text]
	Reasoning       *Reasoning
	ToolCalls       []ToolCall
	CustomToolCalls []ToolCall
	FunctionCall    *ToolCall
	Audio           *Audio
	Annotations     *ojson.Value
	Logprobs        *Logprobs // nil: generated when the request asks
	Finish          Opt[Text] // default: what follows from the content
	Usage           *Usage    // nil: counted
	Choices         []Message // n > 1: one for each choice; the rest of the message is empty then
	By              Cut
	Pos             diag.Pos
}

// Audio is a spoken answer.
type Audio struct {
	ID         Opt[Text] // default: audio_ and 32 hex digits drawn from the seed
	Transcript Text
	Data       string // base64; default: silence as long as the transcript takes to say
	ExpiresAt  Opt[int64]
	Pos        diag.Pos
}

// When is a condition on a request. All its members must hold; the zero When
// holds for every request.
type When struct {
	Model      string // a glob: * stands for any text, ? for one character
	Surface    string // chat or completions
	Stream     *bool
	User       *TextMatch // the last user message
	System     *TextMatch // the system or developer messages
	Messages   *TextMatch // any message
	Tools      []string   // all of these tools are offered
	ToolResult *ToolResultMatch
	Turn       int // 1 + the number of assistant messages in the request
	Header     []HeaderMatch
	APIKey     *TextMatch
	Body       []BodyMatch
	Attempt    int // 1 for the first request with this body and API key, 2 for its first retry ...
	Pos        diag.Pos
}

// TextMatch is a condition on a text. Exactly one member is set.
type TextMatch struct {
	Equals   *string
	Contains *string
	Matches  *regexp.Regexp // its named groups, (?P<city>\w+), are what templates see as .match
	Pos      diag.Pos
}

// ToolResultMatch holds when the request brings the result of a call.
type ToolResultMatch struct {
	ID      string     // the tool_call_id; "" is any
	Content *TextMatch // nil is any
}

// HeaderMatch is a condition on a request header. A nil Match asks only that
// the header is there.
type HeaderMatch struct {
	Name  string
	Match *TextMatch
}

// BodyMatch is a condition on a place in the request's JSON body.
type BodyMatch struct {
	Path   Path
	Equals *ojson.Value // this value
	Match  *TextMatch   // or a text like this
	Exists *bool        // or: there is, or is not, such a place
}

// Call is the call that the step holds, of whichever kind, or nil.
func (st *Step) Call() *ToolCall {
	for _, c := range []*ToolCall{st.ToolCall, st.CustomTool, st.FunctionCall} {
		if c != nil {
			return c
		}
	}
	return nil
}
