package scenarios

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// APIError is OpenAI's error object and, where it answers instead of a stream,
// the HTTP response around it.
type APIError struct {
	Status int // Status is the HTTP status; 0 is that of the code, or 500.
	// Message, Type, Param and Code are by default what the real service sends with
	// the code or, without one that is known, with the status.
	Message    Opt[Text]
	Type       Opt[Text]
	Param      Opt[Text]
	Code       Opt[Text]
	RetryAfter *time.Duration // RetryAfter is the Retry-After header; nil sends none.
	Headers    []Header
	Body       *Text       // Body is sent as it is, instead of an error object.
	Extra      ojson.Value // Extra is an object with further members of the error object.
	Beside     ojson.Value // Beside is an object with further members of the body, beside error.
	// Omit is places that are removed from the finished body. A path that does not start
	// with error is looked up in the error object.
	Omit []Path
	// Set is places that are overwritten in the finished body, with paths as in Omit;
	// error itself can get any value.
	Set []Assignment
	// Flat puts the members of the error object into the body itself, instead of under
	// error. The paths of Omit and Set stay the same.
	Flat bool
	Pos  diag.Pos
}

// Header is an HTTP header field.
type Header struct {
	Name  string
	Value Text
	// Removed leaves the field out, even if the server sends it by itself; Value is
	// ignored.
	Removed bool
}
