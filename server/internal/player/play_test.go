package player

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	_ "github.com/fakeopenai/fakeopenai/fixtures/testflag" // knows -update
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
)

// tape is a sink that records each write and its time.
type tape struct {
	start  time.Time
	writes []string
	told   []Write // told is what each write was told.
	ended  []EndingKind
	fail   error // fail is the error of the next write
}

func (t *tape) Write(p []byte, w *Write) (int, error) {
	if t.fail != nil {
		return len(p) / 2, t.fail
	}
	t.told = append(t.told, *w)
	t.writes = append(t.writes, fmt.Sprintf("%v %s", time.Since(t.start), p))
	return len(p), nil
}

func (t *tape) End(k EndingKind) error {
	t.ended = append(t.ended, k)
	return nil
}

type gate map[string]chan struct{}

func (g gate) Pass(ctx context.Context, hold string, _ int) error {
	select {
	case <-g[hold]:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func frame(due time.Duration, text string) Frame {
	return Frame{Due: due, Bytes: Literal([]byte(text))}
}

func TestFramesLeaveWhenTheyAreDue(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	tests := []struct {
		name   string
		frames []Frame
		speed  float64
		want   []string
	}{
		{"frames due together share a write", []Frame{frame(0, "a"), frame(0, "b"), frame(5*ms, "c"), frame(5*ms, "d")}, 1, []string{"0s ab", "5ms cd"}},
		{"a frame with its own time leaves alone", []Frame{frame(0, "a"), frame(ms, "b"), frame(2*ms, "c")}, 1, []string{"0s a", "1ms b", "2ms c"}},
		{"the first frame may be late", []Frame{frame(time.Hour, "a")}, 1, []string{"1h0m0s a"}},
		{"speed divides the times", []Frame{frame(0, "a"), frame(10*ms, "b")}, 10, []string{"0s a", "1ms b"}},
		{"at once leaves no pauses", []Frame{frame(0, "a"), frame(time.Hour, "b")}, Instant, []string{"0s ab"}},
		{
			"pieces that must be seen apart stay apart at any speed",
			[]Frame{frame(0, "a"), {MinGap: ms, Bytes: Literal([]byte("b"))}},
			Instant,
			[]string{"0s a", "1ms b"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sink := &tape{start: time.Now()}
				report := Play(t.Context(), &Program{Frames: tt.frames}, new(Values), sink, nil, tt.speed)
				if !slices.Equal(sink.writes, tt.want) {
					t.Errorf("wrote %q, want %q", sink.writes, tt.want)
				}
				if report.Frames != len(tt.frames) || report.Err != nil {
					t.Errorf("report %+v, want %d frames and no error", report, len(tt.frames))
				}
				if !slices.Equal(sink.ended, []EndingKind{EndOrderly}) {
					t.Errorf("ended %v, want once and orderly", sink.ended)
				}
			})
		})
	}
}

func TestFramesOfABrokenWriteAreCounted(t *testing.T) {
	t.Parallel()
	step := func(n int) Frame {
		f := frame(0, "12345")
		f.Step = n
		return f
	}
	p := &Program{Frames: []Frame{step(3), step(4), step(5), step(6), step(7)}}
	report := Play(t.Context(), p, new(Values), &tape{fail: errors.New("broken")}, nil, 1)
	if report.Frames != 2 || report.Step != 4 || report.Bytes != 12 || !report.Inside || report.Err == nil {
		t.Errorf("report %+v, want the two frames that are within the 12 bytes taken, and the error", report)
	}
}

func TestASinkIsToldHowFarTheStreamIs(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		first, half, rest, last := frame(0, "a"), frame(time.Second, "b"), frame(2*time.Second, "c"), frame(2*time.Second, "d")
		half.Step, half.More, rest.Step, last.Step = 4, true, 4, 7
		sink, start := &tape{}, time.Now()
		Play(t.Context(), &Program{Frames: []Frame{first, half, rest, last}}, new(Values), sink, nil, 1)
		want := []Write{{start, 1, 0, false}, {start.Add(time.Second), 1, 4, false}, {start.Add(2 * time.Second), 3, 7, true}}
		if !slices.Equal(sink.told, want) {
			t.Errorf("told %v, want %v", sink.told, want)
		}
	})
}

func TestAStreamDoesNotDrift(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var frames []Frame
		for i := range 100 {
			frames = append(frames, frame(time.Duration(i)*time.Second, "x"))
		}
		sink := &slow{tape: tape{start: time.Now()}}
		Play(t.Context(), &Program{Frames: frames}, new(Values), sink, nil, 1)
		if last := sink.writes[99]; last != "1m39s x" {
			t.Errorf("the last frame left at %q, want 1m39s: the time of writing was added up", last)
		}
	})
}

// oversleeping is a context that makes the first sleep of a stream too long, as on a busy
// machine.
type oversleeping struct {
	context.Context
	once sync.Once
	by   time.Duration
}

func (c *oversleeping) Done() <-chan struct{} {
	c.once.Do(func() { time.Sleep(c.by) })
	return c.Context.Done()
}

func TestAStreamThatWakesTooLateCatchesUpInOneWrite(t *testing.T) {
	t.Parallel()
	const ms = time.Millisecond
	for name, tt := range map[string]struct {
		sleeps time.Duration
		frames []Frame
		want   []string
	}{
		"as late as nobody minds":     {140 * ms, []Frame{frame(0, "a"), frame(50*ms, "b"), frame(100*ms, "c"), frame(150*ms, "d")}, []string{"0s a", "140ms b", "140ms c", "150ms d"}},
		"too late":                    {320 * ms, []Frame{frame(0, "a"), frame(50*ms, "b"), frame(100*ms, "c"), frame(300*ms, "d"), frame(350*ms, "e")}, []string{"0s a", "320ms bcd", "350ms e"}},
		"pieces that stay apart":      {320 * ms, []Frame{frame(0, "a"), frame(50*ms, "b"), {Due: 100 * ms, MinGap: ms, Bytes: Literal([]byte("c"))}}, []string{"0s a", "320ms b", "321ms c"}},
		"a hold begins the time anew": {320 * ms, []Frame{frame(0, "a"), frame(50*ms, "b"), {Due: 50 * ms, Hold: "go"}, frame(50*ms, "c")}, []string{"0s a", "320ms b", "370ms c"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				g := gate{"go": make(chan struct{})}
				close(g["go"])
				sink := &tape{start: time.Now()}
				report := Play(&oversleeping{Context: t.Context(), by: tt.sleeps}, &Program{Frames: tt.frames}, new(Values), sink, g, 1)
				if !slices.Equal(sink.writes, tt.want) || report.Err != nil {
					t.Errorf("wrote %q, want %q; %v", sink.writes, tt.want, report.Err)
				}
			})
		})
	}
}

// slow is a sink whose writes take half a second.
type slow struct{ tape }

func (s *slow) Write(p []byte, w *Write) (int, error) {
	n, err := s.tape.Write(p, w)
	time.Sleep(time.Second / 2)
	return n, err
}

func TestAPauseBeforeTheEndIsKept(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		p := &Program{Frames: []Frame{frame(time.Second, "a")}, Ending: Ending{Due: time.Minute}}
		Play(t.Context(), p, new(Values), &tape{start: start}, nil, 1)
		if got := time.Since(start); got != time.Minute {
			t.Errorf("it ended after %v, want 1m0s", got)
		}
	})
}

func TestTimesCountFromTheReleaseOfAHold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		g := gate{"go": make(chan struct{})}
		time.AfterFunc(time.Hour, func() { close(g["go"]) })
		sink := &tape{start: time.Now()}
		p := &Program{Frames: []Frame{frame(0, "a"), {Due: time.Minute, Hold: "go"}, frame(time.Second, "b")}}
		Play(t.Context(), p, new(Values), sink, g, 1)
		if want := []string{"0s a", "1h0m1s b"}; !slices.Equal(sink.writes, want) {
			t.Errorf("wrote %q, want %q", sink.writes, want)
		}
	})
}

func TestAStreamStopsWhenItsContextEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]Program{
		"in a pause":  {Frames: []Frame{frame(0, "a"), frame(time.Hour, "b")}},
		"at a hold":   {Frames: []Frame{frame(0, "a"), {Hold: "never"}}},
		"in a stall":  {Frames: []Frame{frame(0, "a")}, Ending: Ending{Kind: EndStall, For: time.Hour}},
		"in a linger": {Frames: []Frame{frame(0, "a")}, Ending: Ending{Kind: EndLinger, For: time.Hour}},
	}
	for name, p := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
				defer cancel()
				sink := &tape{start: time.Now()}
				report := Play(ctx, &p, new(Values), sink, gate{}, 1)
				if !errors.Is(report.Err, context.DeadlineExceeded) || report.Frames != 1 {
					t.Errorf("report %+v, want one frame and the deadline", report)
				}
				if got := time.Since(sink.start); got != time.Minute {
					t.Errorf("it stopped after %v, want 1m0s", got)
				}
				if len(sink.ended) != 0 {
					t.Errorf("it ended the answer by %v, but the client had left", sink.ended)
				}
			})
		})
	}
}

func TestEndingsReachTheSink(t *testing.T) {
	t.Parallel()
	tests := map[EndingKind]struct {
		want  EndingKind
		after time.Duration
	}{
		EndOrderly: {EndOrderly, 0},
		EndCut:     {EndCut, 0},
		EndReset:   {EndReset, 0},
		EndStall:   {EndCut, time.Minute},
		EndLinger:  {EndOrderly, time.Minute},
	}
	for kind, tt := range tests {
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			sink := &tape{start: start}
			Play(t.Context(), &Program{Ending: Ending{Kind: kind, For: time.Minute}}, new(Values), sink, nil, 1)
			if !slices.Equal(sink.ended, []EndingKind{tt.want}) || time.Since(start) != tt.after {
				t.Errorf("ending %d: sink saw %v after %v, want %v after %v", kind, sink.ended, time.Since(start), tt.want, tt.after)
			}
		})
	}
}

// toSixteen is a padding function. Its padding makes the text one character longer than a multiple of 16.
func toSixteen(dst []byte, length int, _ rand.Source) []byte {
	return append(dst, strings.Repeat("p", (1-length)&15)...)
}

func TestASeriesFillsEachOfItsFramesWithItsPiece(t *testing.T) {
	t.Parallel()
	json := ojson.Object(ojson.M("text", hole.Value(hole.Piece)), ojson.M("padding", hole.Value(hole.Padding))).Append(nil)
	frame := Frame{Bytes: new(Heads).NewTemplate(json, json)}
	v := new(Values)
	v.Pad(toSixteen, nil)
	var pieces hole.Pieces
	pieces.Add(ojson.Style{}, "a")
	pieces.Add(ojson.Style{}, "longer")
	v.SetSeries(hole.Script, pieces)
	frame.Series = &Series{Pieces: v.Series(hole.Script), Every: time.Second}
	p := &Program{Frames: []Frame{frame, {Due: time.Minute, Bytes: Literal([]byte("end"))}}}
	want := []string{`0s {"text":"a","padding":"pppppppp"}`, `1s {"text":"longer","padding":"ppp"}`, "1m0s end"}
	var got []string
	for f, due := range p.All() {
		got = append(got, fmt.Sprint(due, " ", string(f.Append(nil, v))))
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPaddingIsToldTheLengthOfTheWholeText(t *testing.T) {
	t.Parallel()
	v := new(Values)
	v.Pad(toSixteen, nil)
	v.Set(hole.Envelope+1, []byte(`"modèle"`))
	for n := range 40 {
		chunk := ojson.Object(
			ojson.M("text", ojson.String(strings.Repeat("ü", n))),
			ojson.M("model", hole.Value(hole.Envelope+1)),
			ojson.M("padding", hole.Value(hole.Padding)),
		)
		json := chunk.Append(nil)
		tmpl := new(Heads).NewTemplate([]byte("data: "+string(json)+"\n\n"), json)
		got := strings.TrimSuffix(strings.TrimPrefix(string(tmpl.Append(nil, v)), "data: "), "\n\n")
		if chars := len([]rune(got)); chars%16 != 1 {
			t.Errorf("%s has %d characters, want one more than a multiple of 16", got, chars)
		}
		if _, err := ojson.Parse([]byte(got)); err != nil {
			t.Errorf("%s: %v", got, err)
		}
	}
}

func TestASinkHearsOfTheEndBeforeItsReader(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		ending Ending
		want   bool
	}{
		"with the last write":              {Ending{Due: time.Second}, true},
		"a cut":                            {Ending{Kind: EndCut, Due: time.Second}, true},
		"not before a pause":               {Ending{Due: 3 * time.Second}, false},
		"not where it goes silent":         {Ending{Kind: EndStall, Due: time.Second, For: time.Hour}, false},
		"nor where the connection is kept": {Ending{Kind: EndLinger, Due: time.Second, For: time.Hour}, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				sink := new(tape)
				Play(t.Context(), &Program{Frames: []Frame{frame(0, "a"), frame(time.Second, "b")}, Ending: tt.ending}, new(Values), sink, gate{}, 1)
				if got := sink.told; len(got) != 2 || got[0].Last || got[1].Last != tt.want {
					t.Errorf("the writes are told %v, want that the second is the last: %t", got, tt.want)
				}
			})
		})
	}
}

// The plan of an answer names its ending.
func TestEachEndingHasItsName(t *testing.T) {
	t.Parallel()
	seen := map[string]EndingKind{}
	for kind := range endings {
		if other, twice := seen[kind.String()]; twice {
			t.Errorf("the endings %d and %d have the name %q", other, kind, kind.String())
		}
		seen[kind.String()] = kind
	}
}
