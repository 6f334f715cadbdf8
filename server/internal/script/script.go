// Package script turns replies into scripts. A script is a list of groups of beats, the neutral
// form of what an answer says and does. A surface turns it into the JSON of its API.
//
// A script is built once for each [Want]. Where it depends on the request, a beat has a hole,
// and [Script.Fill] computes the values of the holes for each request. So a reply with
// templates costs little more than one without.
package script

import (
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// Want is what a request wants of its answer, read from it once. All requests with the same
// want share the script of a reply.
type Want struct {
	Surface string
	Layout  scenarios.Layout // Layout is "" on surfaces that have no layouts.
	N       int              // N is the number of choices.
	Stream  bool             // Stream says that the answer is streamed.
	Usage   bool             // Usage says that a stream closes with usage.
	// TellsUsage says that the answer has usage even if its reply does not mention it.
	TellsUsage  bool
	Logprobs    bool
	TopLogprobs int
	// Includes are the known values of include in the request, with commas between them.
	Includes   string
	Moderation bool // Moderation says that the answer has the results of a moderation model.
	Padding    bool // Padding says that the request wants obfuscation.
	Echo       bool // Echo says that the answer begins with the prompt.
	// Used names the members that the answer repeats only if the request has them, in order,
	// each after a space.
	Used string
	// ReadsTexts says that the surface must know texts to speak them, so that no hole can stand
	// for a text.
	ReadsTexts bool
	// RepeatsTexts says that the surface sends texts again as a whole, so that holes can stand for
	// texts alone: see [Script.TextsAlone].
	RepeatsTexts bool
	Background   bool // Background says that the answer is made even if the client leaves.
	Conversation bool // Conversation says that the request names a conversation that the server keeps.
	// Voice is the surface's number of the format of sound in which the words of the answer are said aloud; 0 for words that
	// are not. Speed is how fast they are said, in hundredths of the usual speed.
	Voice, Speed uint8
	// Messages says that each event is sent as a WebSocket message.
	Messages bool
}

// Script is a reply expanded for one [Want]. It is immutable.
type Script struct {
	Groups  []Group
	OwnDone bool // OwnDone says that the reply has a step done.

	// PerRequest says that the script depends on the request in a way that holes cannot
	// express. It can be checked but not played; each request needs a script of its own.
	PerRequest bool

	// tokens counts the tokens of the answer that are known by now. promptWritten and
	// totalWritten are the numbers in the author's usage; -1 if there is none.
	tokens                      tokenCount
	promptWritten, totalWritten int64

	fillers   []filler // fillers compute the values of the holes, in order.
	openTexts bool     // openTexts says that one of the fillers makes a text.
	// texts are the texts by which [Script.Text] replaces holes while there is no request.
	texts  map[hole.ID]string
	events int // events is the number of events. A series counts as one.
	size   int // size is the length in bytes of all texts that are known.
}

// Text returns the text of a value as the author wrote it: for a hole that a template fills,
// the template.
func (s *Script) Text(v ojson.Value) string {
	if id, ok := hole.In(v); ok {
		return s.texts[id]
	}
	return v.Text()
}

// FreeHole returns the first id after those of the holes of the script.
func (s *Script) FreeHole() hole.ID { return hole.Script + hole.ID(len(s.texts)) }

// OpenTexts reports whether a text of the script depends on the request.
func (s *Script) OpenTexts() bool { return s.openTexts }

// TextsAlone reports whether the script depends on the request only in texts, refusals, reasoning
// and calls, and in numbers of tokens. What is sent follows from the script then, but for the texts
// themselves, as long as none of them is empty.
func (s *Script) TextsAlone() bool {
	for i := range s.Groups {
		if g := &s.Groups[i]; g.Templated && (g.Edit != nil || slices.ContainsFunc(g.Beats, readsRequest)) {
			return false
		}
	}
	return true
}

// readsRequest reports whether a beat of a group with a template may depend on the request in more
// than its texts.
func readsRequest(beat Beat) bool {
	open := false
	switch beat := beat.(type) {
	case Text, Refusal, Reasoning, CallStart, CallArguments:
	case Start:
		_, open = hole.In(beat.Role)
	case Finish:
		_, open = hole.In(beat.Reason)
	case Usage:
		open = len(beat.Written.Members()) > 0
	default:
		return true
	}
	return open
}

// Group is a list of beats that are sent together: one chunk, one wire event or one pause.
type Group struct {
	Step   int // Step is the index of its step in the reply's stream.
	Pos    diag.Pos
	Choice int // Choice is the index of the choice.
	Beats  []Beat
	Edit   *Edit // Edit is what the step changes in the finished chunk; nil is nothing.
	Wire   *Wire // Wire is how the step lays out its events in bytes; nil is as in the rest of the reply.

	// Gap is the pause before the group that the step asks for; nil leaves it to the pace.
	Gap    *time.Duration
	Jitter time.Duration // Jitter is by how much Gap varies.

	// Series is the hole of the pieces of a text that depends on the request: the group is
	// sent once for each piece, and the text of its beat is a [hole.Piece]. PieceGap is the
	// pause before each piece but the first. Series is 0 for all other groups.
	Series   hole.ID
	PieceGap *time.Duration

	// Templated says that a template took part in the group, so that its content depends on the
	// request.
	Templated bool
}

// IsChunk reports whether the group is part of the answer's JSON; wire events and pauses are
// not. A group without beats is a heartbeat.
func (g *Group) IsChunk() bool {
	if len(g.Beats) == 0 {
		return true
	}
	switch g.Beats[0].(type) {
	case Error, Comment, Raw, Event, Done, Wait, Hold:
		return false
	}
	return true
}

// Edit is what a step changes in the finished chunk, with paths in the JSON of its surface.
type Edit struct {
	Extra ojson.Value // Extra is an object with members to add.
	Omit  []scenarios.Path
	Set   []scenarios.Assignment
}

// Wire is how a step lays out its events in bytes.
type Wire struct {
	*scenarios.StepWire

	Comment, Event, ID, Retry *string // These texts are rendered; nil leaves the field out.
}
