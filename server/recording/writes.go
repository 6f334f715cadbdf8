package recording

import (
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

// rewriteFrames replaces the events of an exchange. Its pieces keep their times, and
// their ends move with the bytes; a piece that ended inside a replaced part ends after it.
func (x *Exchange) rewriteFrames(before [][]byte, after []frame) {
	text := slices.Clone(markOf(x.bodyBytes()))
	moved := map[int]int{} // moved are the new ends of the pieces by their old ends.
	from, ends := len(text), x.ends()
	for i := range after {
		to := from + len(before[i])
		for len(ends) > 0 && ends[0] <= to {
			if ends[0] > from {
				moved[ends[0]] = len(text) + movedOffset(before[i], after[i].Raw, ends[0]-from)
			}
			ends = ends[1:]
		}
		text = append(text, after[i].Raw...)
		from = to
	}
	start := 0
	for i, end := range x.ends() {
		to, ok := moved[end]
		if !ok {
			to = min(end, len(text)) // The piece ends in the byte order mark.
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

// movedOffset is the offset in after that corresponds to the offset at in before. The two
// differ in one part; an offset inside the part becomes its end.
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

// keepWrites splits the stream where the pieces of the recording ended, with their times.
// The events then have no pauses of their own.
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
