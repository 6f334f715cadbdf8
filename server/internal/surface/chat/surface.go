// Package chat is the surface of the APIs whose answers are lists of choices: chat completions,
// and the older completions, which have a text where chat completions have deltas and messages.
// It reads and checks requests, derives the stream of a message, speaks beats as chunks, and
// folds chunks into one answer for a request that does not stream.
//
// The layouts are those of recordings of the real service, not those that its
// reference documents show.
package chat

import (
	"fmt"
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/lint"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// Surface is the API of chat completions. [Completions] is the older API.
type Surface struct{ legacy bool }

// Completions is the API of legacy completions, POST /v1/completions: a text for a prompt. Its
// chunks have no roles, no deltas and no calls.
var Completions = Surface{legacy: true}

var _ surface.Surface = Surface{}

const chatName = "chat"

// A dialect has the differences between chat completions and completions.
type dialect struct {
	surface.Info
	idPrefix string
	delta    string   // delta is the member of a choice that says something in a chunk.
	message  string   // message is the member of a choice that says something in a whole answer.
	whole    []string // whole lists the members of a whole answer, in order.
	logprobs []string // logprobs are the lists in the logprobs of a choice.
	read     func(*scenarios.Request) *request.Error
	table    func() *request.Table // table has the members of a request.
	chunks   lint.Chunks           // chunks are the members that the rules of the protocol know.
}

var chatDialect = dialect{
	Info: surface.Info{
		Name: chatName, Title: "chat completions", Path: Path, DefaultModel: surface.DefaultModel,
		Example:   `{"model":"gpt-4o","stream":true,"stream_options":{"include_usage":true},"messages":[{"role":"user","content":"Hello"}]}`,
		Operation: "chat", AzureOperation: "ChatCompletions_Create", OnDeployments: true,
		Objects: []string{"chat.completion.chunk", "chat.completion"}, ChoiceMember: "delta",
		Says: saysOnChat, HasDeltas: true, Tool: functionTool, Stores: stores,
		InChoice: []string{"delta", "finish_reason", "logprobs"},
		Padding:  pad, ModelNotFound: apierror.ModelNotFound, Repeated: repeatedMetadata,
		CheckHistory: checkHistory,
	},
	idPrefix: "chatcmpl-", delta: "delta", message: "message",
	whole:    []string{"id", "object", "created", "model", "choices", "usage", "service_tier", "system_fingerprint"},
	logprobs: []string{"content", "refusal"},
	chunks: lint.Chunks{
		Object:   "chat.completion.chunk",
		Envelope: []string{"id", "object", "created", "model"},
		Others:   []string{"service_tier", "system_fingerprint", "usage", "moderation", "obfuscation", "prompt_filter_results", "prompt_annotations"},
		Choice:   []string{"index", "delta", "finish_reason"},
	},
	read: readChat, table: chatTable,
}

func functionTool(name string) ojson.Value {
	return ojson.Object(ojson.M("type", ojson.String("function")), ojson.M("function", ojson.Object(surface.Function(name)...)))
}

func (on Surface) dialect() *dialect {
	if on.legacy {
		return &completionsDialect
	}
	return &chatDialect
}

// Info returns what the server knows of the API.
func (on Surface) Info() *surface.Info { return &on.dialect().Info }

// Tables has the check of requests and the names of members in chunks, for the test that compares them with OpenAI's types.
func (on Surface) Tables() map[string]any {
	d := on.dialect()
	answer := map[string][]string{"": append([]string{"choices"}, d.chunks.Envelope...), "choices[]": append([]string{"logprobs"}, d.chunks.Choice...)}
	answer[""] = append(answer[""], d.chunks.Others...)
	if !on.legacy {
		answer["choices[].delta"] = memberNames()
	}
	return map[string]any{"request": request.Object(d.table().Members...), "answer": answer}
}

// Want reads what the selection's request wants of its answer. The layout is the one
// that the scenario names, or else follows from the path or the model; among the gpt-4o
// layouts, the content of the message decides.
func (on Surface) Want(sel *scenarios.Selection, azure bool) script.Want {
	req := sel.Request
	want := script.Want{
		Surface: on.Info().Name, N: req.N, Usage: req.IncludeUsage, Logprobs: req.Logprobs, TopLogprobs: req.TopLogprobs,
		Stream: surface.Streams(sel), ReadsTexts: surface.NamesKinds(sel.Manner),
	}
	if on.legacy {
		want.N *= max(1, len(req.Messages))
		want.Echo, _ = req.Body.Get("echo").Bool()
		return want
	}
	want.Padding = req.IncludeObfuscation
	moderator := req.Body.Get("moderation").Get("model")
	want.Moderation = moderator.Kind() == ojson.StringKind && moderator.Text() != ""
	want.Layout = LayoutFor(req.Model)
	if azure {
		want.Layout = scenarios.LayoutAzure
	}
	written, m := sel.Manner.Envelope.Layout, sel.Reply.Message
	switch {
	case written.IsOn(chatName):
		want.Layout = written
	case want.Layout == scenarios.LayoutGPT4o && m != nil:
		want.Layout = messageLayout(m)
	}
	want.ReadsTexts = want.ReadsTexts || layouts[want.Layout].filtered
	return want
}

// FillEnvelope fills the holes of the envelope.
func (on Surface) FillEnvelope(e *surface.Envelope, f *surface.Filler) {
	switch prefix := on.dialect().idPrefix; {
	case !f.Open(surface.HoleID, &e.Selection.Manner.Envelope.ID):
	case e.Layout == scenarios.LayoutSearch: // its ids are UUIDs
		h := invent.Text(e.IDs(), invent.Hex, 32)
		f.Text(surface.HoleID, fmt.Sprintf("%s%s-%s-4%s-a%s-%s", prefix, h[:8], h[8:12], h[13:16], h[17:20], h[20:]))
	default:
		f.ID(surface.HoleID, prefix, e.IDs(), invent.Base62, 29)
	}
	e.FillHead(f)
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

// pad makes the length of a chunk one more than a multiple of paddingBlock. Each byte of a
// random number stands for a letter, the lowest byte first.
func pad(dst []byte, length int, from rand.Source) []byte {
	missing := (1 - length) & (paddingBlock - 1)
	end, l := len(dst)+missing, &paddingLetters
	for ; missing > 0; missing -= lettersInNumber {
		n := from.Uint64()
		dst = append(dst, l[byte(n)], l[byte(n>>8)], l[byte(n>>16)], l[byte(n>>24)],
			l[byte(n>>32)], l[byte(n>>40)], l[byte(n>>48)], l[byte(n>>56)])
	}
	return dst[:end]
}

// repeatedMetadata is the metadata of a request with store: true, which the real service repeats
// in its answer.
func repeatedMetadata(req *scenarios.Request) ojson.Value {
	metadata := req.Body.Get("metadata")
	if !stores(req) || metadata.Kind() != ojson.ObjectKind {
		return ojson.Value{}
	}
	return ojson.Object(ojson.M("metadata", metadata))
}

// Read parses a request and the members that scenarios can look at.
func (on Surface) Read(header map[string][]string, body []byte) (*scenarios.Request, error) {
	d := on.dialect()
	return request.Parse(d.Name, header, body, d.table(), d.read)
}

// Check returns the error with which api.openai.com refuses the request; nil if it does
// not. It finds unknown members, wrong types, values out of bounds, members and messages that
// contradict each other, and members that the model does not support.
func (on Surface) Check(req *scenarios.Request) *request.Error {
	switch facts := surface.ModelNamed(req.Model); {
	case !on.legacy && facts.Elsewhere:
		return apierror.Refused(404, "model", "", "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?")
	case on.legacy && !facts.Elsewhere && (facts.Plain || facts.Reasoning):
		return apierror.Refused(404, "model", "", "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?")
	}
	return on.dialect().table().Check(req)
}
