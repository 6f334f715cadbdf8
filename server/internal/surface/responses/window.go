package responses

import (
	"math/rand/v2"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/draw"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/itemtype"
)

// InputTokens is the answer of POST /v1/responses/input_tokens: what usage counts
// as input_tokens for the same request, where the scenario does not tell it.
func InputTokens(req *scenarios.Request) ojson.Value {
	return ojson.Object(
		ojson.M("object", ojson.String("response.input_tokens")),
		ojson.M("input_tokens", ojson.Int(int64(Surface{}.PromptTokens(req)))),
	)
}

// CheckCompact is the error for a request to compact that lacks its model, or what
// is to be compacted; nil if there is both.
func CheckCompact(req *scenarios.Request) error {
	missing := ""
	switch body := req.Body; {
	case req.Model == "":
		missing = "model"
	case body.Get("input").IsNullOrAbsent() && body.Get("previous_response_id").IsNullOrAbsent():
		missing = "input"
	default:
		return nil
	}
	return request.Bad(missing, "missing_required_parameter", "Missing required parameter: '%s'.", missing)
}

// encryptedLength is how long the text is that stands for what was compacted.
const encryptedLength = 200

// Compact is the answer of POST /v1/responses/compact, and how many tokens it has:
// what the user said, and an item that stands for all else. Created is in seconds
// since 1970; ids, and the text that nobody can read, are drawn.
func Compact(req *scenarios.Request, created int64, drawn *rand.Rand) (ojson.Value, int) {
	id := newIDs(func() *rand.Rand { return drawn }, "", created)
	answerID, output := id("resp_"), ojson.Array()
	input := req.Body.Get("input")
	for _, item := range slices.Concat(req.Before, input.Items()) {
		if kind := item.Get("type"); item.Get("role").Text() == "user" && (kind.IsNullOrAbsent() || kind.Text() == itemtype.Message) {
			output.Push(userMessage(id("msg_"), item.Get("content")))
		}
	}
	if input.Kind() == ojson.StringKind {
		output.Push(userMessage(id("msg_"), input))
	}
	encrypted := encryptedPrefix + draw.Text(drawn, draw.Base62, encryptedLength)
	output.Push(ojson.Object(
		ojson.M("id", ojson.String(id("cmp_"))),
		ojson.M("type", ojson.String("compaction")),
		ojson.M("encrypted_content", ojson.String(encrypted)),
	))
	prompt, tokens := Surface{}.PromptTokens(req), len(encrypted)/4
	usage := &script.Usage{Prompt: ojson.Int(int64(prompt)), Completion: ojson.Int(int64(tokens)), Total: ojson.Int(int64(prompt + tokens)), Reasoning: ojson.Int(0)}
	return ojson.Object(
		ojson.M("id", ojson.String(answerID)),
		ojson.M("object", ojson.String("response.compaction")),
		ojson.M("created_at", ojson.Int(created)),
		ojson.M("output", output),
		ojson.M("usage", usageObject(usage, false)),
	), tokens
}

// userMessage is a message of the user in its full form.
func userMessage(id string, content ojson.Value) ojson.Value {
	if content.Kind() == ojson.StringKind {
		content = ojson.Array(ojson.Object(ojson.M("type", ojson.String("input_text")), ojson.M("text", content)))
	}
	return ojson.Object(
		ojson.M("id", ojson.String(id)), ojson.M("type", ojson.String(itemtype.Message)), ojson.M("status", ojson.String(statusCompleted)),
		ojson.M("content", content), ojson.M("role", ojson.String("user")),
	)
}
