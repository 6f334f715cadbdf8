package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// encryptedLength is the number of random characters in an encrypted_content.
const encryptedLength = 200

// InputTokens returns the body of the answer to POST /v1/responses/input_tokens. The number is
// that which usage has for the same request if the scenario does not say it.
func InputTokens(req *scenarios.Request) ojson.Value {
	return ojson.Object(
		ojson.M("object", ojson.String("response.input_tokens")),
		ojson.M("input_tokens", ojson.Int(int64(req.PromptTokens))),
	)
}
