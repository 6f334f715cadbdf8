package request

import (
	"encoding/json"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// Error says what is wrong with a request, in the members of OpenAI's error
// object.
type Error = apierror.Error

// Bad is the error for a wrong value in the body. An empty param or code is null.
func Bad(param, code, format string, args ...any) *Error {
	return apierror.Bad(param, code, format, args...)
}

const invalidType = "invalid_type"

// InvalidType is the error for a value of the wrong type. Expected has the real
// service's words, such as "an integer".
func InvalidType(param, expected string, got ojson.Value) *Error {
	return Bad(param, invalidType, "Invalid type for '%s': expected %s, but got %s instead.", param, expected, got.TypeInWords())
}

// ArgumentsAreJSON returns the error for the arguments of a call that are not a text of JSON; nil if
// they are, and for the empty text, which models send for functions without parameters.
func ArgumentsAreJSON(path string, arguments ojson.Value) *Error {
	if arguments.Kind() != ojson.StringKind {
		return InvalidType(path, "a string", arguments)
	}
	// This checks the text and makes no values of it, which could be many.
	text := arguments.Text()
	if err := json.Unmarshal([]byte(text), new(json.RawMessage)); err != nil && text != "" {
		return Bad(path, apierror.CodeHistory, "Invalid '%s': the arguments are not JSON: %v.", path, err)
	}
	return nil
}
