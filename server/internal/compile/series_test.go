package compile

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

const seriesHole = hole.Script + 3

// withSeries returns a stream whose second unit is a series of these pieces.
func withSeries(pieces ...string) ([]Unit, *player.Values) {
	units := answer()
	content := &units[1]
	content.JSON = content.JSON.Clone()
	content.JSON.Put(inChoice(path("delta.content").Path), hole.Value(hole.Piece))
	content.Series, content.PieceGap = seriesHole, ptr(time.Second)
	units = slices.Delete(units, 2, 3)
	v := new(player.Values)
	var json hole.Pieces
	for _, piece := range pieces {
		json.Add(ojson.Style{}, piece)
	}
	v.SetSeries(seriesHole, json)
	return units, v
}

// A series gives the same frames as its pieces written one by one.
func TestASeriesIsAsManyFramesAsItsTextHasPieces(t *testing.T) {
	t.Parallel()
	all := scenarios.Selector{Kind: "content"}
	for name, m := range map[string]scenarios.Manner{
		"plain":         {},
		"numbered":      {Wire: scenarios.Wire{IDs: &scenarios.EventIDs{}, Retry: ptr(7), BOM: ptr(true)}},
		"ASCII":         {Wire: scenarios.Wire{JSONStyle: &scenarios.JSONStyle{Spaces: true, Escapes: "ascii"}}},
		"in bytes":      {Wire: scenarios.Wire{Split: &scenarios.Split{By: "byte"}}},
		"damaged":       {Damage: []scenarios.Damage{{Op: "rename", Frames: all, From: path("delta.content"), To: "text"}}},
		"dropped":       {Damage: []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Position: 3}}}},
		"cut":           {End: scenarios.End{Kind: scenarios.EndCut, After: ptr(2)}},
		"at a pace":     {Pace: scenarios.Pace{First: &scenarios.First{Mean: time.Minute}, Every: ptr(time.Millisecond)}},
		"with an end":   {End: scenarios.End{Kind: scenarios.EndClose, After: ptr(-2)}},
		"mixed newline": {Wire: scenarios.Wire{Newline: "mixed"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			written := answer()
			written[2].Gap = ptr(time.Second)
			want := program(t, written, m, false)
			units, v := withSeries("é", "b")
			if m.Wire.JSONStyle != nil {
				var ascii hole.Pieces
				for _, piece := range []string{"é", "b"} {
					ascii.Add(Style(m.Wire.JSONStyle), piece)
				}
				v.SetSeries(seriesHole, ascii)
			}
			got := programWith(t, units, options(m, false), v)
			if g, w := played(got, v), played(want, new(player.Values)); !slices.Equal(g, w) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(g, "\n"), strings.Join(w, "\n"))
			}
		})
	}
}

// played prints each frame with its due time.
func played(p *player.Program, v *player.Values) []string {
	var list []string
	for f, due := range p.All() {
		list = append(list, due.String()+" "+string(f.Append(nil, v)))
	}
	return list
}

// A series gives the frames of its pieces, but is one frame where the pauses are even and
// nothing needs the frames one by one.
func TestASeriesIsOneFrameWhereItCanBe(t *testing.T) {
	t.Parallel()
	pieces := strings.Split(strings.Repeat("one two é ", 30), " ")
	evenly := map[string]bool{"plain": true, "at a pace": true, "at a constant pace": true}
	for name, m := range map[string]scenarios.Manner{
		"plain":              {},
		"at a pace":          {Pace: scenarios.Pace{First: &scenarios.First{Mean: time.Minute}, Every: ptr(time.Millisecond)}},
		"in bursts":          {Pace: scenarios.Pace{Every: ptr(time.Millisecond), Burst: &scenarios.Burst{Min: 2, Max: 2}}},
		"at a constant pace": {Pace: scenarios.Pace{Every: ptr(time.Second), Distribution: "constant", Speed: 3}},
		"at an uneven pace":  {Pace: scenarios.Pace{Every: ptr(time.Second), Jitter: ptr(time.Second / 2)}},
		"without last blank": {Wire: scenarios.Wire{FinalBlank: ptr(false), Done: ptr(0)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			units, v := withSeries(pieces...)
			if m.Pace.Every != nil {
				units[1].PieceGap = nil // leave the pause to the pace
			}
			want := programWith(t, expandSeries(units, v), options(m, false), v)
			got := programWith(t, units, options(m, false), v)
			if alone := len(got.Frames) < 10; alone != evenly[name] || len(want.Frames) < len(pieces) {
				t.Errorf("%d frames are held of %d", len(got.Frames), len(want.Frames))
			}
			if g, w := played(got, v), played(want, v); !slices.Equal(g, w) || got.Ending != want.Ending {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(g, "\n"), strings.Join(w, "\n"))
			}
		})
	}
}

func TestASeriesWithoutPiecesSendsNothing(t *testing.T) {
	t.Parallel()
	units, v := withSeries()
	if got := len(programWith(t, units, options(scenarios.Manner{}, false), v).Frames); got != 3 {
		t.Errorf("%d frames, want the role, the finish and [DONE]", got)
	}
}

// A stream is shared: making the program of one request does not change those of
// others.
func TestProgramsOfOneStreamShareNoState(t *testing.T) {
	t.Parallel()
	units, first := withSeries("one")
	_, second := withSeries("two", "three")
	s, err := NewStream(units, options(scenarios.Manner{}, false))
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, v := range []*player.Values{first, second, first} {
		p, err := s.Program(requestOf(v))
		if err != nil {
			t.Fatal(err)
		}
		text := strings.Join(played(p, v), "")
		got = append(got, text)
	}
	if got[0] != got[2] || !strings.Contains(got[0], "one") || strings.Contains(got[0], "two") {
		t.Errorf("the first request gets\n%s\nand again\n%s", got[0], got[2])
	}
	if !strings.Contains(got[1], "two") || !strings.Contains(got[1], "three") || strings.Contains(got[1], "one") {
		t.Errorf("the second request gets\n%s", got[1])
	}
}

func TestAStreamGoesOnAfterAnEventOfASeries(t *testing.T) {
	t.Parallel()
	units, v := withSeries("é", "b")
	m := scenarios.Manner{Wire: scenarios.Wire{IDs: &scenarios.EventIDs{}}}
	whole := strings.Join(played(programWith(t, units, options(m, false), v), v), "")
	s, err := NewStream(units, options(m, false))
	if err != nil {
		t.Fatal(err)
	}
	r := requestOf(v)
	r.After = "2"
	p, err := s.Program(r)
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Frames) != 3 || p.Frames[0].Due != 0 {
		t.Errorf("%d frames, the first after %v; want the last three, at once", len(p.Frames), p.Frames[0].Due)
	}
	if first := string(p.Frames[0].Append(nil, v)); !strings.Contains(whole, first) || !strings.Contains(first, `"content":"b"`) || !strings.Contains(first, "id: 3\n") {
		t.Errorf("it goes on with %q of\n%s", first, whole)
	}
}

func TestASeriesIsSentWholeWhenTheServerShutsDown(t *testing.T) {
	t.Parallel()
	units, v := withSeries("é", "b")
	got, err := Shutdown(units, options(scenarios.Manner{}, false), requestOf(v))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != plain {
		t.Errorf("got\n%s\nwant\n%s", got, plain)
	}
}
