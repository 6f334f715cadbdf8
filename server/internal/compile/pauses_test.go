package compile

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
)

const ms = time.Millisecond

// chunks returns n units to which the pace applies.
func chunks(n int) []Unit {
	units := make([]Unit, n)
	for i := range units {
		units[i].Paced = true
	}
	return units
}

// firsts returns first pauses, each drawn for another request.
func firsts(f scenarios.First, n int) []time.Duration {
	pace := scenarios.Pace{First: &f}
	list := make([]time.Duration, n)
	for i := range list {
		list[i] = schedule(chunks(1), &pace, Pauses{Rand: rand.New(rand.NewPCG(7, uint64(i)))})[0]
	}
	slices.Sort(list)
	return list
}

// The quantiles of a distribution with a mean of 400 ms are known. For lognormal with a deviation
// as large as the mean m, the variance of the logarithm is ln 2, so that the median is m/sqrt(2),
// and the percentile of the normal quantile z is m/sqrt(2)·exp(z·sqrt(ln 2)). For gamma, they are
// those of a squared normal variable, or, with a deviation as large as the mean, those of an
// exponential variable.
func TestTheFirstPauseIsDrawnAsGapsAre(t *testing.T) {
	t.Parallel()
	const n = 20000
	mean := 400 * ms
	for _, tt := range []struct {
		first         scenarios.First
		p10, p50, p99 time.Duration
	}{
		{scenarios.First{Mean: mean}, mean, mean, mean},
		{scenarios.First{Mean: mean, Jitter: ptr(100 * ms)}, 320 * ms, mean, 498 * ms},
		{scenarios.First{Mean: mean, Distribution: "uniform"}, 80 * ms, mean, 792 * ms},
		{scenarios.First{Mean: mean, Distribution: "normal"}, 272 * ms, mean, 633 * ms},
		{scenarios.First{Mean: mean, Distribution: "normal", Jitter: ptr(50 * ms)}, 336 * ms, mean, 516 * ms},
		{scenarios.First{Mean: mean, Distribution: "lognormal", Jitter: ptr(mean)}, 97 * ms, 283 * ms, 1962 * ms},
		{scenarios.First{Mean: mean, Distribution: "gamma"}, 6 * ms, 182 * ms, 2654 * ms},
		{scenarios.First{Mean: mean, Distribution: "gamma", Jitter: ptr(mean)}, 42 * ms, 277 * ms, 1842 * ms},
	} {
		got := firsts(tt.first, n)
		for _, q := range []struct {
			percent int
			want    time.Duration
		}{{10, tt.p10}, {50, tt.p50}, {99, tt.p99}} {
			if at := got[n*q.percent/100]; at < q.want*93/100-ms || at > q.want*107/100+ms {
				t.Errorf("%+v: percentile %d is %v, want about %v", tt.first, q.percent, at, q.want)
			}
		}
	}
}

func TestThePacesJitterVariesAFirstPauseThatSaysNothingElse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		first  scenarios.First
		varies bool
	}{
		{scenarios.First{Mean: 400 * ms}, true},
		{scenarios.First{Mean: 400 * ms, Jitter: ptr(time.Duration(0))}, false},
		{scenarios.First{Mean: 400 * ms, Distribution: "constant"}, false},
	} {
		due := schedule(chunks(1), &scenarios.Pace{First: &tt.first, Jitter: ptr(50 * ms)}, drawing())[0]
		if due != 400*ms != tt.varies {
			t.Errorf("%+v: the first pause is %v", tt.first, due)
		}
	}
}

// Each size of a burst is equally frequent, and so is each pause the same.
func TestTheSizesOfBurstsAreDrawn(t *testing.T) {
	t.Parallel()
	const n = 30000
	due := schedule(chunks(n), &scenarios.Pace{Every: ptr(10 * ms), Burst: &scenarios.Bounds{Min: 2, Max: 6}}, drawing())
	sizes, size := map[int]int{}, 0
	for i := range due {
		if i > 0 && due[i] > due[i-1] {
			if pause := due[i] - due[i-1]; pause != 10*ms {
				t.Fatalf("after a burst of %d comes a pause of %v", size, pause)
			}
			sizes[size]++
			size = 0
		}
		size++
	}
	for size := 2; size <= 6; size++ {
		if sizes[size] < n/4/5*85/100 || len(sizes) != 5 {
			t.Errorf("bursts have the sizes %v, want about as many of each from 2 to 6", sizes)
		}
	}
}

// Without a request, as in a plan, a burst is as large as bursts are on average.
func TestABurstThatIsNotDrawnIsTheMean(t *testing.T) {
	t.Parallel()
	due := schedule(chunks(4), &scenarios.Pace{Every: ptr(time.Second), Burst: &scenarios.Bounds{Min: 1, Max: 3}}, Pauses{})
	if want := []time.Duration{0, 0, time.Second, time.Second}; !slices.Equal(due, want) {
		t.Errorf("the chunks are due at %v, want %v", due, want)
	}
}

// A shared program with the pauses of a request equals the program that is made for
// that request alone. The shared program does not change.
func TestASharedProgramTakesThePausesOfARequest(t *testing.T) {
	t.Parallel()
	paces := map[string]scenarios.Pace{
		"a drawn first":   {First: &scenarios.First{Mean: time.Second, Distribution: "lognormal"}, Every: ptr(10 * ms)},
		"drawn gaps":      {Every: ptr(10 * ms), Jitter: ptr(5 * ms)},
		"drawn bursts":    {Every: ptr(10 * ms), Burst: &scenarios.Bounds{Min: 1, Max: 3}},
		"a gamma of them": {First: &scenarios.First{Mean: ms}, Every: ptr(10 * ms), Distribution: "gamma"},
	}
	manners := map[string]scenarios.Manner{
		"as it is": {}, "done twice": {Wire: scenarios.Wire{Done: ptr(2)}},
		"an early end": {End: scenarios.End{Kind: scenarios.EndStall, After: ptr(3)}},
	}
	edits := map[string]func([]Unit) []Unit{
		"plain": func(u []Unit) []Unit { return u },
		"a hold, a wait and a jitter of a step": func(u []Unit) []Unit {
			u[1].Gap, u[1].Jitter = ptr(time.Second), 400*ms
			return slices.Insert(u, 2, Unit{Kind: "hold", Hold: "h"}, Unit{Silent: true, Gap: ptr(time.Second)})
		},
	}
	for paceName, pace := range paces {
		for mannerName, m := range manners {
			for edit, units := range edits {
				m.Pace = pace
				s, err := NewStream(units(answer()), Options{Manner: m, Render: func(t scenarios.Text) (string, error) { return t.Source, nil }})
				if err != nil {
					t.Fatal(err)
				}
				if !DrawsPauses(s.units, &pace) {
					t.Fatalf("%s: nothing is drawn", paceName)
				}
				shared, err := s.Program(Request{})
				if err != nil {
					t.Fatal(err)
				}
				before := times(shared)
				r := Request{Pauses: Pauses{Rand: rand.New(rand.NewPCG(3, 4))}}
				own, err := s.Program(r)
				if err != nil {
					t.Fatal(err)
				}
				r.Pauses.Rand = rand.New(rand.NewPCG(3, 4))
				if got, want := times(s.WithPauses(shared, r.Pauses)), times(own); got != want || got == before {
					t.Errorf("%s, %s, %s: due\n%s\nwant\n%s\nof all requests\n%s", paceName, mannerName, edit, got, want, before)
				}
				if times(shared) != before {
					t.Errorf("%s, %s, %s: what is shared has changed", paceName, mannerName, edit)
				}
			}
		}
	}
}

// times prints the due times of a program and of its end.
func times(p *player.Program) string {
	var b strings.Builder
	for f, due := range p.All() {
		fmt.Fprintf(&b, "%s%v ", f.Hold, due)
	}
	fmt.Fprint(&b, p.Ending.Due)
	return b.String()
}

// The body of an answer that is not streamed is sent at the time when its stream would have ended.
func TestABodyTakesThePausesOfARequest(t *testing.T) {
	t.Parallel()
	for name, units := range map[string][]Unit{"plain": answer(), "a hold": slices.Insert(answer(), 2, Unit{Kind: "hold", Hold: "h"}), "none": nil} {
		o := Options{Manner: scenarios.Manner{Pace: scenarios.Pace{First: &scenarios.First{Mean: time.Second}, Every: ptr(time.Second), Jitter: ptr(ms)}}}
		body := Unit{Kind: "completion", Raw: ptr("body")}
		shared := Body(units, body, &o, Request{})
		own := Body(units, body, &o, Request{Pauses: Pauses{Rand: rand.New(rand.NewPCG(3, 4))}})
		got := BodyWithPauses(shared, units, &o.Manner, Pauses{Rand: rand.New(rand.NewPCG(3, 4))})
		if times(got) != times(own) || len(units) > 0 && times(got) == times(shared) {
			t.Errorf("%s: due %s, want %s", name, times(got), times(own))
		}
	}
}

func TestDrawsPausesOnlyWhereChanceDecides(t *testing.T) {
	t.Parallel()
	first := func(f scenarios.First) scenarios.Pace { return scenarios.Pace{First: &f} }
	for _, tt := range []struct {
		pace  scenarios.Pace
		drawn bool
	}{
		{scenarios.Pace{}, false},
		{scenarios.Pace{Every: ptr(ms), Distribution: "constant", Jitter: ptr(time.Duration(0)), Burst: &scenarios.Bounds{Min: 3, Max: 3}}, false},
		{scenarios.Pace{Recorded: []time.Duration{ms, time.Second}}, false},
		{first(scenarios.First{Mean: ms}), false},
		{scenarios.Pace{Every: ptr(ms), Jitter: ptr(ms)}, true},
		{scenarios.Pace{Every: ptr(ms), Jitter: ptr(ms), Speed: scenarios.Instant}, false},
		{scenarios.Pace{Every: ptr(ms), Distribution: "gamma"}, true},
		{scenarios.Pace{Burst: &scenarios.Bounds{Min: 1, Max: 2}}, true},
		{first(scenarios.First{Mean: ms, Jitter: ptr(ms)}), true},
		{first(scenarios.First{Mean: ms, Distribution: "normal"}), true},
	} {
		if got := DrawsPauses(chunks(2), &tt.pace); got != tt.drawn {
			t.Errorf("%+v: drawn is %t", tt.pace, got)
		}
	}
	if DrawsPauses([]Unit{{Jitter: ms}}, &scenarios.Pace{}) != true {
		t.Error("the jitter of a step is not drawn")
	}
}
