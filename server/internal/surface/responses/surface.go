// Package responses is the surface of the Responses API, POST /v1/responses: an
// answer is a list of items, and a stream is events that open items and their
// parts, fill them and close them.
//
// The shapes are those of recordings from 2025 and 2026. Where the published
// schema and recordings disagree, recordings win.
package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/ask"
)

// Surface is the Responses API.
type Surface struct{}

var _ surface.Keeper = Surface{}

const surfaceName = "responses"

// Name is the name of the surface in the language.
func (Surface) Name() string { return surfaceName }

// Path is where responses are asked for.
func (Surface) Path() string { return "/responses" }

// DefaultModel answers where a request names none.
func (Surface) DefaultModel() string { return model.Default }

// Example is the body of a request for a stream; usage is always told.
func (Surface) Example() string { return `{"model":"gpt-4o","stream":true,"input":"Hello"}` }

// Want is what the selection's request wants of its answer. Texts are repeated
// where they end, so that no hole can stand in for them.
func (Surface) Want(sel *scenarios.Selection, azure bool) script.Want {
	req := sel.Request
	background := ask.InBackground(req)
	return script.Want{
		Surface: surfaceName, N: 1, Usage: true, TellsUsage: true, Logprobs: req.Logprobs, TopLogprobs: req.TopLogprobs,
		Stream: surface.Streams(sel) || background, Padding: req.IncludeObfuscation && !background, ReadsTexts: true,
		Includes: includesOf(req),
		Layout:   layoutOf(sel.Manner.Envelope.Layout, azure), Used: used(req),
		Background: background, Conversation: ask.Conversation(req) != "",
	}
}

// DraftWant is the request for which a reply is checked when it is loaded.
func (Surface) DraftWant(r *scenarios.Reply, _ *scenarios.Manner) script.Want {
	want := script.Want{
		Surface: surfaceName, N: 1, Usage: true, TellsUsage: true, Logprobs: script.AsksForLogprobs(r),
		Stream: true, Padding: true, ReadsTexts: true, Includes: allIncludes(),
	}
	if r.Message != nil && len(r.Message.Choices) > 0 {
		want.N = len(r.Message.Choices)
	}
	return want
}

// Read reads the members of a request that scenarios look at.
func (Surface) Read(header map[string][]string, body []byte) (*scenarios.Request, error) {
	return request.Parse(surfaceName, header, body, ask.Read)
}

// AnswerID is the hole of the answer's id.
func (Surface) AnswerID() hole.ID { return holeID }

// Continue reads the input of a request again, behind the items that came before
// it, and with those that it refers to.
func (Surface) Continue(req *scenarios.Request, before []ojson.Value, referred map[string]ojson.Value) {
	ask.Continue(req, before, referred)
}

// Check is the error with which the real service refuses a request, or nil.
func (Surface) Check(req *scenarios.Request) *request.Error { return ask.Check(req) }

// ModelNotFound is the error for a model that does not exist: here the service has
// another one than for chat completions.
func (Surface) ModelNotFound(name string) *apierror.Error {
	return apierror.RequestedModelNotFound(name)
}

// CheckHistory is the error for a request whose items cannot be how a conversation
// with tools went, or nil.
func (Surface) CheckHistory(req *scenarios.Request) *request.Error { return ask.CheckHistory(req) }

// PromptTokens counts as for chat completions: four characters to a token, three
// tokens around each message, and three that open the answer.
func (Surface) PromptTokens(req *scenarios.Request) int {
	tokens := 3
	for _, m := range req.Messages {
		tokens += 4 + len(m.Text)/4
	}
	return tokens
}

// Padding is none: what hides the length of a text depends on the text alone, and
// is drawn where the text is spoken.
func (Surface) Padding() player.Padding { return nil }

// Repeated is nothing: the members that repeat the request are holes of every
// snapshot, and so of the whole answer.
func (Surface) Repeated(*scenarios.Request) ojson.Value { return ojson.Value{} }

// Complete leaves a path as it is: events have no places that are named in short.
func (Surface) Complete(p ojson.Path) ojson.Path { return p }

// Skips are the rules about chunks of chat completions: here nothing but items has
// a role, and usage stands beside everything else.
func (Surface) Skips() []string {
	return []string{"missing-role", "role-repeated", "usage-with-choices", "usage-not-last"}
}
