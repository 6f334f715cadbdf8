package script

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Beat is one thing that an answer says or does. Values may be absent, null, of the wrong type,
// or a hole, as the author wants them.
type Beat interface{ word() string }

// Word returns the word that scenarios have for a beat.
func Word(beat Beat) string { return beat.word() }

// InWords names a beat in messages, in the words of the language.
func InWords(beat Beat) string {
	switch beat := beat.(type) {
	case Refusal:
		return "a refusal"
	case Reasoning:
		return "reasoning"
	case Item:
		return "an item"
	case Part:
		return "another part of a text"
	case CallStart:
		return beat.Type.inWords()
	case CallArguments:
		return beat.Type.inWords()
	case CallFragment:
		return FunctionCall.inWords()
	}
	return beat.word()
}

func (t CallType) inWords() string {
	switch t {
	case CustomCall:
		return "a call of a custom tool"
	case LegacyCall:
		return "a function_call"
	}
	return "a tool call"
}

// The beats of an answer.
type (
	// Start opens a choice.
	Start struct{ Role ojson.Value }
	// Part begins another part of the message with the text that follows.
	Part struct{}
	// Text is a piece of text.
	Text struct{ Text ojson.Value }
	// Refusal is a piece of a refusal.
	Refusal struct{ Text ojson.Value }
	// Reasoning is a piece of reasoning. Field is the name of its member in a dialect. Raw says
	// that it is raw text and not a summary. Next is [NextPart] or [NextItem] if the piece
	// begins another one. Encrypted is the encrypted_content that the author wrote.
	Reasoning struct {
		Text      ojson.Value
		Field     string
		Raw       bool
		Next      string
		Encrypted ojson.Value
	}
	// CallStart opens a call, or names it again. Index counts the calls of a choice from 0.
	// Untyped says that the type is not sent.
	CallStart struct {
		Index               int
		Type                CallType
		Untyped             bool
		ID, Name, Arguments ojson.Value
		Extra               ojson.Value // Extra has further members.
	}
	// CallArguments is a piece of the arguments of a call.
	CallArguments struct {
		Index     int
		Type      CallType
		Arguments ojson.Value
	}
	// CallFragment is a fragment of a call as the author wrote it: absent members are not sent.
	// Arguments also holds the input of a custom tool.
	CallFragment struct {
		Index, ID, Type, Name, Arguments ojson.Value
		Custom                           bool
	}
	// Audio is a piece of audio: an object with any of id, transcript, data and expires_at.
	Audio struct{ Members ojson.Value }
	// Annotations is a list of annotations of the text.
	Annotations struct{ List ojson.Value }
	// Logprobs are the log-probabilities of the text or refusal of the group, as lists of token
	// entries. With Null they are null.
	Logprobs struct {
		Null             bool
		Content, Refusal ojson.Value
	}
	// Finish ends a choice.
	Finish struct{ Reason ojson.Value }
	// Usage is the number of tokens. Written is the object that the author wrote. The other
	// members are the author's numbers, or else counted ones. PromptText, CompletionText and
	// CompletionAudio are the parts of text and sound, which add up. Alone says that the group
	// has nothing else.
	Usage struct {
		Null                                 bool
		Alone                                bool
		Written                              ojson.Value
		Prompt, Completion, Reasoning, Total ojson.Value
		PromptText                           ojson.Value
		CompletionText, CompletionAudio      ojson.Value
	}
	// Literal is JSON of one surface as the author wrote it: a member of a chunk, or the whole
	// chunk if Member is chunk.
	Literal struct {
		Surface, Member string
		Value           ojson.Value
	}
)

// CallType is the type of a call.
type CallType string

// The types of calls.
const (
	FunctionCall CallType = "function"
	CustomCall   CallType = "custom"
	// LegacyCall is a function_call, which preceded tools and has no id.
	LegacyCall CallType = "function_call"
)

// The beats of the wire.
type (
	// Error is an error in mid-stream. Object is any JSON value, sent as the member error, or
	// Absent; Beside are further members. Flat sends the members of Object beside those, in
	// place of error. Body, if not nil, is sent instead of all that.
	// Status is the HTTP status if the error is the whole answer; 0 is 500.
	Error struct {
		Object ojson.Value
		Beside ojson.Value
		Flat   bool
		Body   *string
		Event  string
		Status int
	}
	// Comment is a comment of the event stream.
	Comment struct{ Text string }
	// Raw is bytes that are sent as written.
	Raw struct{ Bytes string }
	// Event is a server-sent event, field by field. Fields that are not present are left out.
	Event struct{ Event, ID, Retry, Data scenarios.Opt[string] }
	// Done is the mark of the end of a stream, [DONE].
	Done struct{}
	// Wait is a pause.
	Wait struct{}
	// Hold is a place where the stream waits until it is released.
	Hold struct {
		Name    string
		Message bool // Message says that the stream waits for a message of the client.
	}
)

func (Start) word() string           { return "role" }
func (Part) word() string            { return "next" }
func (Text) word() string            { return "content" }
func (Refusal) word() string         { return "refusal" }
func (Audio) word() string           { return "audio" }
func (Annotations) word() string     { return "annotations" }
func (Logprobs) word() string        { return "logprobs" }
func (Finish) word() string          { return "finish" }
func (Usage) word() string           { return "usage" }
func (Error) word() string           { return "error" }
func (Comment) word() string         { return "comment" }
func (Raw) word() string             { return "raw" }
func (Event) word() string           { return "event" }
func (Done) word() string            { return "done" }
func (Wait) word() string            { return "wait" }
func (Item) word() string            { return "item" }
func (r Reasoning) word() string     { return r.Field } // the member in which the dialect sends reasoning
func (c CallStart) word() string     { return c.Type.word() }
func (c CallArguments) word() string { return c.Type.word() }
func (CallFragment) word() string    { return FunctionCall.word() }
func (l Literal) word() string       { return l.Member }

func (h Hold) word() string {
	if h.Message {
		return "until"
	}
	return "hold"
}

func (t CallType) word() string {
	if t == LegacyCall {
		return "function_call"
	}
	return "tool_calls"
}

// hasOpening reports whether the step has parts that are sent with its first chunk.
func hasOpening(st *scenarios.Step) bool {
	return st.Role.Present || st.Next != "" || st.Content.Present || st.Refusal.Present || st.Reasoning != nil ||
		st.ToolCalls != nil || st.Fragments != nil || st.Audio != nil || st.Annotations != nil
}

// opening returns the beats that are sent with the first chunk of a step.
func (b *Builder) opening(st *scenarios.Step) []Beat {
	var beats []Beat
	if st.Role.Present {
		beats = append(beats, Start{b.Member(st.Role)})
	}
	if st.Next != "" {
		beats = append(beats, Part{})
	}
	if st.Content.Present {
		beats = append(beats, Text{b.countTokens(b.Member(st.Content), false)})
	}
	if st.Refusal.Present {
		beats = append(beats, Refusal{b.countTokens(b.Member(st.Refusal), false)})
	}
	if st.ToolCalls != nil {
		calls := b.literal(st.ToolCalls)
		b.followCalls(st.Choice, calls)
		beats = append(beats, Literal{b.literalSurface(), "tool_calls", calls})
	}
	for i := range st.Fragments {
		beats = append(beats, b.fragment(st.Choice, &st.Fragments[i]))
	}
	if st.Audio != nil {
		audio := b.literal(st.Audio)
		b.countTokens(audio.Get("transcript"), false)
		b.countSound(audio.Get("data"))
		beats = append(beats, Audio{audio})
	}
	if st.Annotations != nil {
		beats = append(beats, Annotations{b.literal(st.Annotations)})
	}
	if r := st.Reasoning; r != nil {
		beats = append(beats, b.reasoning(r))
	}
	return beats
}
