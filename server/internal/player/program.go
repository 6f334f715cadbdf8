// Package player plays programs: frames of bytes with due times, written to a
// sink. It knows no HTTP and no scenario.
package player

import (
	"context"
	"time"
)

// Program is an answer compiled for one kind of request. It is immutable and
// shared by all the streams that play it; what differs between them is in their
// [Values].
type Program struct {
	Frames []Frame
	Ending Ending // what happens after the last frame
}

// Frame is bytes that are due at one time, or a place to wait at.
type Frame struct {
	Due  time.Duration // since the start of the stream, or since the last hold before it was released
	Hold string        // wait here until the hold is released; the frame has no bytes then
	Step int           // position of the step it came from, for reports
	Kind string        // what it is, in the words of scenarios.Kind

	data  []byte // the bytes, up to the holes
	holes []hole
	runes int // of the JSON text in data, for the length of the obfuscation
}

// hole is a place in a frame's bytes that is filled in from the stream's values.
type hole struct {
	at int // position in data
	n  uint8
}

// Ending is what is done with the connection after the last frame.
type Ending struct {
	Kind EndingKind
	For  time.Duration // how long EndStall and EndLinger last
}

// EndingKind names an ending of the connection.
type EndingKind uint8

// The endings.
const (
	EndOrderly EndingKind = iota // the body ends as it should
	EndCut                       // the connection closes without the body's proper end
	EndReset                     // the connection is reset
	EndStall                     // silence, then EndCut
	EndLinger                    // silence, then EndOrderly
)

// Sink takes what a player plays.
type Sink interface {
	// Write hands p to the network at once. It blocks while the reader is slow.
	Write(p []byte) (int, error)
	// End ends the answer; EndStall and EndLinger never reach it.
	End(EndingKind) error
}

// Gate is where streams wait at holds. Pass blocks until the named hold is
// released or ctx ends.
type Gate interface {
	Pass(ctx context.Context, hold string) error
}
