package player

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

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
