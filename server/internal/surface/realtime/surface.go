// Package realtime is the surface of the Realtime API: sessions over WebSocket, in which clients build a conversation of
// items, and ask for responses to it. A [Session] is one of them; what it asks for is a request as over HTTP, and
// [Surface] speaks the answer.
//
// The shapes are those of recordings from 2025 and 2026 of the form that the service calls GA. Where the published
// schema and recordings disagree, recordings win.
package realtime

import (
	"cmp"
	"slices"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Surface is the surface of the Realtime API.
type Surface struct{}

var _ surface.Surface = Surface{}

// Path is the path of the API, below /v1.
const Path = "/realtime"

const surfaceName = "realtime"

// defaultModel is the model of requests that name none, or fake:NAME.
const defaultModel = "gpt-realtime"

// Roles belong to items, usage is part of response.done, and there is no reasoning, hence the rules that are skipped.
var info = surface.Info{
	Name: surfaceName, Title: "realtime", Path: Path, DefaultModel: defaultModel, OverWebSocket: true,
	Example:   `{"model":"gpt-realtime","output_modalities":["text"],"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Hello"}]}]}`,
	Operation: "chat", AzureOperation: "Realtime",
	Unplayed: "realtime",
	Objects:  []string{"", "realtime.response"},
	Items:    true, Hears: true, QuietStreams: true, Says: says, IsElsewhere: surface.IsOfChat,
	ModelNotFound: apierror.RequestedModelNotFound, Tool: surface.FunctionTool,
	Skips: []string{"missing-role", "role-repeated", "usage-with-choices", "usage-not-last", "reasoning-member"},
}

// Info returns what the server knows of the API.
func (Surface) Info() *surface.Info { return &info }

// says reports whether events can express a beat. A refusal cannot be told from other words here.
func says(beat script.Beat) bool {
	switch beat := beat.(type) {
	case script.CallStart:
		return beat.Type == script.FunctionCall
	case script.CallArguments:
		return beat.Type == script.FunctionCall
	case script.CallFragment:
		return !beat.Custom
	case nil, script.Start, script.Text, script.Audio, script.Logprobs, script.Finish, script.Usage:
		return true
	}
	return false
}

// Want returns what the selection's request wants of its answer. RepeatsTexts is set because the closing events repeat
// each text. Log-probabilities cannot be asked for.
func (Surface) Want(sel *scenarios.Selection, azure bool) script.Want {
	req, layout := sel.Request, scenarios.Layout("")
	if azure {
		layout = scenarios.LayoutAzure
	}
	want := script.Want{
		Surface: surfaceName, N: 1, Stream: surface.Streams(sel), Usage: true, TellsUsage: true, Padding: true, RepeatsTexts: true,
		Layout: layout, Conversation: req.Body.Get("conversation").Text() != "none",
	}
	if !isText(req.Body.Get("output_modalities")) {
		output := req.Body.Get("audio").Get("output")
		format := slices.Index(formats, output.Get("format").Get("type").Text())
		want.Voice, want.Speed = uint8(max(1, format)), uint8(speedOf(output)) // speeds are at most 150
	}
	return want
}

// isText reports whether output_modalities asks for text alone.
func isText(modalities ojson.Value) bool {
	list := modalities.Items()
	return len(list) == 1 && list[0].Text() == "text"
}

// Read reads a request, which a [Session] has made: the members of response.create over those of the session, and the
// items before it as input.
func (Surface) Read(header map[string][]string, body []byte) (*scenarios.Request, error) {
	return request.Parse(surfaceName, header, body, table(), readRequest)
}

// table has what scenarios look at; the session has checked the rest.
var table = sync.OnceValue(func() *request.Table {
	str, object := request.Str(), request.OpenObject()
	item := request.OpenObject(request.May("type", str).Seen(), request.May("role", str).Seen(), request.May("call_id", str).Seen(),
		request.May("name", str).Seen(), request.May("arguments", str).Seen(), request.May("output", str).Seen())
	tool := request.OpenObject(request.May("type", str).Seen(), request.May("name", str).Seen(), request.May("parameters", object).Seen())
	return &request.Table{Members: []request.Member{
		request.May("model", str).Seen(), request.May("user", str).Seen(), request.May("instructions", str).Seen(),
		request.May("input", request.Objects(0, request.Unbounded, request.OrNull(item))).Seen(),
		request.May("tools", request.Objects(0, request.Unbounded, request.OrNull(tool))).Seen(),
	}}
})

// Tables has the checks of what sessions take, the events and the types of items, for the test that compares them with
// OpenAI's types.
func (Surface) Tables() map[string]any {
	list := func(names []string) map[string][]string { return map[string][]string{"": names} }
	return map[string]any{
		"session": sessionMembers(), "response": responseMembers, "events": list(serverEvents), "client events": list(namesOfClientEvents()),
		"items": map[string][]string{"<>": append([]string{itemMessage, itemCall, itemResult}, itemsUnplayed...)},
	}
}

// readRequest reads what conditions look at, so that they mean the same as on chat completions: instructions that the
// client gave become a message of the system, the items of one answer become one message of the assistant, and the
// output of a call becomes a message of a tool.
func readRequest(req *scenarios.Request) *request.Error {
	req.Stream, req.IncludeUsage = true, true
	if text := req.Body.Get("instructions").Text(); text != "" {
		req.Messages = append(req.Messages, scenarios.RequestMessage{Role: "system", Text: text})
	}
	for _, item := range req.Body.Get("input").Items() {
		readItem(item, req)
	}
	for _, t := range req.Body.Get("tools").Items() {
		tool := scenarios.Tool{Type: t.Get("type").Text(), Name: t.Get("name").Text()}
		if p := t.Get("parameters"); !p.IsNull() {
			tool.Parameters = p
		}
		req.Tools = append(req.Tools, tool)
	}
	req.PromptTokens = surface.TokensOfMessages(req)
	return nil
}

func readItem(item ojson.Value, req *scenarios.Request) {
	id := item.Get("call_id").Text()
	switch item.Get("type").Text() {
	case itemCall:
		m := answerOf(req)
		m.ToolCalls = append(m.ToolCalls, scenarios.RequestCall{ID: id, Type: "function", Name: item.Get("name").Text(), Arguments: item.Get("arguments").Text()})
	case itemResult:
		req.Messages = append(req.Messages, scenarios.RequestMessage{Role: "tool", Text: item.Get("output").Text(), ToolCallID: id})
	case itemMessage:
		role, text := item.Get("role").Text(), textOf(item)
		if role == "assistant" {
			m := answerOf(req)
			m.Text += text
			return
		}
		req.Messages = append(req.Messages, scenarios.RequestMessage{Role: role, Text: text})
		if role == "user" {
			req.LastUser = text
		}
	}
}

// answerOf returns the message of the answer that the items before end with, or begins one.
func answerOf(req *scenarios.Request) *scenarios.RequestMessage {
	if n := len(req.Messages); n == 0 || req.Messages[n-1].Role != "assistant" {
		req.Messages = append(req.Messages, scenarios.RequestMessage{Role: "assistant"})
		req.Turn++
	}
	return &req.Messages[len(req.Messages)-1]
}

// textOf returns the text of the parts of a message: what was written, or what was said.
func textOf(item ojson.Value) (text string) {
	for _, part := range item.Get("content").Items() {
		text += part.Get("text").Text() + part.Get("transcript").Text()
	}
	return text
}

// Check returns nil: what the real service refuses, a [Session] refuses before it makes a request.
func (Surface) Check(*scenarios.Request) *request.Error { return nil }

// Hear returns what a group says, for the rules.
func (Surface) Hear(g *script.Group, _ *surface.Options) lint.Heard {
	return surface.HearGroup(g, hearEvent)
}

// HearJSON reads an event, as far as the rules of all surfaces look at it.
func (Surface) HearJSON(v ojson.Value) lint.Heard { return surface.HeardBeats(hearEvent(v)) }

// hearEvent returns the beats of an event, as far as the rules of all surfaces look at them.
func hearEvent(event ojson.Value) []script.Beat {
	switch event.Get("type").Text() {
	case "response.output_text.delta", "response.output_audio_transcript.delta":
		return []script.Beat{script.Text{Text: event.Get("delta")}}
	case "response.done":
		return []script.Beat{script.Finish{Reason: ojson.String(finishOf(event.Get("response")))}}
	}
	return nil
}

// finishOf returns the finish reason that a response stands for.
func finishOf(response ojson.Value) string {
	if response.Get("status").Text() == statusIncomplete {
		return "length"
	}
	return "stop"
}

// Gather adds what an event says. The last event repeats the items.
func (Surface) Gather(r *surface.Reading, event string, v ojson.Value) {
	c := r.Choice(0)
	switch kind := cmp.Or(v.Get("type").Text(), event); kind {
	case "response.output_text.delta", "response.output_audio_transcript.delta":
		c.Text(v.Get("delta"))
	case "response.output_item.added":
		if item := v.Get("item"); item.Get("type").Text() == itemCall {
			c.Call(v.Get("output_index"), item.Get("call_id"), item.Get("name"), item.Get("arguments"))
		}
	case "response.function_call_arguments.delta":
		c.Call(v.Get("output_index"), ojson.Value{}, ojson.Value{}, v.Get("delta"))
	case "response.done":
		gatherResponse(r, v.Get("response"))
	}
}

func gatherResponse(r *surface.Reading, response ojson.Value) {
	r.NoteUsage(response)
	c, details := r.Choice(0), response.Get("status_details")
	switch status := response.Get("status").Text(); {
	case status == statusFailed || status == statusCancelled:
		r.Failure = cmp.Or(details.Get("error").Get("message").Text(), "the response has the status "+status)
	case status == statusIncomplete && details.Get("reason").Text() == surface.ReasonFilter:
		c.Finish(ojson.String("content_filter"))
	case status == statusIncomplete:
		c.Finish(ojson.String("length"))
	case c.Calls() > 0:
		c.Finish(ojson.String("tool_calls"))
	default:
		c.Finish(ojson.String("stop"))
	}
}

// Derive returns the steps of the stream that the real service would send for a message. The first step has the role:
// response.created is sent with it.
func (Surface) Derive(b *script.Builder, m *scenarios.Message) []scenarios.Step {
	opening := []scenarios.Step{{Role: scenarios.Some(scenarios.Text{Source: "assistant"})}}
	return b.Message(m, script.Derivation{
		Open: func(_ *scenarios.Message, body []scenarios.Step) (_, rest []scenarios.Step) { return opening, body },
		Audio: func(m *scenarios.Message) script.ChoiceStream {
			finish := m.Finish
			if !finish.Present {
				finish = scenarios.Some(scenarios.Text{Source: "stop"})
			}
			return script.ChoiceStream{Opening: opening, Body: spokenSteps(b, m), Closing: []scenarios.Step{{Finish: finish}}}
		},
	})
}

// spokenSteps are the steps of a message with audio: pieces of its transcript, then pieces of the sound that the author wrote.
func spokenSteps(b *script.Builder, m *scenarios.Message) (steps []scenarios.Step) {
	add := func(name, piece string) {
		audio := ojson.Object(ojson.M(name, ojson.String(scenarios.EscapeActions(piece))))
		steps = append(steps, scenarios.Step{Audio: &audio})
	}
	for _, piece := range script.Cut(b.Text(m.Audio.Transcript), m.By) {
		add("transcript", piece)
	}
	for _, piece := range script.Cut(m.Audio.Data, scenarios.Cut{Size: soundPiece}) {
		add("data", piece)
	}
	return steps
}

// soundPiece is how many base64 characters a piece of sound has in recordings: 0.25 seconds of 24 kHz 16-bit sound.
const soundPiece = 16_000
