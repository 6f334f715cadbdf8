package apierror

import (
	"cmp"
	"fmt"
	"time"
)

// DefaultStatus is the status of an error for which a scenario names neither a
// status nor a code that is known.
const DefaultStatus = 500

// Given is what is known of an error for which the real service's words are
// wanted. Each member may be left out.
type Given struct {
	Status     int
	Code       string
	Model      string // Model is the one asked for, or a template of it.
	Key        string // Key is the API key of the request.
	RetryAfter time.Duration
}

// Default is the error that the real service sends with a code that is known, or
// else with a status.
func Default(given Given) *Error {
	status := cmp.Or(given.Status, StatusOf(given.Code), DefaultStatus)
	e := byCode(given)
	if e == nil {
		e = byStatus(status, given)
	}
	e.Status = status
	return e
}

// byCode is the error that the real service sends with a code; nil if its words
// are not known.
func byCode(given Given) *Error {
	e := &Error{Type: InvalidRequest, Code: given.Code}
	switch given.Code {
	case "context_length_exceeded":
		e.Param = "messages"
		e.Message = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9107 tokens. Please reduce the length of the messages."
	case "mismatched_organization":
		e.Message = "OpenAI-Organization header should match organization for API key"
	case "no_organization":
		e.Message = "You must be a member of an organization to use the API."
	case invalidAPIKey:
		e.Message = wrongKey(given.Key)
	case unsupportedCountry:
		e.Type = requestForbidden
		e.Message = "Country, region, or territory not supported"
	case modelNotFound:
		e.Message = fmt.Sprintf("The model `%s` does not exist or you do not have access to it.", given.Model)
	case insufficientQuota:
		e.Type = insufficientQuota
		e.Message = "You exceeded your current quota, please check your plan and billing details."
	case rateLimitExceeded:
		e.Type = requests
		e.Message = rateLimit(given.Model, given.RetryAfter)
	case methodNotSupported:
		e.Message = "Only POST requests are accepted."
	default:
		return nil
	}
	return e
}

// byStatus is the error that the real service sends with a status.
func byStatus(status int, given Given) *Error {
	switch {
	case status == 401:
		given.Code = invalidAPIKey
	case status == 403:
		given.Code = unsupportedCountry
	case status == 429:
		given.Code = rateLimitExceeded
	case status == 503:
		return &Error{Type: ServerError, Message: "That model is currently overloaded with other requests. You can retry your request, or contact us through our help center at help.openai.com if the error persists."}
	case status >= 500:
		return &Error{Type: ServerError, Message: "The server had an error while processing your request. Sorry about that!"}
	default:
		return &Error{Type: InvalidRequest, Message: "The request cannot be answered."}
	}
	return byCode(given)
}

// RequestsPerMinute is the limit that errors and headers tell of. Nothing
// enforces it.
const RequestsPerMinute = 10_000

// rateLimit is the message for too many requests. Without a pause to wait it
// names the one after which a minute's share is there again.
func rateLimit(model string, wait time.Duration) string {
	wait = cmp.Or(wait, time.Minute/RequestsPerMinute)
	return fmt.Sprintf("Rate limit reached for %s in organization org-fakeopenai on requests per min (RPM): Limit %d, Used %[2]d, Requested 1. "+
		"Please try again in %s. Visit https://platform.openai.com/account/rate-limits to learn more.", model, RequestsPerMinute, wait)
}
