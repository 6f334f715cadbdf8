package chat_test

import (
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

func TestFoldFollowsTheRulesOfAccumulators(t *testing.T) {
	t.Parallel()
	delta := func(json string) script.Group { return says(saysDelta(object(t, json))...) }
	with := func(json, logprobs string) script.Group {
		g, lists := delta(json), object(t, logprobs)
		g.Beats = append(g.Beats, script.Logprobs{Content: lists.Get("content"), Refusal: lists.Get("refusal")})
		return g
	}
	of := func(choice int, g script.Group) script.Group {
		g.Choice = choice
		return g
	}
	tests := []struct {
		name   string
		groups []script.Group
		want   string // want is the list of choices
	}{
		{"texts are joined", []script.Group{delta(`{"role":"assistant"}`), delta(`{"content":"Hel"}`), delta(`{"content":"lo"}`), finishes("stop")}, `[{"index":0,"message":{"role":"assistant","content":"Hello","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"no text is null", []script.Group{delta(`{"content":null}`), finishes("stop")}, `[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"an empty text stays", []script.Group{delta(`{"role":"assistant"}`), finishes("stop")}, `[{"index":0,"message":{"role":"assistant","content":"","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"calls are put together by index, id and name taken once", []script.Group{
			delta(`{"role":"assistant","tool_calls":[{"index":1,"id":"b","type":"function","function":{"name":"g","arguments":""}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":"{"}},{"index":1,"function":{"arguments":"{}"}}]}`),
			delta(`{"tool_calls":[{"index":0,"id":"other","function":{"name":"again","arguments":"}"}}]}`),
			finishes("tool_calls"),
		}, `[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"g","arguments":"{}"}}],"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"tool_calls"}]`},
		{"without an index a call begins with another id, or else another name", []script.Group{
			delta(`{"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{"}}]}`),
			delta(`{"tool_calls":[{"function":{"arguments":"}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}}]}`),
			delta(`{"tool_calls":[{"function":{"name":"g","arguments":"{}"}}]}`),
		}, `[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"b","type":"function","function":{"name":"f","arguments":"{}"}},{"type":"function","function":{"name":"g","arguments":"{}"}}],"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":null}]`},
		{"custom calls have an input", []script.Group{
			delta(`{"tool_calls":[{"index":0,"id":"a","type":"custom","custom":{"name":"t","input":""}}]}`),
			delta(`{"tool_calls":[{"index":0,"custom":{"input":"ls"}}]}`),
		}, `[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"custom","custom":{"name":"t","input":"ls"}}],"refusal":null,"annotations":[]},"logprobs":null,"finish_reason":null}]`},
		{"a refusal leaves no content", []script.Group{delta(`{"role":"assistant","refusal":""}`), delta(`{"refusal":"No."}`), finishes("stop")}, `[{"index":0,"message":{"role":"assistant","content":null,"refusal":"No.","annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"audio is joined and stops", []script.Group{
			delta(`{"role":"assistant","audio":{"id":"audio_1","transcript":"Hi "}}`),
			delta(`{"audio":{"data":"AAAA","transcript":"you"}}`),
			delta(`{"audio":{"data":"BBBB","expires_at":7}}`),
		}, `[{"index":0,"message":{"role":"assistant","content":null,"refusal":null,"audio":{"id":"audio_1","data":"AAAABBBB","expires_at":7,"transcript":"Hi you"},"annotations":[]},"logprobs":null,"finish_reason":"stop"}]`},
		{"logprobs are joined", []script.Group{
			with(`{"content":"a"}`, `{"content":[{"token":"a"}],"refusal":null}`),
			with(`{"content":"b"}`, `{"content":[{"token":"b"}],"refusal":null}`),
		}, `[{"index":0,"message":{"role":"assistant","content":"ab","refusal":null,"annotations":[]},"logprobs":{"content":[{"token":"a"},{"token":"b"}],"refusal":null},"finish_reason":null}]`},
		{"choices are sorted", []script.Group{
			of(1, delta(`{"content":"b"}`)),
			of(0, delta(`{"content":"a"}`)),
		}, `[{"index":0,"message":{"role":"assistant","content":"a","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":null},{"index":1,"message":{"role":"assistant","content":"b","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":null}]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := fold(t, scenarios.LayoutGPT4o, tt.groups...)
			if choices := got.Get("choices").String(); choices != tt.want {
				t.Errorf("got  %s\nwant %s", choices, tt.want)
			}
		})
	}
}

func saysDelta(delta ojson.Value) []script.Beat {
	var beats []script.Beat
	for _, m := range delta.Members() {
		beats = append(beats, script.Literal{Surface: "chat", Member: m.Name, Value: m.Value})
	}
	return beats
}

// fold speaks the groups for a request that does not stream, and folds them.
func fold(t *testing.T, layout scenarios.Layout, groups ...script.Group) ojson.Value {
	t.Helper()
	o := surface.Options{Want: script.Want{Layout: layout}}
	units, err := chat.Surface{}.Speak(&script.Script{Groups: groups}, &o)
	if err != nil {
		t.Fatal(err)
	}
	return chat.Surface{}.Fold(units, o)
}

func TestFoldTakesTheLastUsageAndNeverASum(t *testing.T) {
	t.Parallel()
	usage := func(total int64) script.Group { return says(script.Usage{Alone: true, Total: ojson.Int(total)}) }
	got := fold(t, scenarios.LayoutMinimal, usage(1), usage(5), finishes("stop"))
	if u := got.Get("usage").String(); u != `{"total_tokens":5}` {
		t.Errorf("usage %s, want the last", u)
	}
}

// An answer that is not streamed has nothing of what a stream has beside its chunks.
func TestFoldTakesNothingButChunks(t *testing.T) {
	t.Parallel()
	only := fold(t, scenarios.LayoutGPT4o, says(script.Text{Text: ojson.String("a")}), finishes("stop"))
	got := fold(t, scenarios.LayoutGPT4o,
		says(script.Comment{Text: "c"}), says(script.Text{Text: ojson.String("a")}), says(script.Wait{}), says(script.Hold{Name: "h"}),
		says(script.Raw{Bytes: `data: {"choices":[{"index":0,"delta":{"content":"raw"}}]}` + "\n\n"}),
		says(script.Error{Object: object(t, `{"message":"broken"}`)}), finishes("stop"), says(script.Done{}))
	if got.String() != only.String() {
		t.Errorf("got  %s\nwant %s", got, only)
	}
}

// Of members beside the choices an accumulator keeps the first id, created and model, and the
// last of any other, once.
func TestFoldKeepsTheFirstIDAndTheLastOfOtherMembers(t *testing.T) {
	t.Parallel()
	unit := func(json string) compile.Unit { return compile.Unit{Paced: true, JSON: object(t, json)} }
	got := chat.Surface{}.Fold([]compile.Unit{
		unit(`{"id":"a","created":1,"model":"m","provider":"x","cost":1,"choices":[]}`),
		unit(`{"id":"b","created":2,"model":"n","provider":"y","region":"z","choices":[]}`),
	}, surface.Options{})
	for name, want := range map[string]string{"id": `"a"`, "created": "1", "model": `"m"`} {
		if v := got.Get(name).String(); v != want {
			t.Errorf("%s is %s, want %s", name, v, want)
		}
	}
	if text := got.String(); strings.Count(text, `"provider"`) != 1 || !strings.Contains(text, `"cost":1,"provider":"y","region":"z"`) {
		t.Errorf("the answer is %s, want the last provider alone, in its place", text)
	}
}
