package scenarios

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// RequestError says what is wrong with a request, in the members of OpenAI's
// error object.
type RequestError struct {
	Status  int // of the HTTP answer: 400
	Message string
	Type    string // invalid_request_error
	Param   string // the place in the body; "" is null
	Code    string // "" is null
}

// Error is the message.
func (e *RequestError) Error() string { return e.Message }

func badRequest(param, code, format string, args ...any) *RequestError {
	return &RequestError{
		Status:  400,
		Message: fmt.Sprintf(format, args...),
		Type:    "invalid_request_error",
		Param:   param,
		Code:    code,
	}
}

// invalidType is the error for a value of the wrong type at a place of the body.
// Expected is in the real service's words: an integer.
func invalidType(param, expected string, got ojson.Value) *RequestError {
	return badRequest(param, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", param, expected, typeInWords(got))
}

// typeInWords is the JSON type of v as the real service names it.
func typeInWords(v ojson.Value) string {
	switch v.Kind() {
	case ojson.BoolKind:
		return "a boolean"
	case ojson.NumberKind:
		if isInteger(v) {
			return "an integer"
		}
		return "a decimal"
	case ojson.StringKind:
		return "a string"
	case ojson.ArrayKind:
		return "an array"
	case ojson.ObjectKind:
		return "an object"
	}
	return "null"
}
