package scenarios

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

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
