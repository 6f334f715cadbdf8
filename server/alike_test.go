package server_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/fakeopenai/fakeopenai/fixtures/testflag"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

const alikeScripts = `
name: calls
stream: [{ role: assistant }, { content: "I look. " }, { tool_call: { id: call_1, name: get_weather, arguments: { city: Oslo } }, pieces: 3 }, { tool_call: { id: call_2, name: get_weather, arguments: { city: Zürich } } }, { finish: tool_calls }, { usage: { prompt_tokens: 8, completion_tokens: 5 } }]
---
name: refuses
stream: [{ role: assistant }, { refusal: "I can" }, { refusal: "not." }, { finish: stop }]
---
name: logprobs
message: { content: "Hello, you.", logprobs: true }
---
name: counted
message: { content: "Counted.", usage: { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 64 }, completion_tokens_details: { reasoning_tokens: 3 } } }
---
name: scripts
stream: [{ role: assistant }, { content: "שלום " }, { content: "👩‍👩‍👧 " }, { content: "e\u0301\0\u2028\"\\\n" }, { finish: stop }]
---
name: empties
stream: [{ role: assistant }, { content: "" }, { content: a }, { heartbeat: 2 }, { content: "" }, { content: b }, { finish: length }]
---
name: two
message: { choices: [{ content: One. }, { content: Two., finish: length }] }
---
name: breaks
stream: [{ role: assistant }, { content: Half }, { error: { message: The server had an error., type: server_error } }]
---
name: cuts
stream: [{ role: assistant }, { content: One }, { content: two }, { content: three }, { finish: stop }]
end: { cut: { after: 2 } }
---
name: filtered
message: { content: "I am not", finish: content_filter }
---
name: limited
error: { status: 429 }
`

// differs are scenarios to whose answers clients come to something else on another API, and why.
var differs = map[string]string{
	"audio":          "the text of a sound is the text of a realtime answer alone",
	"missing-finish": "items and responses end with events, and the choices of chat completions without",
}

// One scenario says the same over every API that can say it: texts, calls, how it finishes, whether it fails, and its
// counts of tokens. Over WebSocket another reader than that of the server tells what the messages say.
func TestAScenarioSaysTheSameOnEveryAPI(t *testing.T) {
	t.Parallel()
	testflag.NoRace(t)
	fixtures := bundled(t)
	for _, set := range []*scenarios.Set{parse(t, alikeScripts), fixtures} {
		speaks := server.Speaks(set)
		for _, sc := range set.Scenarios() {
			if !slices.Contains(speaks[sc.Name], scenarios.DefaultSurface) || differs[sc.Name] != "" {
				continue
			}
			first, inOne := comesTo(t, set, sc.Name, scenarios.DefaultSurface, true), comesTo(t, set, sc.Name, scenarios.DefaultSurface, false)
			for _, on := range speaks[sc.Name][1:] {
				if got := comesTo(t, set, sc.Name, on, true); !slices.EqualFunc(first, got, alike) {
					t.Errorf("%s: on chat completions clients come to %+v, and on %s to %+v", sc.Name, first, on, got)
				}
				if got := comesTo(t, set, sc.Name, on, false); on != "realtime" && !slices.EqualFunc(inOne, got, alike) {
					t.Errorf("%s: in one piece, on chat completions clients come to %+v, and on %s to %+v", sc.Name, inOne, on, got)
				}
				if set == fixtures || on != "responses" && on != "realtime" {
					continue
				}
				if got := heardOver(t, on, sc.Name); !alike(first[0], got) {
					t.Errorf("%s: on chat completions clients come to %+v, and over a WebSocket of %s to %+v", sc.Name, first[0], on, got)
				}
			}
		}
	}
}

// comesTo is what clients come to on an API, of a streamed answer or of one in one piece.
func comesTo(t *testing.T, set *scenarios.Set, name, on string, streamed bool) []scenarios.Outcome {
	t.Helper()
	of := server.SurfaceNamed(on)
	body, err := ojson.Parse([]byte(of.Example))
	if err != nil {
		t.Fatal(err)
	}
	body.Set("model", ojson.String("fake:"+name))
	if on != "realtime" {
		body.Set("stream", ojson.Bool(streamed))
	}
	if !of.Items && streamed {
		body.Set("stream_options", ojson.Object(ojson.M("include_usage", ojson.Bool(true))))
	}
	if of.Tool != nil {
		body.Set("tools", ojson.Array(of.Tool("get_weather")))
	}
	got, err := server.Outcomes(set, on, http.Header{}, body.Append(nil), 1)
	if err != nil {
		t.Errorf("%s on %s: %v", name, on, err)
	}
	return got.Careful
}

// alike compares outcomes: items always have counts of tokens, and a prompt is not as long on each API.
func alike(a, b scenarios.Outcome) bool {
	counted := !a.Usage.IsAbsent() && !b.Usage.IsAbsent()
	for _, o := range []*scenarios.Outcome{&a, &b} {
		if o.Usage = o.Usage.Get("completion_tokens"); !counted {
			o.Usage = ojson.Value{}
		} else {
			o.Usage = ojson.Object(ojson.M("completion_tokens", o.Usage))
		}
	}
	return a.Is(&b)
}

// heardEvent is what is read of an event of Responses and of Realtime.
type heardEvent struct {
	Type, Delta string
	Item        struct {
		Type, Name, Arguments string
		CallID                string `json:"call_id"`
	}
	Response struct {
		Status     string
		Incomplete struct{ Reason string } `json:"incomplete_details"`
		Details    struct{ Reason string } `json:"status_details"`
		Usage      struct {
			Output json.Number `json:"output_tokens"`
		}
	}
}

// heardOver is what a client comes to that reads the messages of a WebSocket connection.
func heardOver(t *testing.T, on, name string) (o scenarios.Outcome) {
	t.Helper()
	at, ask := "/v1/responses", `{"type": "response.create", "model": "fake:`+name+`", "input": "Hi", "tools": [{"type": "function", "name": "get_weather", "parameters": {}}]}`
	if on == "realtime" {
		at, ask = strings.Replace(realtimeAt, "gpt-realtime", "fake:"+name, 1), `{"type": "response.create"}`
	}
	c, _, _ := converseAt(t, at, alikeScripts, server.Config{Speed: server.Instant})
	c.in <- ask
	defer close(c.in)
	for {
		message := ""
		select {
		case message = <-c.out:
		case <-c.over:
			return scenarios.Outcome{Error: "the connection is over"}
		}
		var e heardEvent
		if message != "ping" && json.Unmarshal([]byte(message), &e) != nil {
			return scenarios.Outcome{Error: message}
		}
		switch strings.TrimPrefix(e.Type, "response.") {
		case "error", "failed":
			return scenarios.Outcome{Error: message}
		case "output_text.delta", "output_audio_transcript.delta":
			o.Text += e.Delta
		case "refusal.delta":
			o.Refusal += e.Delta
		case "output_item.done":
			if e.Item.Type == "function_call" {
				o.Calls = append(o.Calls, scenarios.OutcomeCall{ID: e.Item.CallID, Name: e.Item.Name, Arguments: e.Item.Arguments})
			}
		case "completed", "incomplete", "done":
			if e.Response.Status == "failed" {
				return scenarios.Outcome{Error: message}
			}
			o.Finish = finishOf(e.Response.Incomplete.Reason+e.Response.Details.Reason, len(o.Calls) > 0)
			o.Usage = ojson.Object(ojson.M("completion_tokens", ojson.Number(e.Response.Usage.Output.String())))
			return o
		}
	}
}

// finishOf is the finish_reason of chat completions for the reason why a response is incomplete.
func finishOf(reason string, calls bool) string {
	switch {
	case reason == "max_output_tokens":
		return "length"
	case reason != "":
		return reason
	case calls:
		return "tool_calls"
	}
	return "stop"
}
