package request

import (
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// RequestError says what is wrong with a request, in the members of OpenAI's
// error object.
type Error struct {
	Status  int // of the HTTP answer: 400
	Message string
	Type    string // invalid_request_error
	Param   string // the place in the body; "" is null
	Code    string // "" is null
}

// Error is the message.
func (e *Error) Error() string { return e.Message }

func Bad(param, code, format string, args ...any) *Error {
	return &Error{
		Status:  400,
		Message: fmt.Sprintf(format, args...),
		Type:    "invalid_request_error",
		Param:   param,
		Code:    code,
	}
}

// invalidType is the error for a value of the wrong type at a place of the body.
// Expected is in the real service's words: an integer.
func invalidType(param, expected string, got ojson.Value) *Error {
	return Bad(param, "invalid_type", "Invalid type for '%s': expected %s, but got %s instead.", param, expected, got.TypeInWords())
}
