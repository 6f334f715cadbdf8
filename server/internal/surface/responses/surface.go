// Package responses is the surface of the Responses API, POST /v1/responses. An answer there is
// a list of items, and a stream consists of events that open items and their parts, fill them,
// and close them.
//
// The shapes are those of recordings from 2025 and 2026. Where the published
// schema and recordings disagree, recordings win.
package responses

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
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
	CheckHistory: checkHistory, Tool: functionTool,
	Skips: []string{"missing-role", "role-repeated", "usage-with-choices", "usage-not-last", "reasoning-member"},
}

func functionTool(name string) ojson.Value {
	return ojson.Object(append([]ojson.Member{ojson.M("type", ojson.String("function"))}, surface.Function(name)...)...)
}

// Info returns what the server knows of the API.
func (Surface) Info() *surface.Info { return &info }

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
