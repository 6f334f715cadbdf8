package chat

import (
	"testing"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// pinned is an envelope that takes the holes of a chunk away, so that a test
// can spell the chunk out.
var pinned = scenarios.Envelope{
	ID: scenarios.NullOf[scenarios.Text](), Model: scenarios.NullOf[scenarios.Text](),
	Created: scenarios.NullOf[int64](), SystemFingerprint: scenarios.NullOf[scenarios.Text](),
}

func render(t scenarios.Text) (string, error) { return t.Source, nil }

func object(t *testing.T, json string) ojson.Value {
	t.Helper()
	v, err := ojson.Parse([]byte(json))
	if err != nil {
		t.Fatalf("%s: %v", json, err)
	}
	return v
}

func encode(t *testing.T, layout scenarios.Layout, o Options, lines ...script.Line) []compile.Unit {
	t.Helper()
	o.Render = render
	units, err := Encode(&script.Lines{Layout: layout, Lines: lines}, o)
	if err != nil {
		t.Fatal(err)
	}
	return units
}

func TestChunksHaveTheRecordedLayout(t *testing.T) {
	t.Parallel()
	role := script.Line{Kind: script.KindRole, Delta: object(t, `{"role":"assistant"}`)}
	opener := script.Line{Kind: script.KindTool, Delta: object(t, `{"role":"assistant","tool_calls":[{"index":0}]}`)}
	refusal := script.Line{Kind: script.KindRefusal, Delta: object(t, `{"role":"assistant","refusal":""}`)}
	finish := script.Line{Kind: script.KindFinish, Finish: scenarios.Some("stop")}
	usage := script.Line{Kind: script.KindUsage, Usage: object(t, `{"total_tokens":3}`)}
	tests := []struct {
		name   string
		layout scenarios.Layout
		usage  bool
		line   script.Line
		want   string
	}{
		{"a role brings content and refusal", scenarios.LayoutGPT4o, false, role, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}]}`},
		{"content is null beside a call", scenarios.LayoutGPT4o, false, opener, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{"role":"assistant","content":null,"tool_calls":[{"index":0}],"refusal":null},"logprobs":null,"finish_reason":null}]}`},
		{"content is null beside a refusal", scenarios.LayoutGPT4o, false, refusal, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{"role":"assistant","content":null,"refusal":""},"logprobs":null,"finish_reason":null}]}`},
		{"the finish has an empty delta", scenarios.LayoutGPT4o, true, finish, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null}`},
		{"usage alone has no choices", scenarios.LayoutGPT4o, true, usage, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[],"usage":{"total_tokens":3}}`},
		{"parallel calls put usage before choices", scenarios.LayoutParallel, true, finish, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"usage":null,"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}`},
		{"reasoning models have no logprobs", scenarios.LayoutReasoning, false, finish, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"service_tier":"T","system_fingerprint":null,"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`},
		{"recordings of 2024 have no tier", scenarios.Layout2024, false, finish, `{"id":null,"object":"chat.completion.chunk","created":null,"model":null,"system_fingerprint":null,"choices":[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}]}`},
		{"Azure sorts its members", scenarios.LayoutAzure, false, finish, `{"choices":[{"content_filter_results":{},"delta":{},"finish_reason":"stop","index":0,"logprobs":null}],"created":null,"id":null,"model":null,"object":"chat.completion.chunk","service_tier":"T","system_fingerprint":null}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			env := pinned
			if tt.layout != scenarios.Layout2024 {
				env.ServiceTier = scenarios.NullOf[scenarios.Text]()
			}
			units := encode(t, tt.layout, Options{Envelope: env, Usage: tt.usage}, tt.line)
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
	units := encode(t, scenarios.LayoutMinimal, Options{Envelope: pinned}, script.Line{
		Kind: script.KindContent, Delta: object(t, `{"content":"x"}`),
		Extra: object(t, `{"provider":"p"}`),
		Omit:  []scenarios.Path{path("created"), path("finish_reason")},
		Set:   []scenarios.Assignment{{Path: path("delta.content"), Value: ojson.Int(7)}, {Path: path("x.y"), Value: ojson.Bool(true)}},
	})
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
		line script.Line
		want int
	}{
		"a chunk":              {script.Line{Kind: script.KindFinish}, 1},
		"an error":             {script.Line{Kind: script.KindError, Error: ojson.Object()}, 1},
		"an error that closes": {script.Line{Kind: script.KindError, Error: ojson.Object(), Close: true}, 0},
	}
	for name, tt := range tests {
		done := 0
		for _, u := range encode(t, scenarios.LayoutGPT4o, Options{}, tt.line) {
			if u.Kind == script.KindDone {
				done++
			}
		}
		if done != tt.want {
			t.Errorf("after %s there are %d [DONE], want %d", name, done, tt.want)
		}
	}
}
