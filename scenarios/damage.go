package scenarios

import (
	"regexp"
	"strconv"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Damage is one thing that goes wrong on the way. It is applied to the finished
// frames.
type Damage struct {
	Op     string   // Op is drop, duplicate, swap, move, rename, retype, replace, keep or corrupt.
	Frames Selector // Frames are the frames that are damaged.
	// With is the other frame of a swap, or the frame behind which move puts frames; if
	// it selects several, the last of them.
	With Selector
	// From is a place in the frame: the member that rename renames, the value that
	// retype or replace changes, or the object of which keep leaves a part. For keep an
	// empty From is the whole frame.
	From Path
	// To is the new name for rename; for retype it is string, number, bool,
	// null, array, object or absent.
	To      string
	Value   ojson.Value // Value is the new value for replace.
	Members []string    // Members is the names of the members that keep leaves.
	Bytes   int         // Bytes is the number of bytes that corrupt changes; 0 is one.
	// Chance is the probability that a frame is damaged, drawn from the seed for each
	// frame; nil damages all.
	Chance *float64
	Pos    diag.Pos
}

// Selector picks frames: by position (1 is the first, -1 the last), by kind, or
// all.
type Selector struct {
	// Position counts from 1, or from the end if it is negative; 0 selects by Kind.
	Position int
	// Kind is role, content, refusal, reasoning, tool, logprobs, heartbeat,
	// finish, usage, error, comment, done or all, or the name of an event of
	// responses or realtime, such as response.created. Of several such frames, [0] behind it names the
	// first and [-1] the last: see [OneOfKind].
	Kind string
	// Any picks frames by several positions or kinds, instead of Position and Kind.
	Any []FrameName
	Pos diag.Pos
}

// FrameName names frames by position or kind, as a [Selector] does.
type FrameName struct {
	Position int
	Kind     string
	Pos      diag.Pos
}

// Each returns the selectors that s consists of: s itself, or one for each name in Any.
func (s Selector) Each() []Selector {
	if len(s.Any) == 0 {
		return []Selector{s}
	}
	list := make([]Selector, len(s.Any))
	for i, f := range s.Any {
		list[i] = Selector{Position: f.Position, Kind: f.Kind, Pos: f.Pos}
	}
	return list
}

var oneOfKind = regexp.MustCompile(`^(.+)\[(-?\d{1,9})\]$`)

// OneOfKind splits the name of a single frame, such as content[0], into its kind and its position
// among the frames of this kind: from 0 or, if it is negative, from the last, which is -1.
// Ok is false for the name of a kind alone, which stands for all of its frames.
func OneOfKind(name string) (kind string, position int, ok bool) {
	m := oneOfKind.FindStringSubmatch(name)
	if m == nil {
		return name, 0, false
	}
	position, _ = strconv.Atoi(m[2]) // nine digits
	return m[1], position, true
}

// End is how a stream ends. The zero End is the real service's: [DONE], then
// the orderly end of the HTTP body.
type End struct {
	Kind EndKind
	// After is the number of whole frames that are sent before the end; a negative
	// number counts from the last frame.
	After *int
	// All ends the stream after everything, [DONE] included, instead of After.
	All bool
	// Byte is the number of bytes that are sent before the end: of the body or, beside
	// After, of the next frame, of which no more than the whole is sent.
	Byte *int64
	For  *time.Duration // For is how long a stall or a linger lasts; nil is 60s.
	// Inside ends the stream in the middle of the next frame. Nil is true for a cut and
	// false for the other endings.
	Inside *bool
	// InsideRune ends the stream inside the next character of several bytes.
	InsideRune bool
	Reset      bool // Reset makes a refuse reset the connection instead of closing it.
	// Code and Reason are what the close frame of a WebSocket connection says, of EndClose: a code of RFC 6455; 0 is 1000,
	// and NoCloseCode a frame without code and reason.
	Code   int
	Reason string
	Chance *float64 // Chance is the probability of this ending, drawn from the seed; nil is always.
	Pos    diag.Pos
}

// NoCloseCode is the code of a close frame that has none.
const NoCloseCode = 1005

// SaysCode reports whether the ending says what a close frame has.
func (e *End) SaysCode() bool { return e.Code != 0 || e.Reason != "" }

// IsEarly reports whether the ending, unless it names a place, comes before the whole answer is sent.
func (e *End) IsEarly() bool {
	return e.Kind != "" && e.Kind != EndRefuse && (e.Kind != EndLinger || e.Inside != nil && *e.Inside)
}

// EndKind names an ending.
type EndKind string

// The endings.
const (
	// EndClose ends the body in order, but without [DONE]; a message lacks its finish, too.
	EndClose EndKind = "close"
	// EndCut closes the connection inside an event, without HTTP's final chunk.
	EndCut    EndKind = "cut"
	EndReset  EndKind = "reset"  // EndReset is a TCP RST.
	EndStall  EndKind = "stall"  // EndStall sends nothing for a while, then closes the connection.
	EndLinger EndKind = "linger" // EndLinger sends everything, but leaves the connection open for a while.
	EndRefuse EndKind = "refuse" // EndRefuse closes the connection before any byte of the answer.
)
