package scenarios

import (
	"regexp"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// When is a condition on a request. All its members must hold; the zero When
// holds for every request.
type When struct {
	Model    string     // Model is a glob: * stands for any text, ? for one character.
	Surface  string     // Surface is chat, completions or responses.
	Stream   *bool      // Stream is whether the request asks for a stream.
	User     *TextMatch // User is about the last user message.
	System   *TextMatch // System is about the system and developer messages.
	Messages *TextMatch // Messages is about any message.
	Tools    []string   // Tools are names, all of which the request must offer.
	// ToolResults are about results of calls, all of which the request must bring.
	ToolResults []ToolResultMatch
	Turn        int // Turn is 1 plus the number of assistant messages in the request.
	Header      []HeaderMatch
	APIKey      *TextMatch
	Body        []BodyMatch
	// Attempt is 1 for the first request with this body and API key, 2 for its
	// first retry.
	Attempt int
	Pos     diag.Pos
}

// TextMatch is a condition on a text. Exactly one member is set.
type TextMatch struct {
	Equals   *string
	Contains *string
	// Matches is a regular expression; templates see its named groups,
	// (?P<city>\w+), as .match.
	Matches *regexp.Regexp
	Pos     diag.Pos
}

// ToolResultMatch holds when the request brings the result of a call.
type ToolResultMatch struct {
	ID      string     // ID is the tool_call_id; "" is any.
	Content *TextMatch // Content is about the result's text; nil takes any.
}

// HeaderMatch is a condition on a request header. A nil Match asks only that
// the header is there.
type HeaderMatch struct {
	Name  string
	Match *TextMatch
}

// BodyMatch is a condition on a place in the request's JSON body.
type BodyMatch struct {
	Path   Path
	Equals *ojson.Value // Equals is the value that must stand there.
	Match  *TextMatch   // Match is a condition on the text there, in place of Equals.
	Exists *bool        // Exists is whether there must be such a place, in place of both.
}
