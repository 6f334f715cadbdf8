package apierror

// DefaultStatus is the status of an error for which a scenario names none.
const DefaultStatus = 500

// Default is the error that the real service sends with a status.
func Default(status int) *Error {
	e := &Error{Status: status}
	switch {
	case status == 401:
		e.Message = "Incorrect API key provided. You can find your API key at https://platform.openai.com/account/api-keys."
		e.Type, e.Code = InvalidRequest, invalidAPIKey
	case status == 403:
		e.Message = "Country, region, or territory not supported"
		e.Type, e.Code = requestForbidden, unsupportedCountry
	case status == 429:
		e.Message = "Rate limit reached for requests. Please try again later."
		e.Type, e.Code = requests, rateLimitExceeded
	case status == 503:
		e.Message = "That model is currently overloaded with other requests. You can retry your request, or contact us through our help center at help.openai.com if the error persists."
		e.Type = ServerError
	case status >= 500:
		e.Message = "The server had an error while processing your request. Sorry about that!"
		e.Type = ServerError
	default:
		e.Message = "The request cannot be answered."
		e.Type = InvalidRequest
	}
	return e
}
