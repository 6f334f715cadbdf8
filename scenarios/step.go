package scenarios

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

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

// Call is the call that the step holds, of whichever kind, or nil.
func (st *Step) Call() *ToolCall {
	for _, c := range []*ToolCall{st.ToolCall, st.CustomTool, st.FunctionCall} {
		if c != nil {
			return c
		}
	}
	return nil
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
