package compile

import (
	"errors"
	"slices"

	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// ErrUnknownID says that a stream cannot continue after an event, because no event has
// the id, and that the scenario has an answer for this case.
var ErrUnknownID = errors.New("no event of the stream has this id")

// framesUntil counts the frames up to the last one with the id, which the client has
// already. It is 0 for a client that begins, and for an unknown id that is not refused.
func framesUntil(id string, frames []player.Frame, refuse bool) (int, error) {
	if id == "" {
		return 0, nil
	}
	for i, f := range slices.Backward(frames) {
		if f.ID == id {
			return i + 1, nil
		}
	}
	if refuse {
		return 0, ErrUnknownID
	}
	return 0, nil
}

// resume drops the first n frames. The others keep the bytes that they have in the
// whole stream. The first of them is due at once; the others keep their distances.
func resume(p *player.Program, n int, v *player.Values) {
	var sent []byte
	for i := range p.Frames[:n] {
		sent = p.Frames[i].Append(sent[:0], v) // the padding of the others follows from what this draws
	}
	p.Frames = slices.Clone(p.Frames[n:])
	passed := p.Ending.Due
	if len(p.Frames) > 0 {
		passed = p.Frames[0].Due
	}
	for i := range p.Frames {
		p.Frames[i].Due -= passed
		if p.Frames[i].Hold != "" {
			return // later times start again at the hold
		}
	}
	p.Ending.Due = max(0, p.Ending.Due-passed)
}
