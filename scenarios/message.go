package scenarios

import (
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Message is the finished answer. The server derives from it the stream that
// the real service would send.
type Message struct {
	Content         Opt[Text]
	Parts           []Text // Parts are further parts of the content, after Content; only the Responses API has them.
	Fake            *Fake  // Fake is generated content, instead of Content.
	Refusal         Opt[Text]
	Reasoning       *Reasoning
	ToolCalls       []ToolCall
	CustomToolCalls []ToolCall
	FunctionCall    *ToolCall
	Audio           *Audio
	Annotations     *ojson.Value
	Logprobs        *Logprobs // Logprobs that are nil are generated if the request asks for them.
	WhenAsked       bool      // WhenAsked sends Logprobs only if the request asks for them.
	Finish          Opt[Text] // Finish is the finish_reason, which by default follows from the content.
	Usage           *Usage    // Usage that is nil is counted from the texts.
	// Choices are the messages of several choices (n > 1); the rest of the
	// message is empty then.
	Choices []Message
	By      Cut // By is how the texts are cut into chunks.
	Pos     diag.Pos
	At      Places
}

// Audio is a spoken answer.
type Audio struct {
	ID         Opt[Text] // ID is by default audio_ and 32 hex digits drawn from the seed.
	Transcript Text
	// Data is the sound in base64, by default silence as long as the transcript
	// takes to say.
	Data string
	// ExpiresAt is in seconds since 1970, by default an hour after the envelope's
	// created or, without one, the start of 2100.
	ExpiresAt Opt[int64]
	Pos       diag.Pos
}
