// Package apierror knows the errors of OpenAI's API: their texts, types, codes and
// statuses, and the exact layout of their JSON.
package apierror

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

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

// DefaultStatus is the status of an error for which a scenario gives neither a status
// nor a known code.
const DefaultStatus = 500

// Given has the facts about an error for which [Default] finds the real service's words. All members are optional.
type Given struct {
	Status int
	Code   string
	Model  string // Model is the requested model, or the template that fills it in.
	Key    string // Key is the API key of the request.
	// Most and Tokens are how many tokens a prompt can have and how many it has, or templates for them.
	Most, Tokens string
	RetryAfter   time.Duration
}

// Default is the error that the real service sends with a known code or, without one,
// with a status.
func Default(given Given) *Error {
	status, code := cmp.Or(given.Status, StatusOf(given.Code), DefaultStatus), given.Code
	if known[code].Message == "" {
		code = map[int]string{401: invalidAPIKey, 403: unsupportedCountry, 429: rateLimitExceeded}[status]
	}
	e := known[code]
	e.Status, e.Code, e.Type = status, code, cmp.Or(e.Type, InvalidRequest)
	switch {
	case code == invalidAPIKey:
		e.Message = WrongKey(given.Key).Message
	case code == modelNotFound:
		e.Message = fmt.Sprintf(e.Message, given.Model)
	case code == contextLength:
		e.Message = fmt.Sprintf(e.Message, cmp.Or(given.Most, "8192"), cmp.Or(given.Tokens, "9107"))
	case code == rateLimitExceeded:
		e.Message = rateLimit(given.Model, given.RetryAfter)
	case code != "":
	case status == 503:
		e.Type, e.Message = ServerError, "That model is currently overloaded with other requests. You can retry your request, or contact us through our help center at help.openai.com if the error persists."
	case status >= 500:
		e.Type, e.Message = ServerError, "The server had an error while processing your request. Sorry about that!"
	default:
		e.Message = "The request cannot be answered."
	}
	return &e
}

// The limits that errors and headers report where no others are set. They are not
// enforced.
const (
	RequestsPerMinute = 10_000
	TokensPerMinute   = 2_000_000
)

// rateLimit is the message for too many requests. Without a wait it names the time
// after which the minute's budget is free again.
func rateLimit(model string, wait time.Duration) string {
	return RateLimited{
		Model: model, Of: LimitedRequests, Limit: RequestsPerMinute, Used: RequestsPerMinute, Requested: 1,
		Wait: cmp.Or(wait, time.Minute/RequestsPerMinute).String(),
	}.Error().Message
}

// The things that are limited, in the real service's words. Its words for the number of
// open answers are unknown; the ones here imitate the others.
const (
	LimitedRequests = "requests per min (RPM)"
	LimitedTokens   = "tokens per min (TPM)"
	LimitedOpen     = "concurrent requests"
)

// RateLimited describes a request beyond a limit.
type RateLimited struct {
	Model                  string
	Of                     string // Of is one of the limited things.
	Limit, Used, Requested int
	Wait                   string // Wait is when to try again; "" if the request is too large to ever succeed.
}

// Error is the error of the real service.
func (r RateLimited) Error() *Error {
	kind := requests
	if r.Of == LimitedTokens {
		kind = tokens
	}
	e := &Error{Status: 429, Type: kind, Code: rateLimitExceeded}
	if r.Wait == "" {
		e.Message = fmt.Sprintf("Request too large for %s in organization org-fakeopenai on %s: Limit %d, Requested %d. "+
			"The input or output tokens must be reduced in order to run successfully. Visit https://platform.openai.com/account/rate-limits to learn more.", r.Model, r.Of, r.Limit, r.Requested)
		return e
	}
	e.Message = fmt.Sprintf(known[rateLimitExceeded].Message, r.Model, r.Of, r.Limit, r.Used, r.Requested, r.Wait)
	return e
}

// AzureRateLimited is Azure's error for a request beyond a limit. Operation is Azure's
// name of the request, seconds the time to wait.
func AzureRateLimited(operation, apiVersion string, ofTokens bool, seconds string) *Error {
	kind := "call"
	if ofTokens {
		kind = "token"
	}
	return &Error{
		Status: 429,
		Message: fmt.Sprintf("Requests to the %s Operation under Azure OpenAI API version %s have exceeded %s rate limit of your current OpenAI S0 pricing tier. "+
			"Please retry after %s seconds. Please go here: https://aka.ms/oai/quotaincrease if you would like to further increase the default rate limit.", operation, cmp.Or(apiVersion, "2024-10-21"), kind, seconds),
		Code:  "429",
		Shape: Azure,
	}
}

// MissingKey is the error for a request without an API key.
func MissingKey() *Error {
	return &Error{Status: 401, Message: "Missing bearer or basic authentication in header", Type: InvalidRequest, Shape: Auth}
}

// WrongKey is the error for an API key that is not accepted. The middle of the key is
// masked.
func WrongKey(key string) *Error {
	provided := ""
	if key != "" {
		provided = ": " + MaskKey(key)
	}
	message := fmt.Sprintf(known[invalidAPIKey].Message, provided)
	return &Error{Status: 401, Message: message, Type: InvalidRequest, Code: invalidAPIKey, Shape: Auth}
}

// MaskKey masks the middle of a key as the real service does: it keeps the first eight
// and the last four characters, and replaces each other one by a star. A key that is
// too short for that stays as it is.
func MaskKey(key string) string {
	const head, tail = 8, 4
	runes := []rune(key)
	hidden := len(runes) - head - tail
	if hidden <= 0 {
		return key
	}
	return string(runes[:head]) + strings.Repeat("*", hidden) + string(runes[len(runes)-tail:])
}

// InvalidURL is the error for an unknown path below /v1.
func InvalidURL(method, path string) *Error {
	return Refused(404, "", "", "Invalid URL (%s %s)", method, path)
}

// UnknownURL is the error for any other unknown path. It comes from a gateway in front
// of the API.
func UnknownURL(method, path string) *Error {
	e := Refused(404, "", "unknown_url", "Unknown request URL: %s %s. Please check the URL for typos, or see the docs at https://platform.openai.com/docs/api-reference/.", method, path)
	e.Shape = Gateway
	return e
}

// WrongMethod is the error for a known path with the wrong method.
func WrongMethod(allowed []string) *Error {
	list := strings.Join(allowed, ", ")
	if i := strings.LastIndex(list, ", "); i >= 0 {
		list = list[:i] + " and " + list[i+len(", "):]
	}
	return Refused(405, "", methodNotSupported, "Only %s requests are accepted.", list)
}

// UnknownModel is the error of GET /v1/models/{id}.
func UnknownModel(id string) *Error {
	return Refused(404, "model", modelNotFound, "The model '%s' does not exist", id)
}

// ModelNotFound is the error for a request to a model that does not exist.
func ModelNotFound(name string) *Error {
	return Default(Given{Code: modelNotFound, Model: name})
}

// RequestedModelNotFound is the same error on the Responses API.
func RequestedModelNotFound(name string) *Error {
	return Bad("model", modelNotFound, "The requested model '%s' does not exist.", name)
}

// AzureKey is Azure's error for a missing or wrong API key.
func AzureKey() *Error {
	return &Error{
		Status:  401,
		Message: "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.",
		Code:    "401",
		Shape:   Azure,
	}
}

// AzureURL is Azure's error for an unknown path.
func AzureURL() *Error {
	return &Error{Status: 404, Message: "Resource not found", Code: "404", Shape: Azure}
}

// Bad is the error for a wrong value in the body. An empty param or code is null.
func Bad(param, code, format string, args ...any) *Error {
	return Refused(400, param, code, format, args...)
}

// Refused is the error with this status for a request that names something wrong. An empty param or code is null.
func Refused(status int, param, code, format string, args ...any) *Error {
	return &Error{Status: status, Message: fmt.Sprintf(format, args...), Type: InvalidRequest, Param: param, Code: code}
}

// Refusal is an error about a request that the real service does not have.
func Refusal(status int, code, message string) *Error {
	return &Error{Status: status, Message: message, Type: InvalidRequest, Code: code}
}

// Fault is an error about the server that the real service does not have.
func Fault(status int, code, message string) *Error {
	return &Error{Status: status, Message: message, Type: ServerError, Code: code}
}

// The errors about stored answers and conversations.

// NotStored is the error for an id under which nothing is stored. Kind is Response,
// Conversation or Item.
func NotStored(kind, id string) *Error {
	return Refused(404, "", "", "%s with id '%s' not found.", kind, id)
}
