package request

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// Error says what is wrong with a request, in the members of OpenAI's error
// object.
type Error = apierror.Error

// Bad is the error for something wrong at a place of the body. A place or code
// that is "" is null.
func Bad(param, code, format string, args ...any) *Error {
	return apierror.Bad(param, code, format, args...)
}

// invalidType is the error for a value of the wrong type at a place of the body.
// Expected is in the real service's words: an integer.
func invalidType(param, expected string, got ojson.Value) *Error {
	return Bad(param, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", param, expected, got.TypeInWords())
}
