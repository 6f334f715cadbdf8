package server

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// The texts of the real service.
const (
	msgMissingKey   = "Missing bearer or basic authentication in header"
	msgWrongKey     = "Incorrect API key provided: %s. You can find your API key at https://platform.openai.com/account/api-keys."
	msgUnknownModel = "The model '%s' does not exist"
	msgInvalidURL   = "Invalid URL (%s %s)"
	msgUnknownURL   = "Unknown request URL: %s %s. Please check the URL for typos, or see the docs at https://platform.openai.com/docs/api-reference/."
	msgWrongMethod  = "Only %s requests are accepted."

	msgAzureKey = "Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource."
	msgAzureURL = "Resource not found"
)

// The codes of the errors that api.openai.com does not know.
const (
	codeUnmatched  = "fake_unmatched"
	codeTooLarge   = "fake_body_too_large"
	codeUnreadable = "fake_body_unreadable"
	codeInternal   = "fake_internal"
	codeClosed     = "fake_closed"
	codeAdminToken = "fake_admin_token"
	codeNotFound   = "fake_not_found"
	codeBadQuery   = "fake_bad_query"
	codeTimeout    = "fake_timeout"
	codeNoReload   = "fake_no_reload"
	codeReload     = "fake_reload"

	codeNoConnection = "fake_no_connection"
	codeNoListener   = "fake_no_listener"
	codeDown         = "fake_down"
)

// The types of errors.
const (
	invalidRequest = "invalid_request_error"
	serverFault    = "server_error"
)

// apiError is an error answer in OpenAI's shape.
type apiError struct {
	status  int
	message string
	kind    string // the member type
	param   string // "" is null
	code    string // "" is null
	header  http.Header
	shape   errorShape
	problem string // what the journal says; "" is the message
	unasked bool   // nothing here answers such a request
	history bool   // the history that the request tells cannot be
}

// errorShape is one of the ways in which the real service lays out its errors.
type errorShape uint8

const (
	shapeStandard errorShape = iota // two spaces, no final line feed
	shapeAuth                       // four spaces, a final line feed
	shapeGateway                    // members in the order of the gateway that knows no URL
	shapeAzure                      // code and message, in one line
)

// reason is what the journal notes.
func (e *apiError) reason() string {
	if e.problem != "" {
		return e.problem
	}
	return e.message
}

// body is the JSON text, byte for byte as the real service lays it out.
func (e *apiError) body() []byte {
	message, kind := ojson.M("message", ojson.String(e.message)), ojson.M("type", ojson.String(e.kind))
	param, code := ojson.M("param", stringOrNull(e.param)), ojson.M("code", stringOrNull(e.code))
	switch e.shape {
	case shapeGateway:
		return e.shape.layout(errorObject(kind, code, message, param))
	case shapeAzure:
		return e.shape.layout(errorObject(code, message))
	}
	return e.shape.layout(errorObject(message, kind, param, code))
}

// layout is the text of an error body in this shape.
func (s errorShape) layout(body ojson.Value) []byte {
	switch s {
	case shapeAuth:
		return append(ojson.Style{Indent: "    "}.Append(nil, body), '\n')
	case shapeAzure:
		return body.Append(nil)
	}
	return ojson.Style{Indent: "  "}.Append(nil, body)
}

func (e *apiError) contentType() string {
	if e.shape == shapeAuth {
		return "application/json; charset=utf-8"
	}
	return "application/json"
}

func errorObject(members ...ojson.Member) ojson.Value {
	return ojson.Object(ojson.M("error", ojson.Object(members...)))
}

func stringOrNull(s string) ojson.Value {
	if s == "" {
		return ojson.Null()
	}
	return ojson.String(s)
}

func unknownURL(r *http.Request) *apiError {
	path := r.URL.Path
	e := &apiError{status: http.StatusNotFound, kind: invalidRequest, unasked: true}
	switch {
	case isAzure(r):
		e.shape, e.code, e.message = shapeAzure, "404", msgAzureURL
	case strings.HasPrefix(path, "/v1/") || path == "/v1":
		e.message = fmt.Sprintf(msgInvalidURL, r.Method, path)
	default:
		e.shape, e.code = shapeGateway, "unknown_url"
		e.message = fmt.Sprintf(msgUnknownURL, r.Method, path)
	}
	e.problem = fmt.Sprintf("no such URL: %s %s", r.Method, path)
	return e
}

func wrongMethod(allowed []string) *apiError {
	return &apiError{
		status:  http.StatusMethodNotAllowed,
		message: fmt.Sprintf(msgWrongMethod, strings.Join(allowed, " and ")),
		kind:    invalidRequest,
		code:    "method_not_supported",
		header:  http.Header{"Allow": {strings.Join(allowed, ", ")}},
	}
}

func unknownModel(id string) *apiError {
	return &apiError{
		status:  http.StatusNotFound,
		message: fmt.Sprintf(msgUnknownModel, id),
		kind:    invalidRequest,
		param:   "model",
		code:    "model_not_found",
	}
}

func bodyTooLarge(limit int64) *apiError {
	return &apiError{
		status:  http.StatusRequestEntityTooLarge,
		message: "The body of the request is larger than the " + strconv.FormatInt(limit, 10) + " bytes that this server accepts.",
		kind:    invalidRequest,
		code:    codeTooLarge,
		header:  http.Header{"Connection": {"close"}},
	}
}

// ownFault is an error of the server or of a scenario, not of the request. It
// asks clients not to try again, because the same would happen again.
func ownFault(status int, code, message string) *apiError {
	return &apiError{
		status:  status,
		message: message,
		kind:    serverFault,
		code:    code,
		header:  http.Header{"X-Should-Retry": {"false"}},
	}
}
