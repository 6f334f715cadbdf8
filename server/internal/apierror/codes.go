package apierror

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
	modelNotFound      = "model_not_found"
	methodNotSupported = "method_not_supported"
	rateLimitExceeded  = "rate_limit_exceeded"
	insufficientQuota  = "insufficient_quota" // insufficientQuota is a type, too.
)

// known are the errors with the codes of the real service. Those with a message can be sent with
// nothing but their code.
var known = map[string]Error{
	"context_length_exceeded":    {Status: 400, Param: "messages", Message: "This model's maximum context length is 8192 tokens. However, your messages resulted in 9107 tokens. Please reduce the length of the messages."},
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
