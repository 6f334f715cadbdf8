package scenarios

import (
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Request is what a scenario can see of a request. The server makes it from an
// HTTP request, once, before matching; after that it must not be changed.
type Request struct {
	Surface  string              // Surface is chat, completions or responses.
	Time     time.Time           // Time is when it came, by the clock that templates see.
	Header   map[string][]string // Header has canonical names, as in net/http.
	APIKey   string              // APIKey is the bearer token or, without one, Azure's Api-Key.
	Body     ojson.Value
	RawBody  []byte
	Model    string
	Stream   bool
	N        int // N is how many choices are asked for.
	Messages []RequestMessage
	Tools    []Tool
	Turn     int // Turn is 1 plus the number of assistant messages.
	Attempt  int // Attempt is 1 for the first request with this body and API key.
	// Scenario is asked for by name, in the header X-Fakeopenai-Scenario or as
	// the model fake:NAME.
	Scenario string
	User     string      // User is the request's user member.
	LastUser string      // LastUser is the text of the last user message.
	Schema   ojson.Value // Schema is the schema of response_format, or Absent.
	// Before are the items that came before those of the body, of a conversation that
	// the server keeps; nil if they are not known. Messages and Turn count them like those of
	// the body.
	Before []ojson.Value
	// Referred are items that the body names by their ids alone, as they were when they
	// were kept.
	Referred map[string]ojson.Value

	IncludeUsage       bool
	IncludeObfuscation bool
	Logprobs           bool
	TopLogprobs        int
}

// RequestMessage is one message of a request. Text is its content; of a content
// that is a list of parts, the texts of the parts joined by line feeds.
//
// The items of a request to the Responses API are read as messages, too:
// instructions are one of the system, what one answer brought (reasoning, a message,
// calls) is one of the assistant, and what a call returned is one of a tool.
type RequestMessage struct {
	Role       string
	Text       string
	ToolCallID string
	Name       string
	// ToolCalls are the calls of an assistant's message, as they are sent back.
	ToolCalls []RequestCall
}

// RequestCall is one call of a tool in a message of a request. What it lacks is
// "".
type RequestCall struct {
	// ID is what the result names: a tool_call_id, a call_id, or the id of a request
	// for approval.
	ID string
	// Type is function or custom; on the Responses API also the type of the item
	// without its ending _call, for other tools that the client runs: shell,
	// local_shell, apply_patch, computer, tool_search, program, mcp_approval_request.
	Type string
	Name string // Name is the type again for a tool that is known by its type.
	// Arguments is the text of a function's arguments, of a custom tool's input, or
	// the JSON of what another tool is to do.
	Arguments string
}

// Tool is a tool or function that the request offers.
type Tool struct {
	Type       string      // Type is function or custom, or that of a tool which the service itself has.
	Name       string      // Name is the type again for a tool without a name.
	Parameters ojson.Value // Parameters are the tool's schema, or Absent.
}

// HeaderValues are the values of a header field, whatever the case of its name;
// nil if there are none.
func (r *Request) HeaderValues(name string) []string {
	if values, ok := r.Header[name]; ok {
		return values
	}
	for n, values := range r.Header {
		if strings.EqualFold(n, name) {
			return values
		}
	}
	return nil
}
