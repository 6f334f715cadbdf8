package table

import (
	"testing"

	"gopkg.in/yaml.v3"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// A later section is built once, when a value is first read or written with it, and works like
// a section that was built at once.
func TestALaterSectionIsMadeWhenItIsNeeded(t *testing.T) {
	t.Parallel()
	type point struct{ X, Y int }
	made := 0
	section := func() *Section[*point] {
		made++
		return &Section[*point]{Name: "point", Fields: []Field[*point]{
			Key("x", "Right.", IntCodec("a number", 0, 9), func(p *point) *int { return &p.X }),
			Key("y", "Down.", IntCodec("a number", 0, 9), func(p *point) *int { return &p.Y }),
		}}
	}
	now := section().Codec("a point")
	made = 0
	later := Later("a point", section)
	line := ListOf("a list of points", later) // ListOf does not build the section
	if made != 0 {
		t.Error("the section is made before it is needed")
	}
	for _, src := range []string{"{x: 1, y: 2}", "{x: 1, z: 2}", "x", "[]", "{x: 12}"} {
		var doc yaml.Node
		if err := yaml.Unmarshal([]byte(src), &doc); err != nil {
			t.Fatal(err)
		}
		d, want := &Decoder{Reader: &node.Reader{}}, &Decoder{Reader: &node.Reader{}}
		var got, wanted point
		ok, wantOK := later.Read(d, doc.Content[0], &got), now.Read(want, doc.Content[0], &wanted)
		if got != wanted || ok != wantOK || d.Problems.Error() != want.Problems.Error() {
			t.Errorf("%s: %v, %v, %v; want %v, %v, %v", src, got, ok, d.Problems, wanted, wantOK, want.Problems)
		}
	}
	if line.Write(&[]point{{1, 2}}) == nil {
		t.Error("a list of points is not written")
	}
	if made != 1 {
		t.Errorf("the section is made %d times, want once", made)
	}
}
