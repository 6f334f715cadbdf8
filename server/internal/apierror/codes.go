package apierror

// The types of errors.
const (
	InvalidRequest   = "invalid_request_error"
	ServerError      = "server_error"
	requestForbidden = "request_forbidden"
	tokens           = "tokens"   // tokens is the type of errors about token limits.
	requests         = "requests" // requests is the type of errors about request limits.
)

// The codes of the real service that this package uses.
const (
	invalidAPIKey      = "invalid_api_key"
	unsupportedCountry = "unsupported_country_region_territory"
	modelNotFound      = "model_not_found"
	unknownURL         = "unknown_url"
	methodNotSupported = "method_not_supported"
	rateLimitExceeded  = "rate_limit_exceeded"
	insufficientQuota  = "insufficient_quota" // insufficientQuota is a type, too.
)

// statuses are the HTTP statuses of the real service's error codes.
var statuses = map[string]int{
	"context_length_exceeded":    400,
	"missing_required_parameter": 400,
	"unsupported_parameter":      400,
	"unsupported_value":          400,
	"invalid_type":               400,
	"invalid_value":              400,
	invalidAPIKey:                401,
	"mismatched_organization":    401,
	"no_organization":            401,
	unsupportedCountry:           403,
	modelNotFound:                404,
	unknownURL:                   404,
	methodNotSupported:           405,
	rateLimitExceeded:            429,
	insufficientQuota:            429,
}

// StatusOf is the HTTP status of an error code of the real service; 0 for an unknown
// code.
func StatusOf(code string) int { return statuses[code] }

// The codes of errors that only this server has.
const (
	// These are about a request of the API.
	CodeUnmatched      = "fake_unmatched"       // No scenario answers the request.
	CodeUnsayable      = "fake_unsayable"       // The API of the request cannot express the reply.
	CodeNotPlayed      = "fake_not_played"      // The endpoint of the request is not played.
	CodeChoices        = "fake_choices"         // The reply has fewer choices than the request's n.
	CodeHistory        = "fake_history"         // No conversation can have the request's messages.
	CodeNotKept        = "fake_not_kept"        // The request needs an answer that is stored, and the server stores none.
	CodeBackground     = "fake_background"      // Too many answers are made in the background.
	CodeBodyTooLarge   = "fake_body_too_large"  // The body is larger than the server accepts.
	CodeBodyTooSlow    = "fake_body_too_slow"   // The body took longer to arrive than the server waits.
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
