package compile

import (
	"time"

	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// dripWrites is the most writes a second of a dripping body.
const dripWrites = 20

// drip limits the frames to a number of bytes per second. A byte leaves no earlier than
// its frame is due, and no earlier than the bytes before it allow.
func drip(frames []player.Frame, perSecond float64) []player.Frame {
	size := max(1, int(min(perSecond/dripWrites, 1<<30)))
	var out []player.Frame
	var free time.Duration // free is when the next byte may leave
	for _, f := range frames {
		if f.Hold != "" {
			free = 0
			out = append(out, f)
			continue
		}
		for b := f.Bytes.Data(); len(b) > 0; {
			n := min(size, len(b))
			if len(out) >= maxPieces {
				n = len(b)
			}
			piece := f
			piece.Due, piece.Bytes = max(f.Due, free), player.Literal(b[:n:n])
			piece.More = f.More || n < len(b)
			free = piece.Due + time.Duration(float64(time.Second)*float64(n)/perSecond)
			out, b, f.MinGap = append(out, piece), b[n:], 0
		}
	}
	return out
}
