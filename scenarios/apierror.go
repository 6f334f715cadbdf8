package scenarios

import (
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// APIError is OpenAI's error object and, where it answers instead of a stream,
// the HTTP response around it.
type APIError struct {
	Status     int // default 500
	Message    Opt[Text]
	Type       Opt[Text] // default: what the real service sends with the status
	Param      Opt[Text] // default: null
	Code       Opt[Text] // default: null
	RetryAfter *time.Duration
	Headers    []Header
	Body       *Text       // sent instead of an error object, as it is
	Extra      ojson.Value // an object: further members of the error object
	Pos        diag.Pos
}

// Header is an HTTP header field.
type Header struct {
	Name  string
	Value Text
}
