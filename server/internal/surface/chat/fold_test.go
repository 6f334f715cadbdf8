package chat

import (
	"runtime"
	"slices"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

func TestFoldFollowsTheRulesOfAccumulators(t *testing.T) {
	t.Parallel()
	delta := func(json string) script.Line {
		return script.Line{Kind: script.KindContent, Delta: object(t, json)}
	}
	finish := func(reason string) script.Line {
		return script.Line{Kind: script.KindFinish, Finish: scenarios.Some(reason)}
	}
	tests := []struct {
		name  string
		lines []script.Line
		want  string // the choices
	}{
		{"texts are joined", []script.Line{delta(`{"role":"assistant"}`), delta(`{"content":"Hel"}`), delta(`{"content":"lo"}`), finish("stop")}, `[{"index":0,"message":{"role":"assistant","content":"Hello","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"no text is null", []script.Line{delta(`{"content":null}`), finish("stop")}, `[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"an empty text stays", []script.Line{delta(`{"role":"assistant"}`), finish("stop")}, `[{"index":0,"message":{"role":"assistant","content":"","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"calls are put together by index, id and name taken once", []script.Line{
			delta(`{"role":"assistant","tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}},{"index":1,"function":{"arguments":"{}"}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"other","function":{"name":"again","arguments":"}"}}]}`),
			finish("tool_calls"),
		}, `[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}],"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"tool_calls"}]`},
		{"custom calls have an input", []script.Line{
			delta(`{"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"t","input":""}}]}`),
			delta(`{"tool_calls":[{"index":0,"custom":{"input":"ls"}}]}`),
		}, `[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"custom","custom":{"name":"t","input":"ls"}}],"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":null}]`},
		{"a refusal leaves no content", []script.Line{delta(`{"role":"assistant","refusal":""}`), delta(`{"refusal":"No."}`), finish("stop")}, `[{"index":0,"message":{"role":"assistant","content":null,"refusal":"No.","annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"audio is joined and stops", []script.Line{
			delta(`{"role":"assistant","audio":{"id":"audio_1","transcript":"Hi "}}`),
			delta(`{"audio":{"data":"AAAA","transcript":"you"}}`),
			delta(`{"audio":{"data":"BBBB","expires_at":7}}`),
		}, `[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"audio":{"id":"audio_1","data":"AAAABBBB","expires_at":7,"transcript":"Hi you"},"annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"logprobs are joined", []script.Line{
			{Kind: script.KindContent, Delta: object(t, `{"content":"a"}`), Logprobs: object(t, `{"content":[{"token":"a"}],"refusal":null}`)},
			{Kind: script.KindContent, Delta: object(t, `{"content":"b"}`), Logprobs: object(t, `{"content":[{"token":"b"}],"refusal":null}`)},
		}, `[{"index":0,"message":{"role":"assistant","content":"ab","refusal":null,"annotations":[]},"logprobs":{"content":[{"token":"a"},{"token":"b"}],"refusal":null},"finish_reason":null}]`},
		{"choices are sorted", []script.Line{
			{Kind: script.KindContent, Choice: 1, Delta: object(t, `{"content":"b"}`)},
			{Kind: script.KindContent, Choice: 0, Delta: object(t, `{"content":"a"}`)},
		}, `[{"index":0,"message":{"role":"assistant","content":"a","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":null},{"index":1,"message":{"role":"assistant","content":"b","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":null}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := Fold(&script.Lines{Layout: scenarios.LayoutGPT4o, Lines: tt.lines}, Options{Render: render})
			if err != nil {
				t.Fatal(err)
			}
			if choices := got.Body.Get("choices").String(); choices != tt.want {
				t.Errorf("got  %s\nwant %s", choices, tt.want)
			}
		})
	}
}

// Joining the pieces one by one would copy what is there already with each of
// them. The test runs alone, for it counts what the process allocates.
func TestFoldingTakesMemoryInProportionToTheText(t *testing.T) {
	allocated := func(pieces int) uint64 {
		piece := script.Line{Kind: script.KindContent, Delta: object(t, `{"content":"a few words "}`)}
		lines := &script.Lines{Layout: scenarios.LayoutMinimal, Lines: slices.Repeat([]script.Line{piece}, pieces)}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := Fold(lines, Options{Render: render}); err != nil {
			t.Fatal(err)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if once, tenfold := allocated(2_000), allocated(20_000); tenfold > 20*once {
		t.Errorf("ten times the pieces take %d bytes, %d times as many", tenfold, tenfold/once)
	}
}

func TestFoldTakesTheLastUsageAndNeverASum(t *testing.T) {
	t.Parallel()
	usage := func(json string) script.Line {
		return script.Line{Kind: script.KindUsage, Usage: object(t, json)}
	}
	got, err := Fold(&script.Lines{Layout: scenarios.LayoutGPT4o, Lines: []script.Line{
		usage(`{"total_tokens":1}`), usage(`{"total_tokens":5}`), {Kind: script.KindFinish},
	}}, Options{Render: render})
	if err != nil {
		t.Fatal(err)
	}
	if u := got.Body.Get("usage").String(); u != `{"total_tokens":5}` {
		t.Errorf("usage %s, want the last", u)
	}
}

func TestAnErrorInTheStreamIsTheAnswerThatDoesNotStream(t *testing.T) {
	t.Parallel()
	got, err := Fold(&script.Lines{Layout: scenarios.LayoutGPT4o, Lines: []script.Line{
		{Kind: script.KindContent, Delta: object(t, `{"content":"half"}`)},
		{Kind: script.KindError, Status: 503, Error: object(t, `{"message":"broken"}`)},
	}}, Options{Render: render})
	if err != nil {
		t.Fatal(err)
	}
	if f := got.Failure; !got.Body.IsAbsent() || f == nil || f.Status != 503 || f.Error.Get("message").Text() != "broken" {
		t.Errorf("folded to %s and %+v, want only the error and its status", got.Body, f)
	}
}
