package compile

import (
	"errors"
	"slices"

	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// ErrUnknownID is why a stream does not go on: no event of it has the id, and
// the scenario says what to answer then.
var ErrUnknownID = errors.New("no event of the stream has this id")

// had is how many frames a client has that goes on: those up to the last one
// with the id.
func (o *Options) had(frames []player.Frame) (int, error) {
	if o.After == "" {
		return 0, nil
	}
	for i, f := range slices.Backward(frames) {
		if f.ID == o.After {
			return i + 1, nil
		}
	}
	if o.Manner.Wire.UnknownID != nil {
		return 0, ErrUnknownID
	}
	return 0, nil
}

// resume takes the first n frames away. What is left has the bytes that it has
// in the whole stream. Its first frame is due at once; the others keep their
// distances.
func resume(p *player.Program, n int, v *player.Values) {
	for i := range p.Frames[:n] {
		p.Frames[i].Bytes.Skip(v)
	}
	p.Frames = slices.Clone(p.Frames[n:])
	passed := p.Ending.Due
	if len(p.Frames) > 0 {
		passed = p.Frames[0].Due
	}
	for i := range p.Frames {
		p.Frames[i].Due -= passed
		if p.Frames[i].Hold != "" {
			return // later times count from here
		}
	}
	p.Ending.Due = max(0, p.Ending.Due-passed)
}
