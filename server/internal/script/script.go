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
}

// Script is a reply expanded for one [Want]. It is immutable.
type Script struct {
	Groups  []Group
	Repeats map[hole.ID]hole.Repeat // texts that are too large to be held
	OwnDone bool                    // the reply says itself where the stream is complete

	// PerRequest says that something depends on the request which no hole can
	// hold: the script is only for looking at, and each request needs its own.
	PerRequest bool

	fillers []filler // what Fill fills in, in order
	texts   map[hole.ID]string
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
	for _, b := range s.fillers {
		switch b.(type) {
		case *textFiller, *runFiller:
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
