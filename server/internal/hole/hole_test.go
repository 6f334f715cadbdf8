package hole

import (
	"testing"
	"unicode/utf8"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

func TestAHoleIsFoundWhereItWasWritten(t *testing.T) {
	t.Parallel()
	for _, id := range []ID{Padding, Piece, Envelope, Script, 10, 13, 34, 127, 128, 4095, 4096, Max} {
		marked := ojson.Object(ojson.M("a", Value(id)), ojson.M("b", ojson.Int(1))).Append(nil)
		at, got := Next(marked)
		if at != len(`{"a":`) || got != id {
			t.Errorf("hole %d is found as %d at %d", id, got, at)
		}
		mark := marked[at : at+Len]
		if n := utf8.RuneCount(mark); n != Len {
			t.Errorf("hole %d counts as %d characters, want %d", id, n, Len)
		}
		for _, b := range mark[1:] {
			if b < utf8.RuneSelf {
				t.Errorf("hole %d holds the character %q", id, b)
			}
		}
		if got, ok := In(Value(id)); !ok || got != id {
			t.Errorf("In(Value(%d)) = %d, %t", id, got, ok)
		}
	}
}

func TestWhatIsNoHoleIsNotTakenForOne(t *testing.T) {
	t.Parallel()
	for _, v := range []ojson.Value{{}, ojson.Null(), ojson.String("\x00abcd"), ojson.Raw("12345"), ojson.Raw("")} {
		if id, ok := In(v); ok {
			t.Errorf("%q is hole %d", v.Text(), id)
		}
	}
	if at, _ := Next([]byte(`{"a":1}`)); at != -1 {
		t.Errorf("a hole is found at %d where there is none", at)
	}
	if at, _ := Next([]byte("abc\x00\x80")); at != -1 {
		t.Errorf("the beginning of a hole is found at %d as if it were whole", at)
	}
}

func TestFillLeavesTheOriginalAndUnknownHoles(t *testing.T) {
	t.Parallel()
	v := ojson.Object(ojson.M("known", Value(Script)), ojson.M("list", ojson.Array(Value(Script), Value(Script+1))))
	before := v.String()
	got := Fill(v, func(id ID) (ojson.Value, bool) { return ojson.String("x"), id == Script })
	if want := ojson.Object(ojson.M("known", ojson.String("x")), ojson.M("list", ojson.Array(ojson.String("x"), Value(Script+1)))); got.String() != want.String() {
		t.Errorf("got %q, want %q", got, want)
	}
	if v.String() != before {
		t.Errorf("the original has become %q", v)
	}
}

func TestOnIsAnyWayThroughAHole(t *testing.T) {
	t.Parallel()
	v := ojson.Object(ojson.M("a", Value(Script)), ojson.M("b", ojson.Object(ojson.M("c", ojson.Null()))))
	for at, want := range map[string]bool{"a": true, "a.x[0]": true, "b": false, "b.c": false, "b.c.d": false, "e": false} {
		p, err := ojson.ParsePath(at)
		if err != nil {
			t.Fatal(err)
		}
		if got := On(v, p); got != want {
			t.Errorf("On(%s) = %t, want %t", at, got, want)
		}
	}
}
