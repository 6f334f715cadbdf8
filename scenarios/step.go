package scenarios

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Step is one entry of a stream. A chunk step says what one chunk contains; several
// parts (Role, Content, Finish ...) in one step share a chunk. ToolCall, CustomTool,
// FunctionCall, Text and Fake become several chunks: the other parts of the step are
// in the first of them, Finish and Usage in the last. A step with a wire part or a
// time part has no other parts.
type Step struct {
	// Parts of a chunk, named as in the API.
	Role      Opt[Text]
	Content   Opt[Text]
	Refusal   Opt[Text]
	Reasoning *Reasoning
	ToolCall  *ToolCall    // ToolCall becomes a chunk that opens the call, then chunks with pieces of its arguments.
	ToolCalls *ojson.Value // ToolCalls is the delta's tool_calls, literally.
	// CustomTool becomes chunks as ToolCall does; its Arguments are the tool's input.
	CustomTool   *ToolCall
	FunctionCall *ToolCall // FunctionCall becomes chunks as ToolCall does; it has no id.
	// Fragments are fragments of calls, all sent in one chunk.
	Fragments   []CallFragment
	Audio       *ojson.Value // Audio is the delta's audio, literally.
	Annotations *ojson.Value // Annotations are the delta's annotations, literally.
	Item        *Item        // Item is an output item of the Responses API; it stands alone in its step.
	Logprobs    *Logprobs
	Heartbeat   int // Heartbeat is the number of chunks with an empty delta.
	Finish      Opt[Text]
	Usage       *Usage
	Text        *CutText     // Text is cut into several chunks of content.
	Fake        *Fake        // Fake is generated content, cut into several chunks.
	Delta       *ojson.Value // Delta is the whole delta, literally.
	Chunk       *ojson.Value // Chunk is the whole chunk, literally, without the members of the envelope.
	// Next is "part" if the step's text begins another part of the message, which only
	// the Responses API has; "" continues the part that is open.
	Next string

	// Modifiers of a chunk step.
	Pieces Pieces // Pieces is how the arguments of ToolCall, CustomTool or FunctionCall are cut.
	Choice int    // Choice is the index of the choice.
	// After is the pause before the step's first chunk, instead of that of the pace.
	After *time.Duration
	// Every is the pause between the step's chunks, instead of that of the pace.
	Every *time.Duration
	// Jitter is the largest amount by which a pause of the step is longer or shorter.
	Jitter    *time.Duration
	Repeat    int          // Repeat is how many times the step is sent; 0 is once.
	Extra     ojson.Value  // Extra is an object whose members are merged into the chunk.
	Omit      []Path       // Omit are places that are removed from the finished chunk.
	Set       []Assignment // Set are places that are overwritten in the finished chunk.
	WhenAsked bool         // WhenAsked sends usage and logprobs only if the request asks for them.
	// Wire is how the step's events are laid out in bytes. Beside Comment and Event
	// only Newline, Newlines and Space of it can be set.
	Wire *StepWire
	// Quirks are the lint rules that this step breaks on purpose.
	Quirks []Quirk

	// Wire steps.
	Comment *Text      // Comment is an SSE comment line.
	Raw     *Text      // Raw is sent as written, without framing.
	Event   *Event     // Event is an SSE event, field by field.
	Error   *ErrorStep // Error is an error object in mid-stream.
	// Done sends [DONE] here if it is true. A stream with a Done step, true or false,
	// gets no [DONE] at its end.
	Done *bool

	// Time steps.
	Wait *time.Duration // Wait is a pause.
	// Hold is the name of a hold: the stream waits here until the test, or a call to
	// /_fake/holds, releases it.
	Hold string
	// Until is what the stream waits for in place of a release alone; nil for nothing.
	Until *Until

	Pos diag.Pos
}

// Call returns ToolCall, CustomTool or FunctionCall, whichever is set, or nil.
func (st *Step) Call() *ToolCall {
	for _, c := range []*ToolCall{st.ToolCall, st.CustomTool, st.FunctionCall} {
		if c != nil {
			return c
		}
	}
	return nil
}

// found is what each request asks about all steps of a reply.
type found struct {
	calls []*ToolCall
	waits []*Until
}

// find walks the steps, unless the reply is in a set, which keeps what it found.
func (r *Reply) find() *found {
	if r.found != nil {
		return r.found
	}
	f := &found{}
	if m := r.Message; m != nil {
		f.calls = m.calls(nil)
	}
	if r.Stream == nil {
		return f
	}
	for i := range *r.Stream {
		st := &(*r.Stream)[i]
		if c := st.Call(); c != nil {
			f.calls = append(f.calls, c)
		}
		if st.Until != nil {
			f.waits = append(f.waits, st.Until)
		}
	}
	return f
}

// AsWritten returns the reply without what checks and sets have added.
func (r *Reply) AsWritten() Reply {
	written := *r
	written.RefusedOn, written.Notes, written.found = nil, nil, nil
	return written
}

// Calls returns the calls of tools and functions in the reply.
func (r *Reply) Calls() []*ToolCall { return r.find().calls }

func (m *Message) calls(list []*ToolCall) []*ToolCall {
	for _, calls := range [][]ToolCall{m.ToolCalls, m.CustomToolCalls} {
		for i := range calls {
			list = append(list, &calls[i])
		}
	}
	if m.FunctionCall != nil {
		list = append(list, m.FunctionCall)
	}
	for i := range m.Choices {
		list = m.Choices[i].calls(list)
	}
	return list
}

// Equal reports whether the arguments are those of this text, as JSON or, if they are none, as a text.
func (a *Arguments) Equal(text string) bool {
	own := a.Text.Value.Source
	if a.Value != nil {
		own = a.Value.String()
	}
	one, wrong := ojson.Parse([]byte(own))
	other, err := ojson.Parse([]byte(text))
	return own == text || wrong == nil && err == nil && ojson.Same(one, other)
}

// Path is a place in a chunk, such as choices[0].delta.content. A path that
// starts with delta, finish_reason or logprobs is looked up in the chunk's
// choice.
type Path struct {
	ojson.Path
	Pos diag.Pos
	// Undoes says that the path removes or overwrites what an extended scenario puts at the place.
	// Such a path is no mistake if there is nothing to remove, or the value was there before.
	Undoes bool
}

// Assignment puts a value at a place in a chunk.
type Assignment struct {
	Path  Path
	Value ojson.Value
}

// Reasoning is the reasoning of a model before it answers. In the Responses API it is
// an item of its own. In chat completions, some providers stream its texts in a member
// of the delta that api.openai.com does not have.
type Reasoning struct {
	// Summary is the parts of the summary. A step has at most one piece of one part.
	Summary []Opt[Text]
	Text    Opt[Text] // Text is the reasoning itself, which models with open weights send.
	// EncryptedContent is what a client sends back instead of the texts. Only the
	// Responses API has it, and only if the request asks for it. By default it is drawn
	// from the seed.
	EncryptedContent Opt[Text]
	// Next is "part" if a step begins the next part, and "item" if it begins the next
	// item of the Responses API; "" continues the part that is open.
	Next  string
	Field string // Field is the member's name in chat completions: reasoning_content (the default) or reasoning.
	Pos   diag.Pos
}

// ToolCall is a call of a function tool, a custom tool or a legacy function.
type ToolCall struct {
	ID        Opt[Text] // ID is by default call_ and 24 letters and digits drawn from the seed.
	Index     *int      // Index is by default the next free index of the choice.
	Name      Opt[Text]
	Arguments Arguments
	Extra     ojson.Value // Extra has further members of the call; on responses and realtime, of its item.
	// Later is the members that the fragments after the first one have in addition to
	// index and arguments; nil is none. A FunctionCall has no Later.
	Later *LaterMembers
	// Pieces is how the arguments of a call in a message are cut; those of a step are in [Step.Pieces].
	Pieces Pieces
	Pos    diag.Pos
}

// LaterMembers are members of the fragments of a call after the first one.
type LaterMembers struct {
	Repeat         []string // Repeat names the members that are sent again: id, type, name.
	ID, Type, Name Opt[Text]
	Pos            diag.Pos
}

// CallFragment is the part of a tool call that one chunk sends. Members that are not
// present are not sent.
type CallFragment struct {
	Index          Opt[int]
	ID, Type, Name Opt[Text]
	Arguments      Arguments
	Input          Opt[Text] // Input is what a custom tool has instead of Arguments.
	Pos            diag.Pos
}

// IsCustom reports whether it is a fragment of a call of a custom tool.
func (f *CallFragment) IsCustom() bool {
	return f.Input.Present || f.Type.Value.Source == "custom" && f.Arguments.isZero()
}

func (a *Arguments) isZero() bool { return !a.Text.Present && a.Value == nil && !a.Fake }

// Arguments are the arguments of a call: JSON text with templates, a value that
// becomes JSON, or a value invented to satisfy the schema of the offered tool.
type Arguments struct {
	Text  Opt[Text]
	Value *ojson.Value // Value is a JSON value, whose texts may hold templates.
	Fake  bool         // Fake generates arguments that satisfy the parameters of the tool in the request.
	Break string       // Break is how arguments that are Fake break the parameters: one of Breaks; "" if they satisfy them.
}

// Item is an output item of the Responses API, under that API's names. An item of a
// tool that the service runs itself becomes all the events that the service sends for
// it. A message or a reasoning item is only opened; the steps after it fill it.
type Item struct {
	Members []ItemMember // Members are in the order in which they were written; one of them is the type.
	// By is how a text that the item streams, such as code, is cut; by default as the
	// service cuts it.
	By  Cut
	Pos diag.Pos
}

// ItemMember is a member of an item. Texts in its value may be templates.
type ItemMember struct {
	Name    string
	Value   ojson.Value
	Foreign bool // Foreign says that the author knows that items of this type have no such member.
	Pos     diag.Pos
}

// Type is the type of the item, or "" if there is no such member or it is no string.
func (i *Item) Type() string {
	for _, m := range i.Members {
		if m.Name == "type" && m.Value.Kind() == ojson.StringKind {
			return m.Value.Text()
		}
	}
	return ""
}

// Pieces is how the arguments of a call are cut into chunks. The zero Pieces
// cuts like the real service, into pieces of a few characters.
type Pieces struct {
	Present bool
	// Count is the number of pieces, which have about the same length; 0 sends the
	// whole arguments in the chunk that opens the call.
	Count int
	Texts []Text // Texts are the pieces themselves, instead of Count.
	Pos   diag.Pos
}

// Logprobs are the token log-probabilities of a chunk or message.
type Logprobs struct {
	Null     bool         // Null sends logprobs: null.
	Generate bool         // Generate invents log-probabilities for the text of the chunk.
	Off      bool         // Off sends none, even if the request asks for them.
	Content  *ojson.Value // Content is a list of token entries, or null.
	Refusal  *ojson.Value // Refusal is a list of entries for the tokens of a refusal, or null.
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
	Retry Opt[Text] // Retry is a text, so that a retry that is no number can be sent.
	Data  Opt[Text] // Data is written as a data: line for each of its lines.
	Pos   diag.Pos
}

// ErrorStep is an error object in mid-stream: data: {"error":{...}}.
type ErrorStep struct {
	APIError
	Event string // Event is the name in an event: line before the data; "" writes no such line.
}

// Message is the finished answer. The server derives from it the stream that
// the real service would send.
type Message struct {
	Content         Opt[Text]
	Parts           []Text // Parts are further parts of the content, after Content; only the Responses API has them.
	Fake            *Fake  // Fake is generated content, instead of Content.
	Refusal         Opt[Text]
	Reasoning       *Reasoning
	ToolCalls       []ToolCall
	CustomToolCalls []ToolCall
	FunctionCall    *ToolCall
	Audio           *Audio
	Annotations     *ojson.Value
	Logprobs        *Logprobs // Logprobs that are nil are generated if the request asks for them.
	WhenAsked       bool      // WhenAsked sends Logprobs only if the request asks for them.
	Finish          Opt[Text] // Finish is the finish_reason, which by default follows from the content.
	Usage           *Usage    // Usage that is nil is counted from the texts.
	// Choices are the messages of several choices (n > 1); the rest of the
	// message is empty then.
	Choices []Message
	By      Cut // By is how the texts are cut into chunks.
	Pos     diag.Pos
	At      Places
}

// Audio is a spoken answer.
type Audio struct {
	ID         Opt[Text] // ID is by default audio_ and 32 hex digits drawn from the seed.
	Transcript Text
	// Data is the sound in base64, by default silence as long as the transcript
	// takes to say.
	Data string
	// ExpiresAt is in seconds since 1970, by default an hour after the envelope's
	// created or, without one, the start of 2100.
	ExpiresAt Opt[int64]
	Pos       diag.Pos
}

// APIError is OpenAI's error object and, where it answers instead of a stream,
// the HTTP response around it.
type APIError struct {
	Status int // Status is the HTTP status; 0 is the status that goes with the code, or 500.
	// Message, Type, Param and Code are by default what the real service sends with
	// the code or, without one that is known, with the status.
	Message    Opt[Text]
	Type       Opt[Text]
	Param      Opt[Text]
	Code       Opt[Text]
	RetryAfter *time.Duration // RetryAfter is the Retry-After header; nil sends none.
	Headers    []Header
	Body       *Text       // Body is sent as it is, instead of an error object.
	Extra      ojson.Value // Extra is an object with further members of the error object.
	Beside     ojson.Value // Beside is an object with further members of the body, beside error.
	// Omit is places that are removed from the finished body. A path that does not start
	// with error is looked up in the error object.
	Omit []Path
	// Set is places that are overwritten in the finished body, with paths as in Omit;
	// error itself can get any value.
	Set []Assignment
	// Flat puts the members of the error object into the body itself, instead of under
	// error. The paths of Omit and Set stay the same.
	Flat bool
	Pos  diag.Pos
}

// Header is an HTTP header field.
type Header struct {
	Name  string
	Value Text
	// Removed leaves the field out, even if the server sends it by itself; Value is
	// ignored.
	Removed bool
}
