package scenarios

import "github.com/fakeopenai/fakeopenai/scenarios/diag"

// Scenario is one named answer, or row of answers, to the requests it matches:
// one YAML document. It is plain data; a [Set] makes it ready to play.
type Scenario struct {
	Name        string
	Description string
	Tags        []string
	Extends     string // Extends is the name of the scenario whose replies this one takes over.
	When        When
	// Replies are tried in order: the first that matches and is not used up
	// answers.
	Replies []Reply
	Seed    *int64 // Seed is where everything drawn by chance starts; nil takes the server's.
	// Strict checks requests as api.openai.com does; nil takes the server's
	// choice.
	Strict *bool
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
	Times   int       // Times is how often the reply is given to each API key; 0 is without limit.
	Message *Message  // Message is the finished answer; its stream is derived.
	Stream  *[]Step   // Stream is every chunk, as written.
	Error   *APIError // Error is an HTTP error instead of an answer.
	Manner            // Manner is laid over the scenario's.
	Pos     diag.Pos
}
