package scenarios

import (
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Message is the finished answer. The server derives from it the stream that
// the real service would send.
type Message struct {
	Content         Opt[Text]
	Fake            *Fake // generated content, in place of Content
	Refusal         Opt[Text]
	Reasoning       *Reasoning
	ToolCalls       []ToolCall
	CustomToolCalls []ToolCall
	FunctionCall    *ToolCall
	Audio           *Audio
	Annotations     *ojson.Value
	Logprobs        *Logprobs // nil: generated when the request asks
	Finish          Opt[Text] // default: what follows from the content
	Usage           *Usage    // nil: counted
	Choices         []Message // n > 1: one for each choice; the rest of the message is empty then
	By              Cut
	Pos             diag.Pos
}

// Audio is a spoken answer.
type Audio struct {
	ID         Opt[Text] // default: audio_ and 32 hex digits drawn from the seed
	Transcript Text
	Data       string // base64; default: silence as long as the transcript takes to say
	ExpiresAt  Opt[int64]
	Pos        diag.Pos
}
