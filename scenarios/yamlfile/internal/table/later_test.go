package table

import (
	"slices"
	"testing"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// A later section is built once, when a value is first read or written with it.
func TestALaterSectionIsMadeWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	type point struct{ X, Y int }
	made := 0
	later := Later[point]("a point", func() *Section {
		made++
		return &Section{Name: "point", Fields: []Field{Key("x", "Right.", IntCodec("a number", 0, 9))}}
	})
	line := ListOf("a list of points", later)
	if made != 0 {
		t.Error("the section is made before it is needed")
	}
	list := []point{{X: 1}}
	n := line.Write(&list)
	d, got := &Decoder{Reader: &node.Reader{}}, []point(nil)
	if n == nil || !line.Read(d, n, &got) || !slices.Equal(got, list) || made != 1 {
		t.Errorf("%v is read as %v, and the section is made %d times, want once", list, got, made)
	}
}
