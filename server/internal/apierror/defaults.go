package apierror

import (
	"cmp"
	"fmt"
	"time"
)

// DefaultStatus is the status of an error for which a scenario gives neither a status
// nor a known code.
const DefaultStatus = 500

// Given is what is known of an error for which [Default] finds the real service's
// words. All members are optional.
type Given struct {
	Status int
	Code   string
	Model  string // Model is the requested model, or a template for it.
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
