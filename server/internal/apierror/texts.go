package apierror

import (
	"fmt"
	"strings"
)

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
	return refused(404, "", "", "Invalid URL (%s %s)", method, path)
}

// UnknownURL is the error for any other unknown path. It comes from a gateway in front
// of the API.
func UnknownURL(method, path string) *Error {
	e := refused(404, "", "unknown_url", "Unknown request URL: %s %s. Please check the URL for typos, or see the docs at https://platform.openai.com/docs/api-reference/.", method, path)
	e.Shape = Gateway
	return e
}

// WrongMethod is the error for a known path with the wrong method.
func WrongMethod(allowed []string) *Error {
	list := strings.Join(allowed, ", ")
	if i := strings.LastIndex(list, ", "); i >= 0 {
		list = list[:i] + " and " + list[i+len(", "):]
	}
	return refused(405, "", methodNotSupported, "Only %s requests are accepted.", list)
}

// UnknownModel is the error of GET /v1/models/{id}.
func UnknownModel(id string) *Error {
	return refused(404, "model", modelNotFound, "The model '%s' does not exist", id)
}

// NotYourModel is the error of DELETE /v1/models/{id} for a model of OpenAI's. The service's text is not known.
func NotYourModel(id string) *Error {
	return refused(403, "model", "", "The model '%s' belongs to OpenAI. Only fine-tuned models can be deleted.", id)
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
	return refused(400, param, code, format, args...)
}

func refused(status int, param, code, format string, args ...any) *Error {
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

// ChatModel is the error for a chat model on /v1/completions.
func ChatModel() *Error {
	return refused(404, "model", "", "This is a chat model and not supported in the v1/completions endpoint. Did you mean to use v1/chat/completions?")
}

// NotChatModel is the error for a completions model on /v1/chat/completions.
func NotChatModel() *Error {
	return refused(404, "model", "", "This is not a chat model and thus not supported in the v1/chat/completions endpoint. Did you mean to use v1/completions?")
}

// The errors about stored answers and conversations.

// NotStored is the error for an id under which nothing is stored. Kind is Response,
// Conversation or Item.
func NotStored(kind, id string) *Error {
	return refused(404, "", "", "%s with id '%s' not found.", kind, id)
}

// NoPrevious is the error for a previous_response_id under which nothing is stored.
func NoPrevious(id string) *Error {
	return Bad("previous_response_id", "previous_response_not_found", "Previous response with id '%s' not found.", id)
}

// NoItem is the error for a reference to an item that is not stored.
func NoItem(id string) *Error {
	return refused(404, "input", "", "Item with id '%s' not found. "+
		"Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.", id)
}

// NotInBackground is the error for cancelling an answer that was not made in the
// background.
func NotInBackground() *Error { return Bad("", "", "Cannot cancel a synchronous response.") }

// BackgroundNeedsStore is the error for background: true beside store: false.
func BackgroundNeedsStore() *Error {
	return Bad("background", "", "Background mode requires 'store' to be true.")
}

// TwoPasts is the error for a request with both a previous_response_id and a
// conversation.
func TwoPasts() *Error {
	return Bad("", "mutually_exclusive_parameters",
		"Mutually exclusive parameters: ''. Ensure you are only providing one of: 'pre..._id' or 'conversation'.")
}

// NotBoolean is the error for a query value that is neither true nor false.
func NotBoolean(param, value string) *Error {
	return Bad(param, "", "Invalid '%s': the value '%s' cannot be parsed as boolean. Expected true or false.", param, value)
}
