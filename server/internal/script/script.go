// Package script turns replies into beats: what an answer says and does, one
// after the other, before any API's JSON. A surface speaks them.
//
// A script is built once for a kind of request. What differs from request to
// request is left open: a beat has a hole there, and [Script.Fill] knows what
// goes into it. So a reply with templates costs little more than one without.
package script

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Want is what a request wants of its answer, read from it once. Together with a
// reply it decides the script: two requests that want the same share it.
type Want struct {
	Surface     string
	Layout      scenarios.Layout // "" on surfaces that have no layouts
	N           int              // how many choices
	Stream      bool             // the answer is sent piece by piece
	Usage       bool             // a stream closes with usage
	Logprobs    bool
	TopLogprobs int
	Padding     bool // the request does not switch off what hides the length of frames
	Echo        bool // the answer begins with the prompt
	// ReadsTexts says that more than the text itself follows from a text, so that
	// no hole can stand in for it.
	ReadsTexts bool
}

// Script is a reply expanded for one [Want]. It is immutable.
type Script struct {
	Groups  []Group
	Repeats map[hole.ID]Repeat // texts that are too large to be held
	OwnDone bool               // the reply says itself where the stream is complete

	// PerRequest says that something depends on the request which no hole can
	// hold: the script is only for looking at, and each request needs its own.
	PerRequest bool

	blanks []blank // what Fill fills in, in order
	texts  map[hole.ID]string
	limit  int   // of groups
	size   int64 // of the texts that are known, in bytes
}

// Text is the text of a value as an author wrote it: of a hole that a template
// fills, the template.
func (s *Script) Text(v ojson.Value) string {
	if id, ok := hole.In(v); ok {
		return s.texts[id]
	}
	return v.Text()
}

// OpenTexts reports whether a text of the script is known only once there is a
// request.
func (s *Script) OpenTexts() bool {
	for _, b := range s.blanks {
		switch b.(type) {
		case *textBlank, *runBlank:
			return true
		}
	}
	return false
}

// Group is beats that are sent together, as one chunk; or one wire event, or one
// pause.
type Group struct {
	Step   int // the position in the reply's stream of the step that it comes from
	Pos    diag.Pos
	Choice int // the index of the choice
	Beats  []Beat
	Edit   *Edit // what the step changes in the finished chunk; nil is nothing

	Gap    *time.Duration // the pause before it that the step asks for; nil leaves it to the pace
	Jitter time.Duration  // how far that pause varies

	// Run is not 0 for a group that is sent once for each piece of a text that
	// only the request tells: the text of its beat is a [hole.Piece]. RunGap is
	// the pause before each piece but the first.
	Run    hole.ID
	RunGap *time.Duration

	// Templated says that a template took part in the group, so that what it says
	// is known only once there is a request.
	Templated bool
}

// IsChunk reports whether the group says something of the answer, in contrast to
// a wire event or a pause. A group without beats is a heartbeat.
func (g *Group) IsChunk() bool {
	if len(g.Beats) == 0 {
		return true
	}
	_, wire := g.Beats[0].(wireBeat)
	return !wire
}

// Edit is what a step changes in the finished chunk, in the words of the surface
// whose JSON it edits.
type Edit struct {
	Extra ojson.Value // an object: further members
	Omit  []scenarios.Path
	Set   []scenarios.Assignment
}

// Beat is one thing that an answer says or does. Values may be absent, null, a
// value of the wrong type or a hole, as the author wants them.
type Beat interface{ isBeat() }

// wireBeat is a beat that is no part of the answer's JSON.
type wireBeat interface{ isWire() }

// The beats of an answer.
type (
	// Start opens a choice.
	Start struct{ Role ojson.Value }
	// Text is a piece of the answer's text.
	Text struct{ Text ojson.Value }
	// Refusal is a piece of the text that is sent in place of an answer.
	Refusal struct{ Text ojson.Value }
	// Reasoning is a piece of the reasoning text. Field is the member in which a
	// dialect sends it.
	Reasoning struct {
		Text  ojson.Value
		Field string
	}
	// CallStart opens a call, or names it again. Index counts the calls of a
	// choice from 0. Untyped says that the type is not sent.
	CallStart struct {
		Index               int
		Type                CallType
		Untyped             bool
		ID, Name, Arguments ojson.Value
	}
	// CallArguments is a piece of a call's arguments.
	CallArguments struct {
		Index     int
		Type      CallType
		Arguments ojson.Value
	}
	// Audio is a piece of a spoken answer: an object with any of id, transcript,
	// data and expires_at.
	Audio struct{ Members ojson.Value }
	// Annotations is a list of what the text cites.
	Annotations struct{ List ojson.Value }
	// Logprobs are the log-probabilities of the group's text or refusal: lists of
	// token entries. With Null they are null.
	Logprobs struct {
		Null             bool
		Content, Refusal ojson.Value
	}
	// Finish ends a choice.
	Finish struct{ Reason ojson.Value }
	// Usage tells how many tokens there were. Written is the object as authored;
	// the other members are what it says or, where it says nothing, what was
	// counted. Alone says that the group is nothing else.
	Usage struct {
		Null                                 bool
		Alone                                bool
		Written                              ojson.Value
		Prompt, Completion, Reasoning, Total ojson.Value
	}
	// Literal is JSON of one surface, as authored: the member of a chunk, or with
	// Member chunk the whole of it.
	Literal struct {
		Surface, Member string
		Value           ojson.Value
	}
)

// CallType says what a call calls.
type CallType string

// The types of calls.
const (
	FunctionCall CallType = "function"
	CustomCall   CallType = "custom"
	LegacyCall   CallType = "function_call" // of a function, from before there were tools; it has no id
)

// The beats of the wire.
type (
	// Error is an error in mid-stream. Body, if not nil, is sent in place of the
	// object. Close ends the stream after it. Status is that of the HTTP answer
	// where the error is the whole of it; 0 is 500.
	Error struct {
		Object ojson.Value
		Body   *string
		Event  string
		Close  bool
		Status int
	}
	// Comment is a comment of the event stream.
	Comment struct{ Text string }
	// Raw is bytes as written. Repeat, if not nil, is in place of Bytes.
	Raw struct {
		Bytes  string
		Repeat *Repeat
	}
	// Event is an event of the stream, field by field. Fields that are not present
	// are not written.
	Event struct{ Event, ID, Retry, Data scenarios.Opt[string] }
	// Done says that the stream is complete.
	Done struct{}
	// Wait is a pause.
	Wait struct{}
	// Hold is a place to wait at until it is released.
	Hold struct{ Name string }
)

func (Start) isBeat()         {}
func (Text) isBeat()          {}
func (Refusal) isBeat()       {}
func (Reasoning) isBeat()     {}
func (CallStart) isBeat()     {}
func (CallArguments) isBeat() {}
func (Audio) isBeat()         {}
func (Annotations) isBeat()   {}
func (Logprobs) isBeat()      {}
func (Finish) isBeat()        {}
func (Usage) isBeat()         {}
func (Literal) isBeat()       {}
func (Error) isBeat()         {}
func (Comment) isBeat()       {}
func (Raw) isBeat()           {}
func (Event) isBeat()         {}
func (Done) isBeat()          {}
func (Wait) isBeat()          {}
func (Hold) isBeat()          {}

func (Error) isWire()   {}
func (Comment) isWire() {}
func (Raw) isWire()     {}
func (Event) isWire()   {}
func (Done) isWire()    {}
func (Wait) isWire()    {}
func (Hold) isWire()    {}
