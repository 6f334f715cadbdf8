package scenarios

import "github.com/fakeopenai/fakeopenai/scenarios/diag"

// Scenario is one named answer, or row of answers, to the requests it matches:
// one YAML document. It is plain data; a [Set] makes it ready to play.
type Scenario struct {
	Name        string
	Description string
	Tags        []string
	Extends     string // the name of the scenario whose replies this one takes over
	When        When
	Replies     []Reply // in order; the first that matches and is not used up answers
	Seed        *int64  // of everything drawn by chance; nil takes the server's
	Strict      *bool   // check requests as api.openai.com does; nil takes the server's choice
	// CheckHistory refuses requests whose messages cannot be how a conversation
	// went. Nil takes the server's choice.
	CheckHistory *bool
	Quirks       []Quirk
	Manner
	Pos diag.Pos
}

// Quirk is the name of a lint rule that a scenario breaks on purpose.
type Quirk struct {
	Rule string
	Pos  diag.Pos
}

// Reply is one answer of a scenario: a condition, and exactly one of Message,
// Stream and Error.
type Reply struct {
	When    When
	Times   int       // how often it is given to each API key; 0 is without limit
	Message *Message  // what the finished answer is; its stream is derived
	Stream  *[]Step   // every chunk, as written
	Error   *APIError // an HTTP error instead of an answer
	Manner            // laid over the scenario's
	Pos     diag.Pos
}
