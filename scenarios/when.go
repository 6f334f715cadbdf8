package scenarios

import (
	"regexp"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// When is a condition on a request. All its members must hold; the zero When
// holds for every request.
type When struct {
	Model   []string // Model has globs, one of which must fit: * stands for any text, ? for one character.
	Surface string   // Surface is one of [Surfaces] and [WholeSurfaces].
	// Path is patterns of the path of a request to none of these, one of which must fit. * stands for any text
	// within a part of the path, ** for any text, and {name} for a part that templates see as .match.name. All
	// else can be escaped as in a URL, and a slash inside a part must be. A path below /v1 also stands for the
	// same path with another of the prefixes under which the server has OpenAI's API.
	Path     []string
	Method   []string   // Method is the HTTP methods of requests to Path; none is any.
	Stream   *bool      // Stream is whether the request asks for a stream.
	User     *TextMatch // User must hold for the last user message.
	System   *TextMatch // System must hold for one of the system and developer messages.
	Messages *TextMatch // Messages must hold for one of the messages, whatever its role.
	Tools    []string   // Tools are names of tools; the request must offer all of them.
	// ToolResults are conditions on the results of tool calls that the request
	// contains. Each must hold for one of the results.
	ToolResults []ToolResultMatch
	Turn        int // Turn is 1 plus the number of assistant messages in the request.
	// PromptTokens is how many tokens the prompt has, as usage counts them. A Max of 0 is no bound.
	PromptTokens *Bounds
	Header       []HeaderMatch
	APIKey       *TextMatch
	Body         []BodyMatch
	// Attempt is 1 for the first request with this body and API key, 2 for its
	// first retry.
	Attempt int
	Not     *When // Not is conditions that must not all hold; nil excludes nothing.
	Pos     diag.Pos
}

// API is the name of the API whose requests the condition can hold for; "" for several.
func (w *When) API() string {
	if len(w.Path) > 0 {
		return SurfaceOther
	}
	return w.Surface
}

// TextMatch is a condition on a text. All members that are set must hold; Equals and AnyOf stand alone.
type TextMatch struct {
	Equals   *string
	Contains *string
	// Matches is a regular expression. Templates see what its named groups capture:
	// (?P<city>\w+) as .match.city.
	Matches *regexp.Regexp
	AnyOf   []TextMatch // AnyOf is conditions of which one must hold.
	Pos     diag.Pos
}

// ToolResultMatch is a condition that the request contains the result of a tool call.
type ToolResultMatch struct {
	ID      string     // ID is the tool_call_id; "" is any.
	Content *TextMatch // Content must hold for the text of the result; nil takes any text.
}

// HeaderMatch is a condition on a header field of the request. With a nil Match the
// field must only be present.
type HeaderMatch struct {
	Name  string
	Match *TextMatch
}

// BodyMatch is a condition on a place in the request's JSON body.
type BodyMatch struct {
	Path   Path
	Equals *ojson.Value // Equals is the value that must be at the place.
	Match  *TextMatch   // Match is a condition on the text at the place, instead of Equals.
	Exists *bool        // Exists is whether the place must exist, instead of Equals and Match.
}
