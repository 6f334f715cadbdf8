package apierror

// The types of errors.
const (
	InvalidRequest   = "invalid_request_error"
	ServerError      = "server_error"
	requestForbidden = "request_forbidden"
	requests         = "requests" // of a limit that counts requests, not tokens
)

// The codes of the errors in this package.
const (
	invalidAPIKey      = "invalid_api_key"
	unsupportedCountry = "unsupported_country_region_territory"
	modelNotFound      = "model_not_found"
	unknownURL         = "unknown_url"
	methodNotSupported = "method_not_supported"
	rateLimitExceeded  = "rate_limit_exceeded"
)

// statuses are those with which the real service sends its codes.
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
	"insufficient_quota":         429,
}

// StatusOf is the status with which the real service sends an error code, or 0
// for a code that is not known.
func StatusOf(code string) int { return statuses[code] }
