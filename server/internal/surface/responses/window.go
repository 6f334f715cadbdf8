package responses

import (
	"math/rand/v2"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// InputTokens returns the body of the answer to POST /v1/responses/input_tokens. The number is
// that which usage has for the same request if the scenario does not say it.
func InputTokens(req *scenarios.Request) ojson.Value {
	return ojson.Object(
		ojson.M("object", ojson.String("response.input_tokens")),
		ojson.M("input_tokens", ojson.Int(int64(req.PromptTokens))),
	)
}

// CheckCompact returns the error for a request to compact without a model or without items; nil
// if it has both.
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

// encryptedLength is the number of random characters in the encrypted_content of a compaction.
const encryptedLength = 200

// Compact returns the body of the answer to POST /v1/responses/compact, and the number of its
// output tokens. The body has the messages of the user, and an item compaction in place of all
// else. Created is in seconds since 1970; ids and encrypted_content are drawn.
func Compact(req *scenarios.Request, created int64, drawn *rand.Rand) (ojson.Value, int) {
	id := newIDs(func() *rand.Rand { return drawn }, "", created, "")
	answerID, output := id("resp_"), ojson.Array()
	input := req.Body.Get("input")
	for _, item := range slices.Concat(req.Before, input.Items()) {
		if kind := item.Get("type"); item.Get("role").Text() == "user" && (kind.IsNullOrAbsent() || kind.Text() == Message) {
			output.Push(userMessage(id("msg_"), item.Get("content")))
		}
	}
	if input.Kind() == ojson.StringKind {
		output.Push(userMessage(id("msg_"), input))
	}
	encrypted := encryptedPrefix + invent.Text(drawn, invent.Base62, encryptedLength)
	output.Push(ojson.Object(
		ojson.M("id", ojson.String(id("cmp_"))),
		ojson.M("type", ojson.String("compaction")),
		ojson.M("encrypted_content", ojson.String(encrypted)),
	))
	prompt, tokens := req.PromptTokens, len(encrypted)/4
	usage := &script.Usage{Prompt: ojson.Int(int64(prompt)), Completion: ojson.Int(int64(tokens)), Total: ojson.Int(int64(prompt + tokens)), Reasoning: ojson.Int(0)}
	return ojson.Object(
		ojson.M("id", ojson.String(answerID)),
		ojson.M("object", ojson.String("response.compaction")),
		ojson.M("created_at", ojson.Int(created)),
		ojson.M("output", output),
		ojson.M("usage", usageObject(usage, layoutNamed(""))),
	), tokens
}

// userMessage returns a message of the user with all its members.
func userMessage(id string, content ojson.Value) ojson.Value {
	if content.Kind() == ojson.StringKind {
		content = ojson.Array(ojson.Object(ojson.M("type", ojson.String("input_text")), ojson.M("text", content)))
	}
	return ojson.Object(
		ojson.M("id", ojson.String(id)), ojson.M("type", ojson.String(Message)), ojson.M("status", ojson.String(statusCompleted)),
		ojson.M("content", content), ojson.M("role", ojson.String("user")),
	)
}
