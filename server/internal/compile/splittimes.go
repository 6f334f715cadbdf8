package compile

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// splitInTime cuts the body at places, and sends each piece at its own time after the
// piece before. Bytes that are due earlier than their piece wait for it; a piece waits
// for bytes that are due later.
func splitInTime(frames []player.Frame, s *scenarios.Split, speed float64) []player.Frame {
	var out []player.Frame
	due := time.Duration(0) // due is when the current piece leaves
	passed, gaps := int64(0), s.Gaps
	for _, f := range frames {
		if f.Hold != "" {
			out, due = append(out, f), 0
			continue
		}
		b := f.Bytes.Data()
		add := func(from, to int, minGap time.Duration) {
			due = max(due, f.Due)
			piece := f
			piece.Due, piece.MinGap, piece.More = due, minGap, to < len(b)
			piece.Bytes = player.Literal(b[from:to:to])
			out = append(out, piece)
		}
		from, gap := 0, time.Duration(0)
		for _, to := range cutsWithin(s.At, passed, len(b)) {
			if to > 0 {
				add(from, to, gap)
			}
			from, gap = to, defaultGap
			if len(gaps) > 0 {
				due += time.Duration(float64(gaps[0]) / speed)
				gaps = gaps[1:]
			}
		}
		add(from, len(b), gap)
		passed += int64(len(b))
	}
	return out
}
