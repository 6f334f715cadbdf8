// Package apierror knows the errors of OpenAI's API: their texts, types, codes and
// statuses, and the exact layout of their JSON.
package apierror

import "github.com/fakeopenai/fakeopenai/scenarios/ojson"

// Error is an error of the API, with the members of OpenAI's error object.
type Error struct {
	Status  int // Status is the HTTP status.
	Message string
	Type    string
	Param   string // Param is a place in the request; "" stands for null.
	Code    string // Code is "" for null.
	Shape   Shape
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

// Body is the JSON text of the answer, byte for byte as the real service lays it out.
func (e *Error) Body() []byte {
	return e.Shape.Layout(Envelope(e.Object()))
}

// Object is the error object, with its members in the order of the error's shape.
func (e *Error) Object() ojson.Value {
	message, kind := ojson.M("message", ojson.String(e.Message)), ojson.M("type", ojson.String(e.Type))
	param, code := ojson.M("param", stringOrNull(e.Param)), ojson.M("code", stringOrNull(e.Code))
	switch e.Shape {
	case Gateway:
		return ojson.Object(kind, code, message, param)
	case Azure:
		return ojson.Object(code, message)
	}
	return ojson.Object(message, kind, param, code)
}

func stringOrNull(s string) ojson.Value {
	if s == "" {
		return ojson.Null()
	}
	return ojson.String(s)
}

// Envelope is the body with an error object.
func Envelope(object ojson.Value) ojson.Value {
	return ojson.Object(ojson.M("error", object))
}

// Shape is a layout of errors. The real service has several.
type Shape uint8

// The shapes of errors.
const (
	Standard Shape = iota // Standard is indented by two spaces, without a final line feed.
	Auth                  // Auth is indented by four spaces, with a final line feed. Errors about API keys have it.
	Gateway               // Gateway has the member order of the gateway that reports unknown URLs.
	Azure                 // Azure has only code and message, in one line.
)

// Layout is the text of an error body in this shape.
func (s Shape) Layout(body ojson.Value) []byte {
	switch s {
	case Auth:
		return append(ojson.Style{Indent: "    "}.Append(nil, body), '\n')
	case Azure:
		return body.Append(nil)
	}
	return ojson.Style{Indent: "  "}.Append(nil, body)
}

// ContentType is the Content-Type of an error in this shape.
func (s Shape) ContentType() string {
	if s == Auth {
		return "application/json; charset=utf-8"
	}
	return "application/json"
}

// The types of errors.
const (
	InvalidRequest = "invalid_request_error"
	ServerError    = "server_error"
	tokens         = "tokens"   // tokens is the type of errors about token limits.
	requests       = "requests" // requests is the type of errors about request limits.
)

// The codes of the real service that this package uses more than once.
const (
	invalidAPIKey      = "invalid_api_key"
	unsupportedCountry = "unsupported_country_region_territory"
	contextLength      = "context_length_exceeded"
	modelNotFound      = "model_not_found"
	methodNotSupported = "method_not_supported"
	rateLimitExceeded  = "rate_limit_exceeded"
	insufficientQuota  = "insufficient_quota" // insufficientQuota is a type, too.
)

// known are the errors with the codes of the real service. Those with a message can be sent with
// nothing but their code.
var known = map[string]Error{
	contextLength:                {Status: 400, Param: "messages", Message: "This model's maximum context length is %s tokens. However, your messages resulted in %s tokens. Please reduce the length of the messages."},
	"missing_required_parameter": {Status: 400},
	"unsupported_parameter":      {Status: 400},
	"unsupported_value":          {Status: 400},
	"invalid_type":               {Status: 400},
	"invalid_value":              {Status: 400},
	invalidAPIKey:                {Status: 401, Message: "Incorrect API key provided%s. You can find your API key at https://platform.openai.com/account/api-keys."},
	"mismatched_organization":    {Status: 401, Message: "OpenAI-Organization header should match organization for API key"},
	"no_organization":            {Status: 401, Message: "You must be a member of an organization to use the API."},
	unsupportedCountry:           {Status: 403, Type: "request_forbidden", Message: "Country, region, or territory not supported"},
	modelNotFound:                {Status: 404, Message: "The model `%s` does not exist or you do not have access to it."},
	"unknown_url":                {Status: 404},
	methodNotSupported:           {Status: 405, Message: "Only POST requests are accepted."},
	rateLimitExceeded:            {Status: 429, Type: requests, Message: "Rate limit reached for %s in organization org-fakeopenai on %s: Limit %d, Used %d, Requested %d. Please try again in %s. Visit https://platform.openai.com/account/rate-limits to learn more."},
	insufficientQuota:            {Status: 429, Type: insufficientQuota, Message: "You exceeded your current quota, please check your plan and billing details."},
}

// StatusOf is the HTTP status of an error code of the real service; 0 for an unknown
// code.
func StatusOf(code string) int { return known[code].Status }

// The codes of errors that only this server has.
const (
	// These are about a request of the API.
	CodeUnmatched      = "fake_unmatched"       // No scenario answers the request.
	CodeUnsayable      = "fake_unsayable"       // The API of the request cannot express the reply.
	CodeNotPlayed      = "fake_not_played"      // The endpoint of the request is not played.
	CodeChoices        = "fake_choices"         // The reply has fewer choices than the request's n.
	CodeSeed           = "fake_seed"            // The header with a seed has another value.
	CodeHistory        = "fake_history"         // No conversation can have the request's messages.
	CodeNotKept        = "fake_not_kept"        // The request needs an answer that is stored, and the server stores none.
	CodeBackground     = "fake_background"      // Too many answers are made in the background.
	CodeTurns          = "fake_turns"           // Too many turns wait on the WebSocket connection.
	CodeBodyTooLarge   = "fake_body_too_large"  // The body is larger than the server accepts.
	CodeBodyTooSlow    = "fake_body_too_slow"   // The body took longer to arrive than the server waits.
	CodeFaults         = "fake_faults"          // The faults in the header, or in the body below /_fake/, are wrong.
	CodeBodyUnreadable = "fake_body_unreadable" // The body ended early.

	// These are about the server.
	CodeInternal     = "fake_internal"      // A scenario or the server has a fault.
	CodeClosed       = "fake_closed"        // The server shuts down.
	CodeNoConnection = "fake_no_connection" // The server does not know its connections.

	// These are about a request below /_fake/.
	CodeAdminToken   = "fake_admin_token"   // The request lacks the server's admin token.
	CodeAdminOff     = "fake_admin_off"     // The server is reachable beyond loopback and has no admin token.
	CodeAdminRefused = "fake_admin_refused" // A web page may have sent the request.
	CodeNotFound     = "fake_not_found"     // There is nothing of this name or number.
	CodeBadQuery     = "fake_bad_query"     // A value in the query is invalid.
	CodeTimeout      = "fake_timeout"       // What the request waited for did not happen.
	CodeNoReload     = "fake_no_reload"     // The server was not given anything from which it could reload scenarios.
	CodeReload       = "fake_reload"        // The scenarios could not be loaded.
	CodeScenarios    = "fake_scenarios"     // The scenarios in the body cannot be played.
	CodeNoListener   = "fake_no_listener"   // The server has no listener to close.
	CodeDown         = "fake_down"          // Taking the server down failed.
)
