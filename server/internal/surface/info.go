package surface

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// Info is what the rest of the server knows of an API: nothing outside the API's package
// asks for its name.
type Info struct {
	Name         string // Name is the name in scenarios.
	Title        string // Title names the API in messages, such as chat completions.
	Path         string // Path is the path of the endpoint, below /v1.
	DefaultModel string // DefaultModel is the model of answers to requests that name none, or fake:NAME.
	Example      string // Example is a request body that asks for a stream with usage.

	Operation      string // Operation is OpenTelemetry's name for a request.
	AzureOperation string // AzureOperation is Azure's name for a request, in its errors.
	// OnDeployments says that Azure has the API only below a deployment and below
	// /openai/v1.
	OnDeployments bool
	// Unplayed begins the paths below /v1 that OpenAI has beside Path, and that the server
	// does not play unless it has a route for them; "" for none.
	Unplayed string

	// Objects are the values of the member object in answers, that of chunks first; an API
	// whose events have no such member has "" first.
	Objects []string
	// ChoiceMember is a member of the choices in a chunk that no other API has; "" for none.
	ChoiceMember string
	// EventPrefix begins the types of events; "" for an API whose chunks have no type.
	EventPrefix string

	// Number is the member that numbers the events; "" for none.
	Number string
	// Says reports whether the API has words for a beat that is no literal; nil is a heartbeat. HasDeltas says that
	// literals which are no whole chunks are its JSON, too.
	Says      func(script.Beat) bool
	HasDeltas bool
	// IsElsewhere reports whether a path, in an edit of the group, names a place that only chat
	// completions have; nil for chat completions.
	IsElsewhere func(g *script.Group, p ojson.Path) bool

	// Tool is a function without parameters, as a request offers it; nil for an API without tools.
	Tool func(name string) ojson.Value

	// InChoice are the members of a choice that paths can begin with: delta.content is short for
	// choices[0].delta.content.
	InChoice []string
	// Includes are the values of a request's include that change an answer, with commas.
	Includes string
	// ModelNotFound is the error for a model that does not exist.
	ModelNotFound func(name string) *apierror.Error
	// CheckHistory returns the error for a request whose conversation is impossible, such as a
	// tool result without its call; nil if it is possible. It is nil for an API without
	// conversations.
	CheckHistory func(req *scenarios.Request) *request.Error
	// Repeated returns an object of the members with which a whole answer repeats its request;
	// Absent if it repeats none. It is nil for an API whose answers never do.
	Repeated func(req *scenarios.Request) ojson.Value

	// OverWebSocket says that the API has no endpoint for requests over HTTP: they are made over a WebSocket connection.
	OverWebSocket bool
	// Hears says that its clients can send messages while they get an answer, over a WebSocket connection.
	Hears bool
	// AsksClient reports whether an item of a type is a call that the client answers; nil for an API without items.
	AsksClient func(item string) bool
	// Stores reports whether a request lets its answer be stored; nil for an API whose answers cannot be asked for again.
	Stores func(req *scenarios.Request) bool
	// Items says that an answer is a list of items.
	Items bool
	// QuietStreams says that the header of a stream has no X-Ratelimit fields.
	QuietStreams bool
	// Padding is the rule for the length of frames; nil for none.
	Padding player.Padding
	// Skips names the protocol rules that do not apply.
	Skips []string
}

// Function returns the members of a function without parameters.
func Function(name string) []ojson.Member {
	return []ojson.Member{ojson.M("name", ojson.String(name)), ojson.M("parameters", ojson.Raw(`{"type":"object","properties":{}}`))}
}

// FunctionTool is a function without parameters, as a request to an API of events offers it.
func FunctionTool(name string) ojson.Value {
	return ojson.Object(append([]ojson.Member{ojson.M("type", ojson.String("function"))}, Function(name)...)...)
}

// Complete returns the full path for a path that damage names.
func (i *Info) Complete(p ojson.Path) ojson.Path {
	if slices.Contains(i.InChoice, p[0].Name) {
		return InChoices(p, 1)[0]
	}
	return p
}

// InChoices turns a path inside a choice into full paths, one for each of count
// choices.
func InChoices(p ojson.Path, count int) []ojson.Path {
	list := make([]ojson.Path, count)
	for i := range list {
		list[i] = slices.Concat(ojson.Path{{Name: "choices"}, {IsIndex: true, Index: i}}, p)
	}
	return list
}

// Sent reports whether an answer, a chunk or an event says of itself that it is one of
// the API's.
func (i *Info) Sent(v ojson.Value) bool {
	if i.EventPrefix != "" && strings.HasPrefix(v.Get("type").Text(), i.EventPrefix) {
		return true
	}
	object := v.Get("object").Text()
	return object != "" && slices.Contains(i.Objects, object)
}

// IsChunk reports whether an object is a chunk of the API and not of one of the others.
// Without any sign, an object with a list of choices counts as a chunk of every API.
func (i *Info) IsChunk(v ojson.Value, others []*Info) bool {
	object, choices := v.Get("object").Text(), v.Get("choices")
	if object == i.Objects[0] {
		return true
	}
	if object != "" && slices.ContainsFunc(others, func(other *Info) bool { return object == other.Objects[0] }) {
		return false
	}
	if choices.Kind() != ojson.ArrayKind {
		return false
	}
	has := func(c ojson.Value) bool { return !c.Get(i.ChoiceMember).IsAbsent() }
	return len(choices.Items()) == 0 || slices.ContainsFunc(choices.Items(), has)
}
