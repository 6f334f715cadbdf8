package scenarios

import (
	"regexp"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// When is a condition on a request. All its members must hold; the zero When
// holds for every request.
type When struct {
	Model      string // a glob: * stands for any text, ? for one character
	Surface    string // chat or completions
	Stream     *bool
	User       *TextMatch // the last user message
	System     *TextMatch // the system or developer messages
	Messages   *TextMatch // any message
	Tools      []string   // all of these tools are offered
	ToolResult *ToolResultMatch
	Turn       int // 1 + the number of assistant messages in the request
	Header     []HeaderMatch
	APIKey     *TextMatch
	Body       []BodyMatch
	Attempt    int // 1 for the first request with this body and API key, 2 for its first retry ...
	Pos        diag.Pos
}

// TextMatch is a condition on a text. Exactly one member is set.
type TextMatch struct {
	Equals   *string
	Contains *string
	Matches  *regexp.Regexp // its named groups, (?P<city>\w+), are what templates see as .match
	Pos      diag.Pos
}

// ToolResultMatch holds when the request brings the result of a call.
type ToolResultMatch struct {
	ID      string     // the tool_call_id; "" is any
	Content *TextMatch // nil is any
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
	Equals *ojson.Value // this value
	Match  *TextMatch   // or a text like this
	Exists *bool        // or: there is, or is not, such a place
}
