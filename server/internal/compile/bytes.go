package compile

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"math/rand/v2"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// defaultGap separates the pieces of a split event. Without a pause, a reader on the
// same machine gets them in one read although they were written one by one.
const defaultGap = time.Millisecond

// What needs the bytes themselves is done in two steps: resolveBytes decides which
// bytes the frames have, and encodeBytes compresses, cuts and splits them.

// resolveBytes fills the holes of the frames, corrupts the frames that damage says to,
// and shortens the last one if the stream ends inside it.
func resolveBytes(p *player.Program, units []Unit, stop cutoff, v *player.Values, d *draws) {
	for i := range p.Frames {
		p.Frames[i].FillHoles(v, p.HeaderDelay+p.Frames[i].Due)
	}
	d.corrupt(p.Frames, units)
	switch last := len(p.Frames) - 1; {
	case stop.rune:
		cutInsideRune(p, stop.units)
	case stop.inside && last >= 0:
		shorten(&p.Frames[last], stop.part)
	}
}

// encodeBytes compresses, cuts and splits the bytes of a program that has no holes.
func encodeBytes(p *player.Program, limit int64, m *scenarios.Manner, r *Request) {
	if w := m.Wire; w.Gzip != "" && (r.Gzip || w.GzipForced) {
		p.Frames = compress(p.Frames, w.Gzip, limit < 0 && p.Ending.Breaks())
	}
	if limit >= 0 {
		p.Frames = cutAt(p.Frames, limit)
	}
	if s := m.Wire.Split; s != nil {
		p.Frames = split(p.Frames, s, r.Rand)
		if s.By == "inside_chunk" {
			p.Torn = cmp.Or(s.Gap, defaultGap)
		}
	}
	if rate := m.Wire.Drip; rate > 0 {
		p.Frames = drip(p.Frames, float64(rate)*speed(&m.Pace))
	}
}

// corrupt overwrites bytes of the frames whose unit says so. The new bytes are never
// valid UTF-8, so that the damage cannot go unnoticed.
func (d *draws) corrupt(frames []player.Frame, units []Unit) {
	i, sent := 0, 0
	for _, u := range units {
		if !u.sends() && u.Hold == "" {
			continue
		}
		if u.Hold == "" {
			sent++
		}
		if u.corrupt > 0 {
			b, at := corrupted(frames[i].Bytes.Data(), u.corrupt, d.rand)
			d.noteOutcome("corrupt: %s of frame %d", nounWithNumbers("byte", at), sent)
			frames[i].Bytes = player.Literal(b)
		}
		i++
	}
}

func corrupted(b []byte, n int, r *rand.Rand) (damaged []byte, at []int) {
	damaged = bytes.Clone(b)
	struck := make([]bool, len(b))
	for len(at) < min(n, len(b)) {
		if i := r.IntN(len(b)); !struck[i] {
			struck[i], damaged[i] = true, 0xff
			at = append(at, i)
		}
	}
	slices.Sort(at)
	return damaged, at
}

// shorten keeps the first n bytes of a frame; -1 keeps half.
func shorten(f *player.Frame, n int64) {
	b := f.Bytes.Data()
	if n < 0 {
		n = int64(len(b) / 2)
	}
	f.Bytes = player.Literal(b[:min(n, int64(len(b)))])
}

// cutInsideRune ends a program after the first byte of a multi-byte character: the first
// such character after a number of frames that have bytes. If there is none, everything is sent.
func cutInsideRune(p *player.Program, after int) {
	sent := 0
	for i := range p.Frames {
		f := &p.Frames[i]
		if f.Hold == "" {
			sent++
		}
		if at := firstWideRune(f.Bytes.Data()); at >= 0 && sent > after {
			shorten(f, int64(at+1))
			p.Frames, p.Ending.Due = p.Frames[:i+1], f.Due
			return
		}
	}
}

// firstWideRune is the position of the first multi-byte character; -1 if there is none.
func firstWideRune(b []byte) int {
	for i := 0; i < len(b); {
		r, size := utf8.DecodeRune(b[i:])
		if size > 1 && r != '\ufeff' {
			return i
		}
		i += size
	}
	return -1
}

func cutAt(frames []player.Frame, limit int64) []player.Frame {
	for i := range frames {
		b := frames[i].Bytes.Data()
		if int64(len(b)) >= limit {
			frames[i].Bytes = player.Literal(b[:limit])
			return frames[:i+1]
		}
		limit -= int64(len(b))
	}
	return frames
}

// compress compresses the body with gzip: flushed after each frame, all in one frame at
// the end, or flushed but only the first half of the bytes. If the stream breaks off, the gzip
// trailer is missing, so that no client takes the body for complete.
func compress(frames []player.Frame, how string, breaks bool) []player.Frame {
	var buf bytes.Buffer
	zip := gzip.NewWriter(&buf)
	out := make([]player.Frame, 0, len(frames)+1)
	for _, f := range frames {
		_, _ = zip.Write(f.Bytes.Data()) // a bytes.Buffer never fails
		switch {
		case f.Hold != "":
		case how == "buffer":
			continue
		default:
			_ = zip.Flush()
			f.Bytes = player.Literal(bytes.Clone(buf.Bytes()))
			buf.Reset()
		}
		out = append(out, f)
	}
	switch {
	case how == "truncate":
		return firstHalf(out)
	case how == "flush" && breaks:
		return out
	case breaks:
		_ = zip.Flush()
	default:
		_ = zip.Close()
	}
	last := player.Frame{Bytes: player.Literal(buf.Bytes())}
	if n := len(frames); n > 0 {
		last.Due, last.Step, last.Kind = frames[n-1].Due, frames[n-1].Step, frames[n-1].Kind
	}
	return append(out, last)
}

// firstHalf drops the second half of the bytes, and ends inside a frame: after a whole one, a client could
// miss nothing that it has seen begin.
func firstHalf(frames []player.Frame) []player.Frame {
	size, boundary := int64(0), map[int64]bool{}
	for i := range frames {
		size += int64(len(frames[i].Bytes.Data()))
		boundary[size] = true
	}
	half := size / 2
	if boundary[half] {
		half--
	}
	return cutAt(frames, half)
}

// maxPieces is how many pieces the bytes of a stream are split into at most. Beyond
// that, frames are no longer split.
const maxPieces = 250_000

// split cuts frames into pieces with a write each. If the cuts do not depend on the
// content, frames that are due together are cut as one sequence of bytes: the end of a
// frame and the beginning of the next can share a write.
func split(frames []player.Frame, s *scenarios.Split, r *rand.Rand) []player.Frame {
	gap := cmp.Or(s.Gap, defaultGap)
	if s.Seed != nil {
		r = rand.New(rand.NewPCG(uint64(*s.Seed), 0))
	}
	across := s.Size > 0 || s.By == "random"
	var out []player.Frame
	before := 0 // before counts the bytes of earlier frames in the same sequence
	passed := int64(0)
	for i, f := range frames {
		if i == 0 || !across || frames[i-1].Hold != "" || frames[i-1].Due != f.Due {
			before = 0
		}
		if f.Hold != "" {
			out = append(out, f)
			continue
		}
		b := f.Bytes.Data()
		at, joins := cuts(b, before, s, maxPieces-len(out), r), before > 0
		if len(s.At) > 0 {
			at, joins = cutsWithin(s.At, passed, len(b)), true
			passed += int64(len(b))
		}
		if joins && len(at) > 0 && at[0] == 0 {
			joins, at = false, at[1:]
		}
		from := 0
		for _, to := range append(at, len(b)) {
			piece := f
			piece.Bytes, piece.More = player.Literal(b[from:to:to]), to < len(b)
			if len(out) > 0 && !joins {
				piece.MinGap = gap
			}
			out = append(out, piece)
			from, joins = to, false
		}
		before += len(b)
	}
	return out
}

// cutsWithin returns the places, given as positions in the whole body, that fall into
// the n bytes after the first passed bytes. They are relative to passed; 0 is before
// the first byte.
func cutsWithin(places []int64, passed int64, n int) []int {
	var at []int
	for _, place := range places {
		if place >= passed && place < passed+int64(n) {
			at = append(at, int(place-passed))
		}
	}
	return at
}

// cuts returns the positions inside b at which it is split, in rising order, and only
// the first if there are more than the limit. Before is how many bytes precede b in the
// same sequence; if there are any, a cut can fall right before b.
func cuts(b []byte, before int, s *scenarios.Split, limit int, r *rand.Rand) []int {
	var at []int
	first := 1
	if before > 0 {
		first = 0
	}
	for i := first; i < len(b) && len(at) < limit; i++ {
		if s.Size > 0 && (before+i)%s.Size == 0 || s.By != "" && cutsAt(b, i, s, r) {
			at = append(at, i)
		}
	}
	return at
}

func cutsAt(b []byte, i int, s *scenarios.Split, r *rand.Rand) bool {
	switch s.By {
	case "byte":
		return true
	case "rune":
		return utf8.RuneStart(b[i])
	case "inside_rune":
		return !utf8.RuneStart(b[i])
	case "crlf":
		return b[i-1] == '\r' && b[i] == '\n'
	case "field":
		return b[i-1] == ':' && atLineStart(b, i-1) || b[i-1] == '\n' || b[i-1] == '\r' || b[i] == '\n' || b[i] == '\r'
	case "random":
		return r.IntN(8) == 0
	}
	return false
}

// atLineStart reports whether the colon at i ends the name of an SSE field.
func atLineStart(b []byte, i int) bool {
	for i--; i >= 0; i-- {
		if b[i] == '\n' || b[i] == '\r' {
			return true
		}
		if b[i] < 'a' || b[i] > 'z' {
			return false
		}
	}
	return true
}

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
