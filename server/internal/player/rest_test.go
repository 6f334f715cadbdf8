package player

import "testing"

func TestRestIsWhatIsMissingOfAnEvent(t *testing.T) {
	t.Parallel()
	piece := func(text string, more bool) Frame { return Frame{Bytes: Literal([]byte(text)), More: more} }
	p := &Program{Frames: []Frame{piece("a1", true), piece("a2", true), piece("a3", false), {Hold: "h"}, piece("b1", true), piece("b2", false), piece("c", false)}}
	for written, want := range []string{"", "a2a3", "a3", "", "b2", "", "", ""} {
		if got := string(p.Rest(written, new(Values))); got != want {
			t.Errorf("after %d frames %q is missing, want %q", written, got, want)
		}
	}
}
