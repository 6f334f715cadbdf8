// Package responses is the surface of the Responses API, POST /v1/responses. An answer there is
// a list of items, and a stream consists of events that open items and their parts, fill them,
// and close them.
//
// The shapes are those of recordings from 2025 and 2026. Where the published
// schema and recordings disagree, recordings win.
package responses

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Surface is the surface of the Responses API.
type Surface struct{}

var _ surface.Keeper = Surface{}

const surfaceName = "responses"

// Obfuscation has no rule for the length of frames: it depends on the text of an event alone.
// Only items have a role, usage is part of the last event, and reasoning has items of its own, hence
// the rules that are skipped.
var info = surface.Info{
	Name: surfaceName, Title: "responses", Path: Path, DefaultModel: surface.DefaultModel,
	Example:   `{"model":"gpt-4o","stream":true,"input":"Hello"}`,
	Operation: "chat", AzureOperation: "Responses_Create",
	Unplayed: "responses",
	Objects:  []string{"", "response"}, EventPrefix: "response.", Number: "sequence_number",
	Items: true, AsksClient: asksClient, Hears: true, QuietStreams: true, Says: says, IsElsewhere: surface.IsOfChat,
	Includes: strings.Join(included, ","), ModelNotFound: apierror.RequestedModelNotFound,
	CheckHistory: checkHistory, Tool: surface.FunctionTool, Stores: Stores,
	Skips: []string{"missing-role", "role-repeated", "usage-with-choices", "usage-not-last", "reasoning-member"},
}

// Info returns what the server knows of the API.
func (Surface) Info() *surface.Info { return &info }

// Tables has the check of requests, the events, the items with their members, and the members of the response object, for
// the test that compares them with OpenAI's types.
func (Surface) Tables() map[string]any {
	items, events, answer := map[string][]string{}, map[string][]string{}, map[string][]string{}
	for _, t := range itemTypes {
		of := "<" + t.Name + ">"
		items["<>"], items[of] = append(items["<>"], t.Name), slices.Clone(commonMembers)
		for _, m := range t.Members {
			items[of] = append(items[of], m.Name)
		}
	}
	for name := range auditedEvents() {
		events[""] = append(events[""], strings.Replace("response."+name, "response.error", "error", 1))
	}
	for _, m := range answerMembers {
		answer[""] = append(answer[""], m.name)
	}
	asked := map[string][]string{"": {"response.create", "response.steer"}}
	return map[string]any{"request": request.Object(table().Members...), "events": events, "client events": asked, "items": items, "answer": answer}
}

// Want returns what the selection's request wants of its answer. RepeatsTexts is set because the
// closing events repeat each text; on Azure they have its length, too.
func (Surface) Want(sel *scenarios.Selection, azure bool) script.Want {
	req, layout := sel.Request, layoutOf(sel.Manner.Envelope.Layout, azure)
	background := InBackground(req)
	return script.Want{
		Surface: surfaceName, N: 1, Usage: true, TellsUsage: true, Logprobs: req.Logprobs, TopLogprobs: req.TopLogprobs,
		Stream: surface.Streams(sel) || background, Padding: req.IncludeObfuscation && !background, ReadsTexts: layoutNamed(layout).onAzure, RepeatsTexts: true,
		Includes: includesOf(req),
		Layout:   layout, Used: used(req),
		Background: background, Conversation: Conversation(req) != "",
	}
}

// Read reads the members of a request that scenarios look at.
func (Surface) Read(header map[string][]string, body []byte) (*scenarios.Request, error) {
	return request.Parse(surfaceName, header, body, table(), readRequest)
}

// Continue puts items before those of the request, so that conditions see them as if the request
// had sent them. Referred are the items that its item references name. Nothing may have looked at
// the messages of the request before.
func (Surface) Continue(req *scenarios.Request, before []ojson.Value, referred map[string]ojson.Value) {
	req.Before, req.Referred = before, referred
	// No error is possible: the request was read without one before, and so were the requests
	// that the other items come from.
	readInput(req)
}

// Check returns the error with which the real service refuses a request, or nil.
func (Surface) Check(req *scenarios.Request) *request.Error {
	return table().Check(req)
}

// CheckMembers is Check without what depends on stored answers and on the model.
func (Surface) CheckMembers(req *scenarios.Request) *request.Error {
	err := table().CheckMembers(req)
	if err == nil && Conversation(req) == "" { // a conversation is looked for before a prompt
		err = promptIsKnown(req)
	}
	return err
}

// Gather adds what an event says, or a whole response. The last event repeats the response.
func (Surface) Gather(r *surface.Reading, event string, v ojson.Value) {
	r.Named = cmp.Or(v.Get("response").Get("id").Text(), r.Named)
	if v.Get("object").Text() == "response" {
		gatherResponse(r, v, "")
		return
	}
	switch kind := cmp.Or(v.Get("type").Text(), event); kind {
	case "response.output_text.delta":
		r.Choice(0).Text(v.Get("delta"))
	case "response.refusal.delta":
		r.Choice(0).Refusal(v.Get("delta"))
	case "response.output_item.added":
		gatherItem(r, v.Get("output_index"), v.Get("item"), false)
	case "response.function_call_arguments.delta", "response.custom_tool_call_input.delta":
		r.Choice(0).Call(v.Get("output_index"), ojson.Value{}, ojson.Value{}, v.Get("delta"))
	case "response." + statusCompleted, "response." + statusIncomplete, "response." + statusFailed:
		response, status := v.Get("response"), strings.TrimPrefix(kind, "response.")
		whole := new(surface.Reading)
		gatherResponse(whole, response, status)
		r.Failure, r.Code = whole.Failure, whole.Code
		if len(response.Get("output").Items()) > 0 {
			r.Repeated = whole
		}
		finish(r, response, status)
	}
}

// gatherResponse adds a whole response. A response without a status gets the given one, which its event means.
func gatherResponse(r *surface.Reading, response ojson.Value, status string) {
	if status = cmp.Or(response.Get("status").Text(), status); status == statusFailed || status == statusCancelled {
		r.Failure = cmp.Or(response.Get("error").Get("message").Text(), "the response has the status "+status)
		r.Code = response.Get("error").Get("code").Text()
	}
	for i, item := range response.Get("output").Items() {
		gatherItem(r, ojson.Int(int64(i)), item, true)
	}
	if later, _ := response.Get("background").Bool(); status != statusInProgress || later {
		finish(r, response, status)
	}
}

// gatherItem adds an item: the call that it opens, or all that it holds if it is whole.
func gatherItem(r *surface.Reading, at, item ojson.Value, whole bool) {
	switch kind := item.Get("type").Text(); {
	case kind == Function || kind == Custom:
		r.Choice(0).Call(at, item.Get("call_id"), item.Get("name"), item.Get(alwaysIn(kind).member))
	case kind == Message && whole:
		for _, part := range item.Get("content").Items() {
			r.Choice(0).Text(part.Get("text"))
			r.Choice(0).Refusal(part.Get("refusal"))
		}
	}
}

// finish adds the usage and how the response ended, in the words of chat completions.
func finish(r *surface.Reading, response ojson.Value, status string) {
	r.NoteUsage(response)
	c := r.Choice(0)
	reason := response.Get("incomplete_details").Get("reason").Text()
	switch {
	case status == statusIncomplete && reason == surface.ReasonLength:
		reason = "length"
	case status == statusIncomplete:
		reason = cmp.Or(reason, "length")
	case c.Calls() > 0:
		reason = "tool_calls"
	default:
		reason = "stop"
	}
	c.Finish(ojson.String(reason))
}

// Derive returns the steps of the stream that the real service would send for a message. The
// first step has the role: response.created is sent with it.
func (Surface) Derive(b *script.Builder, m *scenarios.Message) []scenarios.Step {
	role := scenarios.Some(scenarios.Text{Source: "assistant"})
	return b.Message(m, script.Derivation{
		Logprobs: true,
		Open: func(_ *scenarios.Message, body []scenarios.Step) (opening, rest []scenarios.Step) {
			return []scenarios.Step{{Role: role}}, body
		},
	})
}

// Hear returns what a group says, for the rules.
func (Surface) Hear(g *script.Group, _ *surface.Options) lint.Heard {
	return surface.HearGroup(g, hearEvent)
}

// HearJSON reads an event, as far as the rules of all surfaces look at it.
func (Surface) HearJSON(v ojson.Value) lint.Heard { return surface.HeardBeats(hearEvent(v)) }

// hearEvent returns the beats of an event, as far as the rules of all surfaces look at them.
func hearEvent(event ojson.Value) []script.Beat {
	switch event.Get("type").Text() {
	case "response.output_text.delta":
		beats := []script.Beat{script.Text{Text: event.Get("delta")}}
		if list := event.Get("logprobs"); len(list.Items()) > 0 {
			beats = append(beats, script.Logprobs{Content: list})
		}
		return beats
	case "response.refusal.delta":
		return []script.Beat{script.Refusal{Text: event.Get("delta")}}
	case "response.completed", "response.failed":
		return []script.Beat{script.Finish{Reason: ojson.String("stop")}}
	case "response.incomplete":
		return []script.Beat{script.Finish{Reason: ojson.String("length")}}
	}
	return nil
}

// asksClient reports whether an item of this type is a call that the client answers, with an item of its own.
func asksClient(kind string) bool {
	return slices.Contains([]string{Function, Custom, "computer_call", "local_shell_call", "shell_call", "apply_patch_call", approvalAsked}, kind)
}

// Required returns what a client must answer to these output items, each as an item of its input that has only the
// members which identify it.
func Required(output ojson.Value) (list []ojson.Value) {
	answered := map[string]bool{}
	for _, item := range output.Items() {
		if _, isCall := firstCallID(item); !isCall {
			answered[item.Get("call_id").Text()] = true
		}
	}
	for _, item := range output.Items() {
		id, isCall := firstCallID(item)
		kind := item.Get("type").Text()
		switch {
		case !isCall || answered[id.Text()]:
			continue
		case kind == approvalAsked:
			list = append(list, ojson.Object(ojson.M("type", ojson.String(approvalGiven)), ojson.M("approval_request_id", id)))
			continue
		}
		stub := ojson.Object(ojson.M("type", ojson.String(kind+"_output")), ojson.M("call_id", id))
		if name := item.Get("name"); !name.IsAbsent() {
			stub.Set("name", name)
		}
		list = append(list, stub)
	}
	return list
}

// firstCallID returns the id of a call that the client answers; isCall is false for other items.
func firstCallID(item ojson.Value) (id ojson.Value, isCall bool) {
	kind := item.Get("type").Text()
	if kind == approvalAsked {
		return item.Get("id"), true
	}
	return item.Get("call_id"), asksClient(kind)
}

// InputItems returns an input as a list of items.
func InputItems(input ojson.Value) []ojson.Value {
	if input.Kind() == ojson.StringKind {
		return []ojson.Value{ojson.Object(ojson.M("type", ojson.String("message")), ojson.M("role", ojson.String("user")), ojson.M("content", input))}
	}
	return input.Items()
}

// CheckSteer returns the error for a message response.steer that has another form than the API takes; nil if it has not.
func CheckSteer(message ojson.Value) *apierror.Error {
	wrong := func(param, text string) *apierror.Error { return apierror.Bad(param, "invalid_input", "%s", text) }
	for _, m := range message.Members() {
		if !slices.Contains([]string{"type", "previous_response_id", "input"}, m.Name) {
			return wrong(m.Name, "Unknown parameter: '"+m.Name+"'.")
		}
	}
	if message.Get("previous_response_id").Text() == "" {
		return wrong("previous_response_id", "Missing required parameter: 'previous_response_id'.")
	}
	input := message.Get("input")
	items := InputItems(input)
	if len(items) == 0 || input.Kind() == ojson.StringKind && input.Text() == "" {
		return wrong("input", "Invalid 'input': expected a string or a non-empty array of user messages.")
	}
	for _, item := range items {
		parts, isList := item.Get("content").Items(), item.Get("content").Kind() == ojson.ArrayKind
		isPart := func(p ojson.Value) bool {
			return slices.Contains([]string{"input_text", "input_image", "input_file"}, p.Get("type").Text())
		}
		kind := item.Get("type")
		switch {
		case !kind.IsAbsent() && kind.Text() != "message", item.Get("role").Text() != "user",
			!isList && item.Get("content").Text() == "", isList && len(parts) == 0,
			slices.ContainsFunc(parts, func(p ojson.Value) bool { return !isPart(p) }):
			return wrong("input", "Invalid 'input': only messages of the role 'user' are supported, with text, images and files.")
		}
	}
	return nil
}
