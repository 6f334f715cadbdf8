package journal

import (
	"encoding/json"
	"unicode/utf8"
)

// Shown is an entry in the form that the journal's endpoints have as JSON.
type Shown struct {
	Entry
	Model  string `json:"model,omitempty"`  // Model is the one that the request names, or else answers it.
	Stream *bool  `json:"stream,omitempty"` // Stream is whether a stream is asked for; nil if the body could not be read.
	// Body is the request's as JSON if it is JSON, as a text if it is one, or else as
	// bytes in base64.
	Body any `json:"body,omitempty"`
}

// Show is the form of an entry as JSON.
func Show(e Entry) Shown {
	s := Shown{Entry: e}
	if e.Request != nil {
		s.Model, s.Stream = e.Request.Model, &e.Request.Stream
	}
	switch {
	case len(e.Body) == 0:
	case json.Valid(e.Body):
		s.Body = json.RawMessage(e.Body)
	case utf8.Valid(e.Body):
		s.Body = string(e.Body)
	default:
		s.Body = e.Body
	}
	return s
}
