package chat

import (
	"fmt"
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Surface is the API of chat completions.
type Surface struct{}

var _ surface.Surface = Surface{}

const surfaceName = "chat"

var info = surface.Info{
	Name: surfaceName, Title: "chat completions", Path: "/chat/completions", DefaultModel: model.Default,
	Example:   `{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hello"}]}`,
	Operation: "chat", AzureOperation: "ChatCompletions_Create", OnDeployments: true,
	Unplayed: "chat/completions/chatcmpl-", // a completion that was stored
	Objects:  []string{"chat.completion.chunk", "chat.completion"}, ChoiceMember: "delta",
	Padding: pad,
}

// Info returns what the server knows of the API.
func (Surface) Info() *surface.Info { return &info }

// Want reads what the selection's request wants of its answer. The layout is the one
// that the scenario names, or else follows from the path or the model.
func (Surface) Want(sel *scenarios.Selection, azure bool) script.Want {
	req := sel.Request
	want := script.Want{
		Surface: surfaceName, N: req.N, Usage: req.IncludeUsage, Logprobs: req.Logprobs, TopLogprobs: req.TopLogprobs,
		Stream: surface.Streams(sel), Padding: req.IncludeObfuscation,
	}
	want.Moderation = asksForModeration(req)
	asked := LayoutFor(req.Model)
	if azure {
		asked = scenarios.LayoutAzure
	}
	want.Layout = layoutOf(sel.Manner.Envelope.Layout, asked, sel.Reply)
	want.ReadsTexts = layouts[want.Layout].filtered || surface.NamesKinds(sel.Manner)
	return want
}

// DraftWant is the want for which a reply is checked at load.
func (Surface) DraftWant(r *scenarios.Reply, m *scenarios.Manner) script.Want {
	want := script.Want{Surface: surfaceName, N: 1, Usage: true, Logprobs: script.AsksForLogprobs(r), Stream: true, Padding: true}
	if r.Message != nil && len(r.Message.Choices) > 0 {
		want.N = len(r.Message.Choices)
	}
	want.Layout = layoutOf(m.Envelope.Layout, scenarios.LayoutGPT4o, r)
	return want
}

// layoutOf is the layout that a scenario names, or the one that the request calls for.
// Among the gpt-4o layouts, the content of the message decides.
func layoutOf(written, asked scenarios.Layout, r *scenarios.Reply) scenarios.Layout {
	switch {
	case written.IsOn(surfaceName):
		return written
	case asked == scenarios.LayoutGPT4o && r.Message != nil:
		return messageLayout(r.Message)
	}
	return asked
}

// PromptTokens follows the service's own guidance: four characters to a token, three
// tokens around each message, and three more before the answer.
func (Surface) PromptTokens(req *scenarios.Request) int {
	tokens := 3
	for _, m := range req.Messages {
		tokens += 4 + len(m.Text)/4
	}
	return tokens
}

// FillEnvelope fills the holes of the envelope.
func (Surface) FillEnvelope(e *surface.Envelope, f *surface.Filler) {
	env := &e.Selection.Manner.Envelope
	if f.Open(holeID, &env.ID) {
		fillID(f, e)
	}
	if f.Open(holeModel, &env.Model) {
		f.Text(holeModel, model.Snapshot(e.Model))
	}
	if f.Open(holeFingerprint, &env.SystemFingerprint) {
		f.Text(holeFingerprint, e.Fingerprint)
	}
	if f.Open(holeServiceTier, &env.ServiceTier) {
		f.Text(holeServiceTier, serviceTier(e.Selection.Request))
	}
	f.Number(holeCreated, e.Created)
}

// fillID draws an id: 29 letters and digits, or a UUID for search models.
func fillID(f *surface.Filler, e *surface.Envelope) {
	if e.Layout != scenarios.LayoutSearch {
		f.ID(holeID, "chatcmpl-", e.IDs(), draw.Base62, 29)
		return
	}
	h := draw.Text(e.IDs(), draw.Hex, 32)
	f.Text(holeID, fmt.Sprintf("chatcmpl-%s-%s-4%s-a%s-%s", h[:8], h[8:12], h[13:16], h[17:20], h[20:]))
}

// serviceTier is the tier that the real service reports for the requested one.
func serviceTier(req *scenarios.Request) string {
	switch tier := req.Body.Get("service_tier").Text(); tier {
	case "", "auto":
		return "default"
	case "fast":
		return "priority"
	default:
		return tier
	}
}

const (
	paddingAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
	paddingBlock    = 16
	lettersInNumber = 8 // lettersInNumber is how many letters one random number gives.
)

// paddingLetters maps each byte to a letter of the alphabet. All letters are about
// equally frequent.
var paddingLetters = func() (letters [1 << 8]byte) {
	for i := range letters {
		letters[i] = paddingAlphabet[i*len(paddingAlphabet)>>8]
	}
	return letters
}()

func pad(dst []byte, length int, from rand.Source) []byte {
	missing := (1 - length) & (paddingBlock - 1)
	end := len(dst) + missing
	for ; missing > 0; missing -= lettersInNumber {
		dst = appendLetters(dst, from.Uint64())
	}
	return dst[:end]
}

// appendLetters appends a letter for each byte of a number, the lowest byte first.
func appendLetters(dst []byte, n uint64) []byte {
	l := &paddingLetters
	return append(dst, l[byte(n)], l[byte(n>>8)], l[byte(n>>16)], l[byte(n>>24)],
		l[byte(n>>32)], l[byte(n>>40)], l[byte(n>>48)], l[byte(n>>56)])
}

// Repeated returns the metadata of a request with store: true, which the real service
// repeats in its answer.
func (Surface) Repeated(req *scenarios.Request) ojson.Value {
	metadata := req.Body.Get("metadata")
	if store, _ := req.Body.Get("store").Bool(); !store || metadata.Kind() != ojson.ObjectKind {
		return ojson.Value{}
	}
	return ojson.Object(ojson.M("metadata", metadata))
}

// Read parses a chat completions request and the members that scenarios can look at.
func (Surface) Read(header map[string][]string, body []byte) (*scenarios.Request, error) {
	return request.Parse(surfaceName, header, body, readChat)
}

// Check returns the error with which api.openai.com refuses the request; nil if it does
// not.
func (Surface) Check(req *scenarios.Request) *request.Error { return checkRequest(req) }

// ModelNotFound is the error for a model that does not exist.
func (Surface) ModelNotFound(name string) *apierror.Error { return apierror.ModelNotFound(name) }

// CheckHistory returns the error for messages that no conversation with tools can have;
// nil for all others.
func (Surface) CheckHistory(req *scenarios.Request) *request.Error { return checkHistory(req) }
