// Package compile turns the units that a surface speaks into a program: it
// gives them due times, damages them, frames them as server-sent events, and
// cuts them where the scenario ends early. It knows no surface.
package compile

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// Unit is one thing that a stream sends, in the words of its surface but not
// framed yet, or a place to wait at.
type Unit struct {
	Kind script.Kind
	Step int // position of the step it came from

	Gap    *time.Duration // the pause before it; nil leaves it to the pace
	Jitter time.Duration  // how far that pause varies

	// What is sent: an event whose data is JSON, or any event, or bytes. A pause
	// sends nothing.
	JSON  ojson.Value
	Event sse.Event
	Raw   *string
	Fill  *script.Fill // in place of Raw
	Hold  string

	corrupt int // so many of its bytes are damaged once they are known
}

// sends reports whether the unit is bytes on the wire.
func (u *Unit) sends() bool { return u.Kind != script.KindWait && u.Kind != script.KindHold }

// paced reports whether the pace's pauses stand before the unit. Wire events
// and the closing [DONE] come at once.
func (u *Unit) paced() bool {
	switch u.Kind {
	case script.KindComment, script.KindRaw, script.KindEvent, script.KindDone, script.KindWait, script.KindHold:
		return false
	}
	return true
}
