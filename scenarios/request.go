package scenarios

import (
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Request is what a scenario can see of a request. The server makes it from an
// HTTP request, once, before matching; it is not changed after that.
type Request struct {
	Surface  string              // chat or completions
	Header   map[string][]string // canonical names, as in net/http
	APIKey   string              // from Authorization: Bearer, or api-key
	Body     ojson.Value
	RawBody  []byte
	Model    string
	Stream   bool
	N        int
	Messages []RequestMessage
	Tools    []Tool
	Turn     int         // 1 + the number of assistant messages
	Attempt  int         // 1 for the first request with this body and API key
	Scenario string      // asked for by name: the X-Fakeopenai-Scenario header, or the model fake:<name>
	User     string      // the request's user member
	LastUser string      // the text of the last user message
	Schema   ojson.Value // the schema of response_format, or Absent

	IncludeUsage       bool
	IncludeObfuscation bool
	Logprobs           bool
	TopLogprobs        int
}

// RequestMessage is one message of a request. Text is its content; of a content
// that is a list of parts, the texts of the parts joined by line feeds.
type RequestMessage struct {
	Role       string
	Text       string
	ToolCallID string
	Name       string
}

// Tool is a tool or function that the request offers.
type Tool struct {
	Type       string // function or custom
	Name       string
	Parameters ojson.Value // its schema, or Absent
}

// HeaderValues are the values of a header field, whatever the case of its name.
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
