package chat_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/chat"
)

// withoutHoles is an envelope whose members are null. Chunks with it have no holes, so that tests can
// write them out.
var withoutHoles = scenarios.Envelope{
	ID: scenarios.NullOf[scenarios.Text](), Model: scenarios.NullOf[scenarios.Text](),
	Created: scenarios.NullOf[int64](), SystemFingerprint: scenarios.NullOf[scenarios.Text](),
}

func object(t *testing.T, json string) ojson.Value {
	t.Helper()
	v, err := ojson.Parse([]byte(json))
	if err != nil {
		t.Fatalf("%s: %v", json, err)
	}
	return v
}

// speak turns the groups into the units of a stream in that layout.
func speak(t *testing.T, layout scenarios.Layout, o surface.Options, groups ...script.Group) []compile.Unit {
	t.Helper()
	o.Want.Layout, o.Want.Stream = layout, true
	units, err := chat.Surface{}.Speak(&script.Script{Groups: groups}, &o)
	if err != nil {
		t.Fatal(err)
	}
	return units
}

// says returns a group of these beats.
func says(beats ...script.Beat) script.Group { return script.Group{Beats: beats} }

// finishes returns a group that ends a choice.
func finishes(reason string) script.Group {
	return says(script.Finish{Reason: ojson.String(reason)})
}

// The role stands alone before several calls; beside it is what the real service sends before what follows.
func TestARoleHasTheMembersBeforeWhatFollows(t *testing.T) {
	t.Parallel()
	role := says(script.Start{Role: ojson.String("assistant")})
	call, text := says(script.CallStart{Type: script.FunctionCall}), says(script.Text{Text: ojson.String("Hi")})
	another := text
	another.Choice = 1
	for name, tt := range map[string]struct {
		after []script.Group
		want  string
	}{
		"nothing":                  {nil, `{"role":"assistant","content":"","refusal":null}`},
		"a text before a call":     {[]script.Group{text, call}, `{"role":"assistant","content":"","refusal":null}`},
		"calls":                    {[]script.Group{another, says(script.Hold{Name: "h"}), call, call}, `{"role":"assistant","content":null}`},
		"a call without its start": {[]script.Group{says(script.CallFragment{})}, `{"role":"assistant","content":null}`},
		"calls as JSON":            {[]script.Group{says(script.Literal{Surface: "chat", Member: "tool_calls"})}, `{"role":"assistant","content":null}`},
		"a call of old":            {[]script.Group{says(script.CallStart{Type: script.LegacyCall})}, `{"role":"assistant","content":null}`},
		"a refusal":                {[]script.Group{says(script.Refusal{Text: ojson.String("No")})}, `{"role":"assistant","content":null,"refusal":""}`},
	} {
		units := speak(t, scenarios.LayoutGPT4o, surface.Options{Envelope: withoutHoles}, append([]script.Group{role}, tt.after...)...)
		if got := units[0].JSON.Find(ojson.Path{{Name: "choices"}, {IsIndex: true}, {Name: "delta"}}).String(); got != tt.want {
			t.Errorf("before %s the delta is %s, want %s", name, got, tt.want)
		}
	}
}

func TestChunksHaveTheRecordedLayout(t *testing.T) {
	t.Parallel()
	start := script.Start{Role: ojson.String("assistant")}
	role := says(start)
	opener := says(start, script.Literal{Surface: "chat", Member: "tool_calls", Value: object(t, `[{"index":0}]`)})
	refusal := says(start, script.Refusal{Text: ojson.String("")})
	finish := finishes("stop")
	usage := says(script.Usage{Alone: true, Total: ojson.Int(3), Written: object(t, `{"prompt_tokens_details":null,"completion_tokens_details":null}`)})
	tests := []struct {
		name   string
		layout scenarios.Layout
		usage  bool
		group  script.Group
		want   string
	}{
		{"a role brings content and refusal", scenarios.LayoutGPT4o, false, role, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}]}`},
		{"content is null beside a call", scenarios.LayoutGPT4o, false, opener, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0}],"refusal":null},"logprobs":null,"finish_reason":null}]}`},
		{"content is null beside a refusal", scenarios.LayoutGPT4o, false, refusal, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":""},"logprobs":null,"finish_reason":null}]}`},
		{"the finish has an empty delta", scenarios.LayoutGPT4o, true, finish, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`},
		{"usage alone has no choices", scenarios.LayoutGPT4o, true, usage, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[],"usage":{"total_tokens":3,"prompt_tokens_details":null,"completion_tokens_details":null}}`},
		{"parallel calls put usage before choices", scenarios.LayoutParallel, true, finish, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"usage":null,"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}`},
		{"reasoning models have no logprobs", scenarios.LayoutReasoning, false, finish, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`},
		{"recordings of 2024 have no tier", scenarios.Layout2024, false, finish, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"system_fingerprint":null,"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}`},
		{"Azure sorts its members", scenarios.LayoutAzure, false, finish, `{"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"stop","index":0,"logprobs":null}],"created":null,"id":null,"model":null,"object":"chat.completion.chunk","service_tier":"T","system_fingerprint":null}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := withoutHoles
			if tt.layout != scenarios.Layout2024 {
				env.ServiceTier = scenarios.NullOf[scenarios.Text]()
			}
			units := speak(t, tt.layout, surface.Options{Envelope: env, Want: script.Want{Usage: tt.usage}}, tt.group)
			want := object(t, tt.want)
			if !want.Get("service_tier").IsAbsent() {
				want.Set("service_tier", ojson.Null())
			}
			if got := units[0].JSON.String(); got != want.String() {
				t.Errorf("got  %s\nwant %s", got, want.String())
			}
		})
	}
}

func TestAStepAmendsItsFinishedChunk(t *testing.T) {
	t.Parallel()
	path := func(s string) scenarios.Path {
		p, err := ojson.ParsePath(s)
		if err != nil {
			t.Fatal(err)
		}
		return scenarios.Path{Path: p}
	}
	g := says(script.Text{Text: ojson.String("x")})
	g.Edit = &script.Edit{
		Extra: object(t, `{"provider":"p"}`),
		Omit:  []scenarios.Path{path("created"), path("finish_reason")},
		Set:   []scenarios.Assignment{{Path: path("delta.content"), Value: ojson.Int(7)}, {Path: path("x.y"), Value: ojson.Bool(true)}},
	}
	units := speak(t, scenarios.LayoutMinimal, surface.Options{Envelope: withoutHoles}, g)
	want := `{"id":null,"object":"chat.completion.chunk","model":null,"choices":[{"index":0,"delta":{"content":7}}],"provider":"p","x":{"y":true}}`
	got := units[0].JSON
	got.Remove(ojson.Path{{Name: "system_fingerprint"}})
	if got.String() != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestAStreamClosesWithDoneUnlessItSaysHowItEnds(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		group script.Group
		want  int
	}{
		"a chunk":  {finishes("stop"), 1},
		"an error": {says(script.Error{Object: ojson.Object()}), 1},
	}
	for name, tt := range tests {
		done := 0
		for _, u := range speak(t, scenarios.LayoutGPT4o, surface.Options{}, tt.group) {
			if u.Final {
				done++
			}
		}
		if done != tt.want {
			t.Errorf("after %s there are %d [DONE], want %d", name, done, tt.want)
		}
	}
}

func TestAScriptThatSaysItsOwnEndGetsNoOther(t *testing.T) {
	t.Parallel()
	units, err := chat.Surface{}.Speak(&script.Script{OwnDone: true, Groups: []script.Group{finishes("stop"), says(script.Done{}), says(script.Comment{Text: "bye"})}}, &surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(units) != 3 || !units[1].Final || units[2].Final {
		t.Errorf("spoken as %+v, want one [DONE], where it is written", units)
	}
}

func TestTheFinishOfAMessageIsWhatAnEarlyEndTakesAway(t *testing.T) {
	t.Parallel()
	for _, fromMessage := range []bool{false, true} {
		units := speak(t, scenarios.LayoutGPT4o, surface.Options{FromMessage: fromMessage}, says(script.Text{Text: ojson.String("x")}), finishes("stop"))
		if units[0].Closing || units[1].Closing != fromMessage {
			t.Errorf("from a message %t: the text closes %t, the finish %t", fromMessage, units[0].Closing, units[1].Closing)
		}
	}
}

func TestObfuscationPadsToOneMoreThanAMultipleOfSixteen(t *testing.T) {
	t.Parallel()
	pad, chance := chat.Surface{}.Info().Padding, rand.NewPCG(1, 2)
	all := ""
	for length := range 200 {
		got := pad([]byte("x"), length, chance)[1:]
		if n := length + len(got); n%16 != 1 || len(got) > 15 {
			t.Errorf("%d characters get %d more: %d, want 16n+1", length, len(got), n)
		}
		all += string(got)
	}
	if strings.Trim(all, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789") != "" {
		t.Errorf("the padding has other characters than letters and digits: %q", all)
	}
	first, again := pad(nil, 2, rand.NewPCG(1, 2)), pad(nil, 2, rand.NewPCG(1, 2))
	if string(first) != string(again) || len(first) != 15 {
		t.Errorf("one source of chance draws %q, then %q", first, again)
	}
}

// The role has no chunk on completions. The pause before it is kept, and the pace begins with the first text.
func TestARoleIsAPauseOnCompletions(t *testing.T) {
	t.Parallel()
	second := time.Second
	role := says(script.Start{Role: ojson.String("assistant")})
	role.Gap = &second
	units, err := chat.Completions.Speak(&script.Script{Groups: []script.Group{role, says(script.Text{Text: ojson.String("a")})}}, &surface.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if u := units[0]; !u.Silent || u.Paced || u.Gap != &second || !units[1].Paced {
		t.Errorf("spoken as %+v", units)
	}
}
