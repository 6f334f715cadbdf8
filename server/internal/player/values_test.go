package player

import (
	"math/rand/v2"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// chunk returns a frame like most frames: a head with holes, a text or a piece of a run, and padding.
func chunk(text ojson.Value) (*Frame, *Values) {
	json := ojson.Object(
		ojson.M("id", hole.Value(hole.Envelope)), ojson.M("created", hole.Value(hole.Envelope+1)),
		ojson.M("content", text), ojson.M("obfuscation", hole.Value(hole.Padding)),
	).Append(nil)
	var heads Heads
	pieces := hole.NewPieces(1, 0)
	pieces.Add(ojson.Style{}, " piece")
	v := new(Values)
	v.Pad(func(dst []byte, length int, _ rand.Source) []byte {
		return append(dst, "ppppppppppppppp"[:(1-length)&15]...)
	}, nil)
	v.Set(hole.Envelope, []byte(`"chatcmpl-0123456789"`))
	v.SetInt(hole.Envelope+1, 1_790_000_000)
	return &Frame{Bytes: heads.NewTemplate(append(append([]byte("data: "), json...), "\n\n"...), json), Piece: NewFilling(pieces, 0)}, v
}

// chunks returns the texts of frames.
var chunks = map[string]ojson.Value{"a text": ojson.String(" word"), "a piece": hole.Value(hole.Piece)}

func TestAppendingAFrameTakesNoMemory(t *testing.T) { // not parallel: it counts allocations of the process
	for name, text := range chunks {
		frame, v := chunk(text)
		dst := frame.Append(nil, v)
		if got := testing.AllocsPerRun(100, func() { dst = frame.Append(dst[:0], v) }); got > 0 {
			t.Errorf("%s: %.0f allocations, want none", name, got)
		}
	}
}

// A hole that is filled twice has the last value, and other holes keep theirs.
func TestHolesAreFilledAgain(t *testing.T) {
	t.Parallel()
	v := new(Values)
	long := append(append([]byte{'"'}, make([]byte, 2*textSize)...), '"')
	for i := range hole.ID(3 * fewOfScript) {
		v.SetInt(hole.Script+i, int64(i))
	}
	v.Set(hole.Envelope, []byte(`"first"`))
	v.Set(hole.Script+1, long)
	v.Set(hole.Envelope, []byte(`"second"`))
	if string(v.Get(hole.Envelope)) != `"second"` || string(v.Get(hole.Script+1)) != string(long) || string(v.Get(hole.Script+5)) != "5" || len(v.Get(hole.Envelope+3)) > 0 {
		t.Errorf("%s, %s, %s", v.Get(hole.Envelope), v.Get(hole.Script+1), v.Get(hole.Script+5))
	}
}
