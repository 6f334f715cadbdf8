package compile

import (
	"math"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

// cutoff is the place at which a stream ends early, counted in units that send
// something.
type cutoff struct {
	units  int   // units is how many units are sent; -1 is all.
	bytes  int64 // bytes is how many bytes are sent; -1 is all.
	inside bool  // inside says that a part of the following unit is sent, too.
	part   int64 // part is how many bytes of that unit are sent; -1 is half of them.
	// rune says that, after the units, everything is sent up to the middle of the first
	// multi-byte character.
	rune bool
}

var noCutoff = cutoff{units: -1, bytes: -1, part: -1}

// endsInside reports whether an ending that names no byte falls inside a frame.
func endsInside(e scenarios.End) bool {
	if e.All || e.InsideRune {
		return false
	}
	return isTrue(e.Inside) || e.Kind == scenarios.EndCut && e.Inside == nil
}

// cutoffOf returns the cutoff of an ending. If the ending names no place, a message
// ends before its closing units and a stream after all that is written; a cut falls
// inside the last unit before that.
func cutoffOf(e scenarios.End, units []Unit, fromMessage bool) cutoff {
	s := noCutoff
	switch {
	case e.Kind == "" || e.All || e.Kind == scenarios.EndLinger && e.After == nil && e.Byte == nil && !endsInside(e) && !e.InsideRune:
		return noCutoff
	case e.Kind == scenarios.EndRefuse:
		s.units = 0
		return s
	case e.Byte != nil && e.After == nil:
		s.bytes = *e.Byte
		return s
	case e.After != nil:
		s.units = countSent(units, *e.After)
	case e.InsideRune:
		s.units = 0
	default:
		s.units = countSent(units, math.MaxInt)
		if i := closingIndex(units); i >= 0 {
			s.units = countSent(units[:i], math.MaxInt)
		}
		if endsInside(e) && !fromMessage {
			s.units = max(0, s.units-1)
		}
	}
	s.rune, s.inside = e.InsideRune, endsInside(e)
	if e.Byte != nil {
		s.inside, s.part = true, *e.Byte
	}
	return s
}

// countSent is how many of the units that send something come before an ending: n of
// them, or all but -n if n is negative; never more than there are.
func countSent(units []Unit, n int) int {
	total := 0
	for i := range units {
		if units[i].sends() {
			total++
		}
	}
	if n < 0 {
		n += total
	}
	return max(0, min(n, total))
}

// closingIndex is the index of the first unit that an early ending leaves out: the one
// that begins the close of a message, or the one that completes the stream; -1 for
// none.
func closingIndex(units []Unit) int {
	if i := slices.IndexFunc(units, func(u Unit) bool { return u.Closing }); i >= 0 {
		return i
	}
	if last := len(units) - 1; last >= 0 && units[last].Final {
		return last
	}
	return -1
}

// truncate ends the units at the cutoff. A unit inside which the stream ends is kept,
// and its index is the second result; otherwise that is -1.
func truncate(units []Unit, s cutoff) ([]Unit, int) {
	if s.units < 0 || s.rune {
		return units, -1
	}
	sent := 0
	for i := range units {
		if !units[i].sends() {
			continue
		}
		if sent == s.units {
			if s.inside {
				return units[:i+1], i
			}
			return units[:i], -1
		}
		sent++
	}
	return units, -1
}

// defaultSilence is how long a stall or a linger lasts by default. It is finite,
// because some clients wait as long as the server does.
const defaultSilence = time.Minute

var endingKinds = map[scenarios.EndKind]player.EndingKind{
	scenarios.EndCut:    player.EndCut,
	scenarios.EndReset:  player.EndReset,
	scenarios.EndRefuse: player.EndRefuse,
	scenarios.EndStall:  player.EndStall,
	scenarios.EndLinger: player.EndLinger,
}

func playerEnding(e scenarios.End) player.Ending {
	kind := endingKinds[e.Kind]
	if e.Kind == scenarios.EndRefuse && e.Reset {
		kind = player.EndRefuseReset
	}
	silence := defaultSilence
	if e.For != nil {
		silence = *e.For
	}
	return player.Ending{Kind: kind, For: silence, Code: e.Code, Reason: e.Reason, Authored: e.Kind != ""}
}
