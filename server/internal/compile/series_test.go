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

// withSeries returns a stream whose second unit is a series of these pieces in this style.
func withSeries(style ojson.Style, pieces ...string) ([]Unit, *player.Values) {
	units := answer()
	content := &units[1]
	content.JSON = content.JSON.Clone()
	content.JSON.Put(inChoice(path("delta.content").Path), hole.Value(hole.Piece))
	content.Series, content.PieceGap = seriesHole, ptr(time.Second)
	units = slices.Delete(units, 2, 3)
	v := new(player.Values)
	var json hole.Pieces
	for _, piece := range pieces {
		json.Add(style, piece)
	}
	v.SetSeries(seriesHole, json)
	return units, v
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
	all := scenarios.Selector{Kind: "content"}
	pieces := strings.Split(strings.Repeat("one two é ", 30), " ")
	for _, tt := range []struct {
		name   string
		manner scenarios.Manner
		evenly bool
	}{
		{"plain", scenarios.Manner{}, true},
		{"ASCII", scenarios.Manner{Wire: scenarios.Wire{JSONStyle: &scenarios.JSONStyle{Spaces: true, Escapes: "ascii"}}}, true},
		{"at a pace", scenarios.Manner{Pace: scenarios.Pace{First: &scenarios.First{Mean: time.Minute}, Every: ptr(time.Millisecond)}}, true},
		{"at a constant pace", scenarios.Manner{Pace: scenarios.Pace{Every: ptr(time.Second), Distribution: "constant", Speed: 3}}, true},
		{"at an uneven pace", scenarios.Manner{Pace: scenarios.Pace{Every: ptr(time.Second), Jitter: ptr(time.Second / 2)}}, false},
		{"in bursts", scenarios.Manner{Pace: scenarios.Pace{Every: ptr(time.Millisecond), Burst: &scenarios.Bounds{Min: 2, Max: 2}}}, false},
		{"without last blank", scenarios.Manner{Wire: scenarios.Wire{FinalBlank: ptr(false), Done: ptr(0)}}, false},
		{"numbered", scenarios.Manner{Wire: scenarios.Wire{IDs: &scenarios.EventIDs{}, Retry: ptr(7), BOM: ptr(true)}}, false},
		{"in bytes", scenarios.Manner{Wire: scenarios.Wire{Split: &scenarios.Split{By: "byte"}}}, false},
		{"damaged", scenarios.Manner{Damage: []scenarios.Damage{{Op: "rename", Frames: all, From: path("delta.content"), To: "text"}}}, false},
		{"dropped", scenarios.Manner{Damage: []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Position: 3}}}}, false},
		{"cut", scenarios.Manner{End: scenarios.End{Kind: scenarios.EndCut, After: ptr(2)}}, false},
		{"with an end", scenarios.Manner{End: scenarios.End{Kind: scenarios.EndClose, After: ptr(-2)}}, false},
		{"mixed newline", scenarios.Manner{Wire: scenarios.Wire{Newline: "mixed"}}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			units, v := withSeries(Style(tt.manner.Wire.JSONStyle), pieces...)
			if tt.manner.Pace.Every != nil {
				units[1].PieceGap = nil // leave the pause to the pace
			}
			var written []Unit
			for _, u := range units {
				if u.Series == 0 {
					written = append(written, u)
					continue
				}
				for i, piece := range pieces {
					one := u
					one.Series, one.JSON = 0, u.JSON.Clone()
					one.JSON.Put(inChoice(path("delta.content").Path), ojson.String(piece))
					if i > 0 {
						one.Gap = u.PieceGap
					}
					written = append(written, one)
				}
			}
			want := programWith(t, written, options(tt.manner, false), v)
			got := programWith(t, units, options(tt.manner, false), v)
			if alone := len(got.Frames) < 10; alone != tt.evenly && len(want.Frames) > 10 {
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
	units, v := withSeries(ojson.Style{})
	if got := len(programWith(t, units, options(scenarios.Manner{}, false), v).Frames); got != 3 {
		t.Errorf("%d frames, want the role, the finish and [DONE]", got)
	}
}

// A stream is shared: making the program of one request does not change those of
// others.
func TestProgramsOfOneStreamShareNoState(t *testing.T) {
	t.Parallel()
	units, first := withSeries(ojson.Style{}, "one")
	_, second := withSeries(ojson.Style{}, "two", "three")
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
	units, v := withSeries(ojson.Style{}, "é", "b")
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
	units, v := withSeries(ojson.Style{}, "é", "b")
	got, err := Shutdown(units, options(scenarios.Manner{}, false), requestOf(v))
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != plain {
		t.Errorf("got\n%s\nwant\n%s", got, plain)
	}
}
