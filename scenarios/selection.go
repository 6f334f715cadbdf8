package scenarios

import (
	"context"
	"iter"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Counter counts how often replies were given to the API key of a request, and draws those that have a chance.
type Counter interface {
	// Available reports whether a reply, named by its scenario and its position from 0, was
	// given to the API key of the request fewer than limit times. It does not count.
	Available(scenario string, reply, limit int) bool
	// Drawn reports whether the chance of a reply gives it to the request.
	Drawn(sel *Selection) bool
}

// Selection is the reply that was picked for a request.
type Selection struct {
	Scenario *Scenario
	Reply    *Reply
	Index    int // Index is the reply's position in the scenario, from 0.
	Request  *Request
	// Match is what the named groups of regular expressions captured; nil if the
	// conditions have no named groups.
	Match map[string]string
	// Manner is the scenario's manner with the reply's laid over it. All requests share
	// it, so it must not be changed.
	Manner *Manner
	Seed   int64 // Seed is the request's own or, if it has none, the scenario's or, without that, the server's.
	// Heard are the messages that have ended waits of the reply's steps so far, in the order of the steps.
	Heard []Heard
	// Context is done when nobody waits for the answer any more, so that long work on
	// it can stop. A nil Context is never done.
	Context context.Context
	// Spending is what the request's API key has spent of its limits. It includes this
	// request, but not yet the tokens of its answer.
	Spending Spending
}

// Heard is a message that has ended the wait of a step; Absent if the stream went on without one.
type Heard struct {
	Step    int // Step is the index of the step in its stream.
	Message ojson.Value
}

// Done returns a channel that is closed when nobody waits for the answer any more, or
// nil if there is no Context.
func (s *Selection) Done() <-chan struct{} {
	if s.Context == nil {
		return nil
	}
	return s.Context.Done()
}

// Spending is how much of a limit an API key has used up within the window, and how
// much is left.
type Spending struct {
	Requests, RemainingRequests int
	Tokens, RemainingTokens     int
}

// NoMatch says why no scenario answers a request.
type NoMatch struct {
	// Scenario is the name of the nearest scenario: one whose reply is used up or, if
	// there is none, the one with the most conditions that hold; "" if none is near.
	Scenario string
	Reason   string // Reason is all conditions of that scenario that failed, in words.
	// Unfinished says that the context ended before all conditions were tried.
	Unfinished bool
}

// Selections returns all replies of the set, each selected for an empty request. They
// are for checks before any request. Seed is the seed of scenarios that have none.
func (set *Set) Selections(seed int64) iter.Seq[*Selection] {
	return func(yield func(*Selection) bool) {
		for _, e := range set.all() {
			for _, sel := range set.SelectionsOf(e.scenario.Name, seed) {
				if !yield(sel) {
					return
				}
			}
		}
	}
}

// SelectionsOf returns the [Set.Selections] of one scenario.
func (set *Set) SelectionsOf(scenario string, seed int64) []*Selection {
	e := set.entry(scenario)
	if e == nil {
		return nil
	}
	list := make([]*Selection, len(e.replies))
	for i := range list {
		list[i] = e.selection(i, &Request{}, seed)
	}
	return list
}

// Request is what scenarios can see of a request: their conditions and templates. The
// server makes it once from an HTTP request, before matching; it must not be changed
// afterwards.
type Request struct {
	Surface  string              // Surface is one of [Surfaces] and [WholeSurfaces], or [SurfaceOther].
	Method   string              // Method is the HTTP method of a request to another path; else "".
	Path     string              // Path is the path of a request to no API, as [DecodePath] decodes it.
	APIPath  string              // APIPath is Path below /v1, if it has another of the prefixes of OpenAI's API.
	Time     time.Time           // Time is when the request came, for templates and for the creation time of the answer.
	Header   map[string][]string // Header has canonical names, as in net/http.
	APIKey   string              // APIKey is the bearer token or, without one, Azure's Api-Key.
	Body     ojson.Value
	RawBody  []byte
	Model    string
	Stream   bool
	N        int // N is the number of choices that the request asks for.
	Messages []RequestMessage
	Tools    []Tool
	Turn     int // Turn is 1 plus the number of assistant messages.
	// PromptTokens is the number of tokens of the prompt, as usage counts them.
	PromptTokens int
	Attempt      int // Attempt is 1 for the first request with this body and API key.
	// Scenario is the name of a scenario that the request asks for, in the header field
	// X-Fakeopenai-Scenario or with the model fake:NAME; else "".
	Scenario string
	Seed     int64       // Seed is that of the header field X-Fakeopenai-Seed, in place of any other; 0 for none.
	User     string      // User is the request's user member.
	LastUser string      // LastUser is the text of the last user message.
	Schema   ojson.Value // Schema is the schema of response_format, or Absent.
	// Before is the items of a stored conversation that come before the items of the
	// body; nil if they are not known. Messages and Turn include them.
	Before []ojson.Value
	// Referred is the stored items that the body refers to by their ids alone.
	Referred map[string]ojson.Value

	IncludeUsage       bool
	IncludeObfuscation bool
	Logprobs           bool
	TopLogprobs        int
}

// RequestMessage is one message of a request. Text is its content; of a content
// that is a list of parts, the texts of the parts joined by line feeds.
//
// The input items of the Responses API become messages, too: instructions become a
// system message, the items of one answer (reasoning, a message, calls) an assistant
// message, and the result of a call a tool message.
type RequestMessage struct {
	Role       string
	Text       string
	ToolCallID string
	Name       string
	// ToolCalls is the tool calls in an assistant message that the client sends back.
	ToolCalls []RequestCall
}

// RequestCall is one tool call in a message of a request. A missing member is "".
type RequestCall struct {
	// ID is what the result of the call refers to: a tool_call_id, a call_id, or the id
	// of an approval request.
	ID string
	// Type is function or custom; on the Responses API also the type of the item
	// without its ending _call, for other tools that the client runs: shell,
	// local_shell, apply_patch, computer, tool_search, program, mcp_approval_request.
	Type string
	Name string // Name is the name of the tool; the type for a tool that has no name.
	// Arguments is the text of a function's arguments, of a custom tool's input, or
	// the JSON of what another tool is to do.
	Arguments string
}

// Tool is a tool or function that the request offers.
type Tool struct {
	Type       string      // Type is function, custom, or the type of a tool that the service runs.
	Name       string      // Name is the type again for a tool without a name.
	Parameters ojson.Value // Parameters is the schema of the tool's arguments, or Absent.
}

// HeaderValues returns the values of a header field, whatever the case of its name; nil
// if there are none.
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
