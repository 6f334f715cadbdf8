package compile

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

func TestWhatChanceDecidesIsWrittenDown(t *testing.T) {
	t.Parallel()
	all := scenarios.Selector{Kind: "all"}
	tests := []struct {
		name   string
		manner scenarios.Manner
		want   []string
	}{
		{"nothing is left to chance", scenarios.Manner{Damage: []scenarios.Damage{{Op: "drop", Frames: all}}, End: scenarios.End{Kind: scenarios.EndCut}}, nil},
		{"a damage that always comes", scenarios.Manner{Damage: []scenarios.Damage{{Op: "duplicate", Frames: all, Chance: ptr(1.0)}}}, []string{"damage 1 (duplicate) struck frames 1, 2, 3, 4, 5"}},
		{"a damage that never comes", scenarios.Manner{Damage: []scenarios.Damage{{Op: "drop", Frames: all, Chance: ptr(0.0)}}}, []string{"damage 1 (drop) struck nothing"}},
		{"frames are counted as the damage finds them", scenarios.Manner{Damage: []scenarios.Damage{
			{Op: "drop", Frames: scenarios.Selector{Position: 1}},
			{Op: "rename", Frames: scenarios.Selector{Kind: "finish"}, From: path("id"), To: "x", Chance: ptr(1.0)},
		}}, []string{"damage 2 (rename) struck frame 3"}},
		{"a swap", scenarios.Manner{Damage: []scenarios.Damage{{Op: "swap", Frames: scenarios.Selector{Position: 3}, With: scenarios.Selector{Position: 1}, Chance: ptr(1.0)}}}, []string{"damage 1 (swap) struck frame 3"}},
		{"an ending that comes", scenarios.Manner{End: scenarios.End{Kind: scenarios.EndReset, Chance: ptr(1.0)}}, []string{"end reset: drawn"}},
		{"an ending that does not come", scenarios.Manner{End: scenarios.End{Kind: scenarios.EndReset, Chance: ptr(0.0)}}, []string{"end reset: not drawn"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := program(t, answer(), tt.manner, false).Chance; !slices.Equal(got, tt.want) {
				t.Errorf("it says %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDamagedBytesAreNamed(t *testing.T) {
	t.Parallel()
	m := scenarios.Manner{Damage: []scenarios.Damage{{Op: "corrupt", Frames: scenarios.Selector{Kind: "finish"}, Bytes: 2}}}
	p := program(t, answer(), m, false)
	var at []int
	for i, b := range p.Frames[3].Bytes.Data() {
		if b == 0xff {
			at = append(at, i)
		}
	}
	want := "corrupt: " + nounWithNumbers("byte", at) + " of frame 4"
	if len(at) == 0 || !slices.Equal(p.Chance, []string{want}) {
		t.Errorf("it says %q, want %q", p.Chance, want)
	}
}

func TestAnAnswerInOnePieceIsDamagedAsOneFrame(t *testing.T) {
	t.Parallel()
	object := ojson.Object(ojson.M("a", ojson.String("1")))
	tests := []struct {
		name   string
		manner scenarios.Manner
		want   string
	}{
		{"as it is", scenarios.Manner{}, "{\n  \"a\": \"1\"\n}\n"},
		{"dropped", scenarios.Manner{Damage: []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Position: 1}}}}, ""},
		{"twice", scenarios.Manner{Damage: []scenarios.Damage{{Op: "duplicate", Frames: scenarios.Selector{Position: -1}}}, Wire: scenarios.Wire{JSONStyle: &scenarios.JSONStyle{}}}, `{"a":"1"}{"a":"1"}`},
		{"with another name in it", scenarios.Manner{Damage: []scenarios.Damage{{Op: "rename", Frames: scenarios.Selector{Kind: "all"}, From: path("a"), To: "b"}}, Wire: scenarios.Wire{JSONStyle: &scenarios.JSONStyle{}}}, `{"b":"1"}`},
		{"what is meant for a stream's frames does not touch it", scenarios.Manner{Damage: []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Kind: "finish"}}}, Wire: scenarios.Wire{JSONStyle: &scenarios.JSONStyle{}}}, `{"a":"1"}`},
		{"cut in the middle", scenarios.Manner{End: scenarios.End{Kind: scenarios.EndCut}, Wire: scenarios.Wire{JSONStyle: &scenarios.JSONStyle{}}}, `{"a"`},
		{"cut after it", scenarios.Manner{End: scenarios.End{Kind: scenarios.EndCut, Inside: ptr(false)}, Wire: scenarios.Wire{JSONStyle: &scenarios.JSONStyle{}}}, `{"a":"1"}`},
		{"a cut that chance does not let happen", scenarios.Manner{End: scenarios.End{Kind: scenarios.EndCut, Chance: ptr(0.0)}, Wire: scenarios.Wire{JSONStyle: &scenarios.JSONStyle{}}}, `{"a":"1"}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			units := []Unit{{Kind: "hold", Hold: "h"}, {Kind: "finish"}}
			o := options(tt.manner, false)
			p := Body(units, Unit{Kind: "completion", JSON: object, FinalNewline: true}, &o, requestOf(new(player.Values)))
			if p.Frames[0].Hold != "h" {
				t.Errorf("the hold is lost: %+v", p.Frames)
			}
			if got := body(p); got != tt.want {
				t.Errorf("sent %q, want %q", got, tt.want)
			}
		})
	}
}

func TestDrippingBytesFlowEvenly(t *testing.T) {
	t.Parallel()
	frames := []player.Frame{
		{Bytes: player.Literal([]byte("abc"))},
		{Bytes: player.Literal([]byte("d"))},
		{Due: time.Second, Bytes: player.Literal([]byte("e"))},
		{Hold: "h"},
		{Bytes: player.Literal([]byte("f"))},
	}
	tests := []struct {
		name string
		rate float64
		want []string
	}{
		{"byte by byte", 10, []string{"0s a", "100ms b", "200ms c", "300ms d", "1s e", "hold", "0s f"}},
		{"in as few writes as look even", 40, []string{"0s ab", "50ms c", "75ms d", "1s e", "hold", "0s f"}},
		{"without pauses", math.Inf(1), []string{"0s abc", "0s d", "1s e", "hold", "0s f"}},
		{"all at once when that is fast enough", 1e6, []string{"0s abc", "3µs d", "1s e", "hold", "0s f"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			for _, f := range drip(frames, tt.rate) {
				if f.Hold != "" {
					got = append(got, "hold")
					continue
				}
				got = append(got, f.Due.String()+" "+string(f.Bytes.Data()))
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("sent %q, want %q", got, tt.want)
			}
		})
	}
	slow := scenarios.Manner{Wire: scenarios.Wire{Drip: 1000, HeaderDelay: ptr(10 * ms)}, Pace: scenarios.Pace{Speed: 0.01}}
	p := program(t, []Unit{{Kind: "raw", Raw: ptr("ab")}}, slow, false)
	if p.HeaderDelay != time.Second || p.Frames[1].Due != 100*ms {
		t.Errorf("at a hundredth of the speed the header comes after %v, the second byte after %v", p.HeaderDelay, p.Frames[1].Due)
	}
}
