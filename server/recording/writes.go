package recording

import (
	"bytes"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// rewriteFrames puts events in the place of others, and leaves the times of the pieces
// in which they came: one that ended inside of what was replaced ends behind it now.
func (x *Exchange) rewriteFrames(before [][]byte, after []frame) {
	var text []byte
	if bytes.HasPrefix(x.bodyBytes(), []byte(bom)) {
		text = append(text, bom...)
	}
	moved := map[int]int{} // moved are the ends of pieces now, by those before.
	from, ends := len(text), x.ends()
	for i := range after {
		to := from + len(before[i])
		for len(ends) > 0 && ends[0] <= to {
			if ends[0] > from {
				moved[ends[0]] = len(text) + movedOffset(before[i], after[i].raw, ends[0]-from)
			}
			ends = ends[1:]
		}
		text = append(text, after[i].raw...)
		from = to
	}
	start := 0
	for i, end := range x.ends() {
		to, ok := moved[end]
		if !ok {
			to = min(end, len(text)) // of a byte order mark
		}
		x.Pieces[i].Data, start = text[start:to:to], to
	}
}

// ends are the offsets at which the pieces end.
func (x *Exchange) ends() []int {
	var list []int
	end := 0
	for _, p := range x.Pieces {
		end += len(p.Data)
		list = append(list, end)
	}
	return list
}

// movedOffset is where an offset of a text is in another, which differs from it in one
// part; inside of that it is at its end.
func movedOffset(before, after []byte, at int) int {
	same := 0
	for same < min(len(before), len(after)) && before[same] == after[same] {
		same++
	}
	if at <= same {
		return at
	}
	tail := 0
	for tail < min(len(before), len(after))-same && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	return len(after) - min(tail, len(before)-at)
}

// keepWrites cuts the stream where the pieces of the recording ended, and has each
// leave when it came. The events by themselves have no time, then.
func (s *stream) keepWrites() {
	var split scenarios.Split
	end, before := int64(0), time.Duration(0)
	for _, p := range s.exchange.Pieces {
		if len(p.Data) == 0 {
			continue
		}
		at := max(before, p.At.Round(precision))
		if end > 0 {
			split.At, split.Gaps = append(split.At, end), append(split.Gaps, at-before)
		}
		end, before = end+int64(len(p.Data)), at
	}
	for i := range s.frames {
		s.frames[i].at = s.exchange.cameAt(0)
	}
	if split.At != nil {
		s.base.Wire.Split = &split
	}
}
