package compile

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

func ptr[T any](v T) *T { return &v }

func path(s string) scenarios.Path {
	p, err := ojson.ParsePath(s)
	if err != nil {
		panic(err)
	}
	return scenarios.Path{Path: p}
}

// answer returns a stream of a role, two contents, a finish and [DONE].
func answer() []Unit {
	chunk := func(kind string, step int, delta, finish string) Unit {
		v, err := ojson.Parse([]byte(`{"choices":[{"delta":` + delta + `,"finish_reason":` + finish + `}]}`))
		if err != nil {
			panic(err)
		}
		return Unit{Kind: kind, Step: step, JSON: v, Paced: true}
	}
	return []Unit{
		chunk("role", 0, `{"role":"assistant"}`, "null"),
		chunk("content", 1, `{"content":"é"}`, "null"),
		chunk("content", 2, `{"content":"b"}`, "null"),
		chunk("finish", 3, `{}`, `"stop"`),
		{Kind: "done", Step: 3, Final: true, Event: sse.Event{Data: []byte("[DONE]")}},
	}
}

// program compiles the units as a stream for a request whose client accepts gzip.
func program(t *testing.T, units []Unit, m scenarios.Manner, fromMessage bool) *player.Program {
	t.Helper()
	return programWith(t, units, options(m, fromMessage), new(player.Values))
}

func programWith(t *testing.T, units []Unit, o Options, v *player.Values) *player.Program {
	t.Helper()
	s, err := NewStream(units, o)
	if err != nil {
		t.Fatal(err)
	}
	p, err := s.Program(requestOf(v))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func options(m scenarios.Manner, fromMessage bool) Options {
	return Options{
		Manner: m, FromMessage: fromMessage, Complete: inChoice,
		Render: func(t scenarios.Text) (string, error) { return t.Source, nil },
	}
}

// inChoice completes paths like a surface whose units have all members in their first choice.
func inChoice(p ojson.Path) ojson.Path {
	if p[0].Name == "delta" || p[0].Name == "finish_reason" {
		return append(ojson.Path{{Name: "choices"}, {IsIndex: true}}, p...)
	}
	return p
}

func requestOf(v *player.Values) Request {
	return Request{Gzip: true, Pauses: drawing(), Rand: rand.New(rand.NewPCG(1, 2)), Chance: rand.New(rand.NewPCG(3, 4)), Values: v}
}

func texts(p *player.Program) []string {
	var out []string
	for i := range p.Frames {
		out = append(out, string(p.Frames[i].Append(nil, new(player.Values))))
	}
	return out
}

func body(p *player.Program) string { return strings.Join(texts(p), "") }

const plain = `data: {"choices":[{"delta":{"role":"assistant"},"finish_reason":null}]}

data: {"choices":[{"delta":{"content":"é"},"finish_reason":null}]}

data: {"choices":[{"delta":{"content":"b"},"finish_reason":null}]}

data: {"choices":[{"delta":{},"finish_reason":"stop"}]}

data: [DONE]

`

// The transcripts in server/testdata/wire show the words that are not here.
func TestTheWireSaysHowEventsAreWritten(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		wire scenarios.Wire
		want func(plain string) string
	}{
		{"as the real service does", scenarios.Wire{}, func(s string) string { return s }},
		{"a retry line at the start", scenarios.Wire{Retry: ptr(3000)}, func(s string) string { return "retry: 3000\n" + s }},
		{"a blank line that ends in another way", scenarios.Wire{Retry: ptr(3), Newlines: [2]string{"crlf", "cr"}}, func(s string) string {
			return "retry: 3\r\n" + strings.ReplaceAll(s, "\n\n", "\r\n\r")
		}},
		{"counted ids", scenarios.Wire{IDs: &scenarios.EventIDs{}}, func(s string) string {
			for i := 1; strings.Contains(s, "\ndata") || i == 1; i++ {
				s = strings.Replace("\n"+s, "\ndata", fmt.Sprintf("\nid: %d\nDATA", i), 1)[1:]
			}
			return strings.ReplaceAll(s, "DATA", "data")
		}},
		{"no ids", scenarios.Wire{IDs: &scenarios.EventIDs{By: "none"}}, func(s string) string { return s }},
		{"escapes for what is not ASCII", scenarios.Wire{JSONStyle: &scenarios.JSONStyle{Spaces: true, Escapes: "ascii"}}, func(s string) string {
			return strings.NewReplacer(`":`, `": `, `,"`, `, "`, "é", `\u00e9`).Replace(s)
		}},
		{"escapes, but no spaces", scenarios.Wire{JSONStyle: &scenarios.JSONStyle{Escapes: "ascii"}}, func(s string) string {
			return strings.ReplaceAll(s, "é", `\u00e9`)
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := body(program(t, answer(), scenarios.Manner{Wire: tt.wire}, false))
			if want := tt.want(plain); got != want {
				t.Errorf("got\n%q\nwant\n%q", got, want)
			}
		})
	}
}

func TestMultilineDataIsTheSameJSON(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		`{"a":"x,\"{","b":[1,2],"c":{"d":1,"e":2}}`:                                        "{\"a\":\"x,\\\"{\",\n\"b\":[1,2],\n\"c\":{\"d\":1,\"e\":2}}",
		"{\"id\":" + mark(34) + ",\"x\":" + mark(44) + ",\"y\":" + mark(123) + ",\"z\":1}": "{\"id\":" + mark(34) + ",\n\"x\":" + mark(44) + ",\n\"y\":" + mark(123) + ",\n\"z\":1}",
	}
	for json, want := range tests {
		if got := string(spreadOverLines([]byte(json))); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestJSONIsSpreadOverAsManyLinesAsThereAre(t *testing.T) {
	t.Parallel()
	const json = `{"a":"x,{","b":[1,2],"c":{"d":1,"e":2}}`
	for lines, want := range map[int]int{2: 2, 3: 3, 5: 5, 100: 13} {
		got := string(spreadEvenly([]byte(json), lines))
		if n := strings.Count(got, "\n") + 1; n != want || strings.ReplaceAll(got, "\n", "") != json {
			t.Errorf("%d lines: got %d, %q", lines, n, got)
		}
	}
}

// mark returns a hole as it is written in bytes.
func mark(id hole.ID) string { return hole.Value(id).Text() }

func TestDamageStrikesTheFramesThatItNames(t *testing.T) {
	t.Parallel()
	events := strings.SplitAfter(strings.TrimSuffix(plain, "\n\n"), "\n\n")
	events[4] += "\n\n"
	tests := []struct {
		name   string
		damage []scenarios.Damage
		want   []string
	}{
		{"drop by position", []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Position: 2}}}, []string{events[0], events[2], events[3], events[4]}},
		{"drop several kinds", []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Any: []scenarios.FrameName{{Kind: "content"}, {Position: -1}}}}}, []string{events[0], events[3]}},
		{"drop from the end", []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Position: -1}}}, events[:4]},
		{"rename", []scenarios.Damage{{Op: "rename", Frames: scenarios.Selector{Kind: "all"}, From: path("delta.content"), To: "text"}}, []string{events[0], strings.Replace(events[1], "content", "text", 1), strings.Replace(events[2], "content", "text", 1), events[3], events[4]}},
		{"retype", []scenarios.Damage{{Op: "retype", Frames: scenarios.Selector{Kind: "finish"}, From: path("finish_reason"), To: "array"}}, []string{events[0], events[1], events[2], strings.Replace(events[3], `"stop"`, `["stop"]`, 1), events[4]}},
		{"move", []scenarios.Damage{{Op: "move", Frames: scenarios.Selector{Position: 1}, With: scenarios.Selector{Kind: "content"}}}, []string{events[1], events[2], events[0], events[3], events[4]}},
		{"move to before where they were", []scenarios.Damage{{Op: "move", Frames: scenarios.Selector{Kind: "content"}, With: scenarios.Selector{Position: 1}}}, events},
		{"move the later to an earlier place", []scenarios.Damage{{Op: "move", Frames: scenarios.Selector{Kind: "finish"}, With: scenarios.Selector{Position: 1}}}, []string{events[0], events[3], events[1], events[2], events[4]}},
		{"replace", []scenarios.Damage{{Op: "replace", Frames: scenarios.Selector{Any: []scenarios.FrameName{{Kind: "role"}, {Kind: "done"}}}, From: path("finish_reason"), Value: ojson.Int(7)}}, []string{strings.Replace(events[0], "null", "7", 1), events[1], events[2], events[3], events[4]}},
		{"replace what is not there", []scenarios.Damage{{Op: "replace", Frames: scenarios.Selector{Kind: "all"}, From: path("delta.tool"), Value: ojson.Int(7)}}, events},
		{"keep", []scenarios.Damage{{Op: "keep", Frames: scenarios.Selector{Kind: "finish"}, From: path("choices[0]"), Members: []string{"finish_reason"}}}, []string{events[0], events[1], events[2], strings.Replace(events[3], `"delta":{},`, "", 1), events[4]}},
		{"keep of a whole frame", []scenarios.Damage{{Op: "keep", Frames: scenarios.Selector{Kind: "finish"}, Members: []string{"id"}}}, []string{events[0], events[1], events[2], "data: {}\n\n", events[4]}},
		{"one after the other", []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Position: 1}}, {Op: "drop", Frames: scenarios.Selector{Position: 1}}}, events[2:]},
		{"never by chance", []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Kind: "all"}, Chance: ptr(0.0)}}, events},
		{"always by chance", []scenarios.Damage{{Op: "drop", Frames: scenarios.Selector{Kind: "all"}, Chance: ptr(1.0)}}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := texts(program(t, answer(), scenarios.Manner{Damage: tt.damage}, false)); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%q\nwant\n%q", got, tt.want)
			}
		})
	}
}

func TestFramesThatAreSwappedLeaveThePausesWhereTheyAre(t *testing.T) {
	t.Parallel()
	units := answer()
	units[1].Gap = ptr(time.Second)
	swap := []scenarios.Damage{{Op: "swap", Frames: scenarios.Selector{Position: 2}, With: scenarios.Selector{Position: 3}}}
	if got, want := times(program(t, units, scenarios.Manner{Damage: swap}, false)), times(program(t, units, scenarios.Manner{}, false)); got != want {
		t.Errorf("the frames are due at %s, want %s as without damage", got, want)
	}
}

func TestRetypeStrikesTheValueThatARequestFillsIn(t *testing.T) {
	t.Parallel()
	units := []Unit{{Kind: "content", JSON: ojson.Object(ojson.M("created", hole.Value(hole.Script)))}}
	values := new(player.Values)
	values.Set(hole.Script, []byte("1790000000"))
	p := programWith(t, units, options(scenarios.Manner{
		Damage: []scenarios.Damage{{Op: "retype", Frames: scenarios.Selector{Kind: "all"}, From: path("created"), To: "string"}},
	}, false), values)
	if got, want := body(p), "data: {\"created\":\"1790000000\"}\n\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCorruptChangesBytesAndNothingElse(t *testing.T) {
	t.Parallel()
	const bytes = 60
	m := scenarios.Manner{Damage: []scenarios.Damage{{Op: "corrupt", Frames: scenarios.Selector{Position: 2}, Bytes: bytes}}}
	got := texts(program(t, answer(), m, false))
	sound := texts(program(t, answer(), scenarios.Manner{}, false))
	for i := range sound {
		differ := 0
		for j := range sound[i] {
			if got[i][j] != sound[i][j] {
				differ++
			}
		}
		if i == 1 && differ != bytes || i != 1 && differ != 0 || len(got[i]) != len(sound[i]) {
			t.Errorf("frame %d differs in %d bytes: %q", i+1, differ, got[i])
		}
	}
}

func TestEndingsComeWhereTheyAreWritten(t *testing.T) {
	t.Parallel()
	upTo := func(n int) string {
		return strings.Join(strings.SplitAfterN(plain, "\n\n", n+1)[:n], "")
	}
	fourth := `data: {"choices":[{"delta":{},"finish_reason":"stop"}]}` + "\n\n"
	tests := []struct {
		name    string
		end     scenarios.End
		message bool
		want    string
		kind    player.EndingKind
	}{
		{"a stream closes after all that is written", scenarios.End{Kind: scenarios.EndClose}, false, upTo(4), player.EndOrderly},
		{"a message closes before its finish", scenarios.End{Kind: scenarios.EndClose}, true, upTo(3), player.EndOrderly},
		{"a stream is cut inside its last chunk", scenarios.End{Kind: scenarios.EndCut}, false, upTo(3) + fourth[:len(fourth)/2], player.EndCut},
		{"a cut may look complete to HTTP", scenarios.End{Kind: scenarios.EndClose, Inside: ptr(true)}, false, upTo(3) + fourth[:len(fourth)/2], player.EndOrderly},
		{"a cut at a byte", scenarios.End{Kind: scenarios.EndCut, Byte: ptr(int64(100))}, false, plain[:100], player.EndCut},
		{"a cut at a byte of a frame", scenarios.End{Kind: scenarios.EndCut, After: ptr(3), Byte: ptr(int64(9))}, false, upTo(3) + fourth[:9], player.EndCut},
		{"a reset at a byte of the last frame but one", scenarios.End{Kind: scenarios.EndReset, After: ptr(-2), Byte: ptr(int64(9))}, true, upTo(3) + fourth[:9], player.EndReset},
		{"a stall beyond a frame", scenarios.End{Kind: scenarios.EndStall, After: ptr(3), Byte: ptr(int64(9999))}, false, upTo(4), player.EndStall},
		{"a cut after everything", scenarios.End{Kind: scenarios.EndCut, All: true}, true, plain, player.EndCut},
		{"a reset after everything", scenarios.End{Kind: scenarios.EndReset, All: true}, false, plain, player.EndReset},
		{"a reset inside a frame", scenarios.End{Kind: scenarios.EndReset, After: ptr(3), Inside: ptr(true)}, false, upTo(3) + fourth[:len(fourth)/2], player.EndReset},
		{"a linger inside the last chunk", scenarios.End{Kind: scenarios.EndLinger, Inside: ptr(true)}, false, upTo(3) + fourth[:len(fourth)/2], player.EndLinger},
		{"a close inside a character", scenarios.End{Kind: scenarios.EndClose, InsideRune: true}, true, plain[:strings.Index(plain, "é")+1], player.EndOrderly},
		{"a cut inside a character that there is not", scenarios.End{Kind: scenarios.EndCut, InsideRune: true, After: ptr(2)}, false, plain, player.EndCut},
		{"a reset after two frames", scenarios.End{Kind: scenarios.EndReset, After: ptr(2)}, false, upTo(2), player.EndReset},
		{"a stall before the last frame", scenarios.End{Kind: scenarios.EndStall, After: ptr(-1)}, false, upTo(4), player.EndStall},
		{"a linger after everything", scenarios.End{Kind: scenarios.EndLinger}, false, plain, player.EndLinger},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			units := answer()
			units[3].Closing = tt.message // as surfaces mark the close of a message
			p := program(t, units, scenarios.Manner{End: tt.end}, tt.message)
			if got := body(p); got != tt.want || p.Ending.Kind != tt.kind {
				t.Errorf("got ending %d after\n%q\nwant ending %d after\n%q", p.Ending.Kind, got, tt.kind, tt.want)
			}
		})
	}
}

func TestACutOfAnEmptyStreamDoesNotCompleteIt(t *testing.T) {
	t.Parallel()
	p := program(t, answer()[4:], scenarios.Manner{End: scenarios.End{Kind: scenarios.EndCut}}, false)
	if got := body(p); strings.Contains(got, "[DONE]") {
		t.Errorf("got %q, want less than [DONE]", got)
	}
}

func TestSilenceLastsAsLongAsItsEndSays(t *testing.T) {
	t.Parallel()
	for _, kind := range []scenarios.EndKind{scenarios.EndStall, scenarios.EndLinger} {
		for _, tt := range []struct {
			written *time.Duration
			want    time.Duration
		}{{nil, time.Minute}, {ptr(time.Duration(0)), 0}, {ptr(ms), ms}} {
			m := scenarios.Manner{End: scenarios.End{Kind: kind, For: tt.written}}
			if got := program(t, answer(), m, false).Ending.For; got != tt.want {
				t.Errorf("%s: silence for %v, want %v", kind, got, tt.want)
			}
		}
	}
}

func TestSplitCutsFramesIntoPieces(t *testing.T) {
	t.Parallel()
	tests := []struct {
		split   scenarios.Split
		newline string // newline is raw for other bytes
		want    []string
	}{
		{scenarios.Split{By: "byte"}, "", []string{"d", "a", "t", "a", ":", " ", `"`, "\xc3", "\xa9", `"`, "\n", "\n"}},
		{scenarios.Split{By: "rune"}, "", []string{"d", "a", "t", "a", ":", " ", `"`, "é", `"`, "\n", "\n"}},
		{scenarios.Split{By: "inside_rune"}, "", []string{"data: \"\xc3", "\xa9\"\n\n"}},
		{scenarios.Split{By: "crlf"}, "crlf", []string{"data: \"é\"\r", "\n\r", "\n"}},
		{scenarios.Split{By: "field"}, "", []string{"data:", " \"é\"", "\n", "\n"}},
		{scenarios.Split{By: "field"}, "raw", []string{"data:", " {\"a\":1}", "\n", "\n", "id:", " 7", "\n"}},
		{scenarios.Split{At: []int64{1, 7, 11, 99}}, "", []string{"d", "ata: \"", "é\"\n", "\n"}},
		{scenarios.Split{Size: 5}, "", []string{"data:", " \"é\"", "\n\n"}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.split), func(t *testing.T) {
			t.Parallel()
			units, newline := []Unit{{Kind: "content", JSON: ojson.String("é")}}, tt.newline
			if newline == "raw" {
				units, newline = []Unit{{Kind: "raw", Raw: ptr("data: {\"a\":1}\n\nid: 7\n")}}, ""
			}
			p := program(t, units, scenarios.Manner{Wire: scenarios.Wire{Split: &tt.split, Newline: newline}}, false)
			if got := texts(p); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
			for i, f := range p.Frames[1:] {
				if f.MinGap == 0 {
					t.Errorf("piece %d may share a write with the one before", i+2)
				}
			}
		})
	}
}

func TestGzipIsTheSameBody(t *testing.T) {
	t.Parallel()
	for how, frames := range map[string]int{"flush": 6, "buffer": 1} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			p := program(t, answer(), scenarios.Manner{Wire: scenarios.Wire{Gzip: how}}, false)
			if len(p.Frames) != frames {
				t.Errorf("%d frames, want %d", len(p.Frames), frames)
			}
			zip, err := gzip.NewReader(strings.NewReader(body(p)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := io.ReadAll(zip)
			if err != nil {
				t.Errorf("reading to the end: %v", err)
			}
			if !bytes.Equal(got, []byte(plain)) {
				t.Errorf("got %q, want %q", got, plain)
			}
		})
	}
}

func TestTruncatedGzipLacksWhatComesLast(t *testing.T) {
	t.Parallel()
	p := program(t, answer(), scenarios.Manner{Wire: scenarios.Wire{Gzip: "truncate"}}, false)
	zip, err := gzip.NewReader(strings.NewReader(body(p)))
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(zip)
	if !errors.Is(err, io.ErrUnexpectedEOF) || len(got) == 0 || !strings.HasPrefix(plain, string(got)) || len(got) > len(plain)*3/4 {
		t.Errorf("got %q, %v; want the beginning of %q", got, err, plain)
	}
}

func TestGzipOfABodyThatBreaksOffHasNoEnd(t *testing.T) {
	t.Parallel()
	for _, how := range []string{"flush", "buffer"} {
		for _, kind := range []scenarios.EndKind{scenarios.EndCut, scenarios.EndReset, scenarios.EndStall} {
			t.Run(how+" "+string(kind), func(t *testing.T) {
				t.Parallel()
				p := program(t, answer(), scenarios.Manner{
					Wire: scenarios.Wire{Gzip: how},
					End:  scenarios.End{Kind: kind, After: ptr(1), Inside: ptr(false)},
				}, false)
				if len(p.Frames) != 1 {
					t.Errorf("%d frames, want the one that is sent", len(p.Frames))
				}
				zip, err := gzip.NewReader(strings.NewReader(body(p)))
				if err != nil {
					t.Fatal(err)
				}
				got, err := io.ReadAll(zip)
				if err != io.ErrUnexpectedEOF {
					t.Errorf("reading to the end: %v", err)
				}
				if !strings.HasPrefix(plain, string(got)) || len(got) == 0 {
					t.Errorf("got %q, want the first event", got)
				}
			})
		}
	}
}

// drawing returns pauses with a fixed seed.
func drawing() Pauses { return Pauses{Rand: rand.New(rand.NewPCG(1, 2))} }

func TestPaceSpacesChunks(t *testing.T) {
	t.Parallel()
	const second = time.Second
	three := &scenarios.Bounds{Min: 3, Max: 3}
	tests := []struct {
		name  string
		pace  scenarios.Pace
		edit  func([]Unit)
		units []Unit // units are those of answer unless said
		want  []time.Duration
	}{
		{"no pace", scenarios.Pace{}, nil, nil, []time.Duration{0, 0, 0, 0, 0}},
		{"first and every", scenarios.Pace{First: &scenarios.First{Mean: 100 * ms}, Every: ptr(10 * ms)}, nil, nil, []time.Duration{100 * ms, 110 * ms, 120 * ms, 130 * ms, 130 * ms}},
		{"a speed", scenarios.Pace{First: &scenarios.First{Mean: 100 * ms}, Every: ptr(10 * ms), Speed: 2}, nil, nil, []time.Duration{50 * ms, 55 * ms, 60 * ms, 65 * ms, 65 * ms}},
		{"no pauses", scenarios.Pace{First: &scenarios.First{Mean: 100 * ms}, Every: ptr(10 * ms), Speed: scenarios.Instant}, func(u []Unit) { u[2].Gap = ptr(time.Second) }, nil, []time.Duration{0, 0, 0, 0, 0}},
		{"recorded pauses come in turn", scenarios.Pace{Recorded: []time.Duration{ms, 5 * ms}}, nil, nil, []time.Duration{0, ms, 6 * ms, 7 * ms, 7 * ms}},
		{"pauses before each event", scenarios.Pace{Every: ptr(10 * ms), Per: "event"}, func(u []Unit) { u[1].Paced, u[1].Name = false, "response.in_progress" }, nil, []time.Duration{0, 10 * ms, 20 * ms, 30 * ms, 30 * ms}},
		{"pauses before each chunk", scenarios.Pace{Every: ptr(10 * ms), Per: "chunk"}, func(u []Unit) { u[1].Paced, u[1].Name = false, "response.in_progress" }, nil, []time.Duration{0, 0, 10 * ms, 20 * ms, 20 * ms}},
		{"a written pause comes in place of the pace's", scenarios.Pace{Every: ptr(10 * ms)}, func(u []Unit) { u[2].Gap = ptr(time.Second) }, nil, []time.Duration{0, 10 * ms, 1010 * ms, 1020 * ms, 1020 * ms}},
		{"so does a wait", scenarios.Pace{Every: ptr(10 * ms)}, func(u []Unit) { u[1] = Unit{Kind: "wait", Silent: true, Gap: ptr(time.Second)} }, nil, []time.Duration{0, 1000 * ms, 1000 * ms, 1010 * ms, 1010 * ms}},
		{"a wait before a hold is kept", scenarios.Pace{Every: ptr(10 * ms)}, func(u []Unit) {
			u[1] = Unit{Kind: "wait", Silent: true, Gap: ptr(time.Second)}
			u[2] = Unit{Kind: "hold", Hold: "h"}
		}, nil, []time.Duration{0, 1000 * ms, 1000 * ms, 10 * ms, 10 * ms}},
		{"times start again after a hold", scenarios.Pace{Every: ptr(10 * ms)}, func(u []Unit) { u[1] = Unit{Kind: "hold", Hold: "h"} }, nil, []time.Duration{0, 0, 10 * ms, 20 * ms, 20 * ms}},
		{"bursts leave at once", scenarios.Pace{First: &scenarios.First{Mean: 5 * second}, Every: ptr(second), Burst: three}, nil, chunks(8), []time.Duration{5 * second, 5 * second, 5 * second, 6 * second, 6 * second, 6 * second, 7 * second, 7 * second}},
		{"recorded pauses between bursts", scenarios.Pace{Recorded: []time.Duration{second, 4 * second}, Burst: three}, nil, chunks(8), []time.Duration{0, 0, 0, 1 * second, 1 * second, 1 * second, 5 * second, 5 * second}},
		{"a written pause begins a burst", scenarios.Pace{Every: ptr(second), Burst: three}, func(u []Unit) { u[1].Gap = ptr(9 * second) }, chunks(8), []time.Duration{0, 9 * second, 9 * second, 9 * second, 10 * second, 10 * second, 10 * second, 11 * second}},
		{"so does a wait in a burst", scenarios.Pace{Every: ptr(second), Burst: three}, func(u []Unit) { u[1] = Unit{Silent: true, Gap: ptr(9 * second)} }, chunks(8), []time.Duration{0, 9 * second, 9 * second, 9 * second, 9 * second, 10 * second, 10 * second, 10 * second}},
		{"what is not paced belongs to no burst", scenarios.Pace{Every: ptr(second), Burst: three}, func(u []Unit) { u[1].Paced = false }, chunks(8), []time.Duration{0, 0, 0, 0, 1 * second, 1 * second, 1 * second, 2 * second}},
		{"the speed of bursts", scenarios.Pace{Every: ptr(second), Burst: three, Speed: 0.5}, nil, chunks(8), []time.Duration{0, 0, 0, 2 * second, 2 * second, 2 * second, 4 * second, 4 * second}},
	}
	for _, tt := range tests {
		units := tt.units
		if units == nil {
			units = answer()
		}
		if tt.edit != nil {
			tt.edit(units)
		}
		if got := schedule(units, &tt.pace, drawing()); !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.name, got, tt.want)
		}
	}
}

func TestDistributionsHaveTheMeanOfThePace(t *testing.T) {
	t.Parallel()
	units := chunks(20001)
	for _, name := range []string{"", "constant", "uniform", "normal", "lognormal", "gamma"} {
		due := schedule(units, &scenarios.Pace{Every: ptr(time.Second), Distribution: name}, drawing())
		if mean := due[20000].Seconds() / 20000; mean < 0.95 || mean > 1.05 {
			t.Errorf("%q: the mean pause is %.3f s, want about 1 s", name, mean)
		}
	}
}

func TestCoalescedEventsLeaveWhenTheLastIsDue(t *testing.T) {
	t.Parallel()
	held := slices.Insert(answer(), 1, Unit{Kind: "hold", Hold: "h"}) // a hold ends a write, and time starts again
	m := scenarios.Manner{Pace: scenarios.Pace{Every: ptr(time.Second)}, Wire: scenarios.Wire{Coalesce: 3}}
	for _, tt := range []struct {
		units []Unit
		want  []time.Duration
	}{{answer(), []time.Duration{2, 2, 2, 3, 3}}, {held, []time.Duration{0, 0, 3, 3, 3, 3}}} {
		var got []time.Duration
		for _, f := range program(t, tt.units, m, false).Frames {
			got = append(got, f.Due/time.Second)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("due after %v seconds, want %v", got, tt.want)
		}
	}
}
