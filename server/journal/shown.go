package journal

import (
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/server/internal/secret"
)

// Shown is an entry in the form in which the endpoints of the journal show it as JSON.
type Shown struct {
	Entry
	Model  string `json:"model,omitempty"`  // Model is the model of the request or, if it names none, of the answer.
	Stream *bool  `json:"stream,omitempty"` // Stream says whether the request asks for a stream; nil if the body could not be parsed.
	Seed   int64  `json:"seed,omitempty"`   // Seed is that of the header field X-Fakeopenai-Seed.
	// Body is the body of the request: as JSON if it is JSON, as a text if it is UTF-8, or
	// else as bytes in base64.
	Body any `json:"body,omitempty"`
}

// Show returns an entry in the form for JSON.
func Show(e Entry) Shown {
	s := Shown{Entry: e}
	if e.Request != nil {
		s.Model, s.Stream, s.Seed = e.Request.Model, &e.Request.Stream, e.Request.Seed
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

// Masked returns the entry with masks in place of its secrets: the API key; secrets in the header, the path
// and the problem, such as cookies, ids of organisations and keys of a known form; and in the body the keys
// that the header and the path have. Equal secrets have equal masks. Transcript is not masked.
func (e Entry) Masked() Entry {
	m := secret.Of(e.Header, e.Path, e.APIKey)
	e.Path, e.Header, e.APIKey = m.Path(e.Path), m.Header(e.Header), secret.Mask(e.APIKey)
	e.Problem, e.Body = m.Text(e.Problem), m.Body(e.Body)
	if e.Request != nil {
		if model := m.Text(e.Request.Model); model != e.Request.Model {
			r := *e.Request
			r.Model, e.Request = model, &r
		}
	}
	return e
}

// Masked returns the call with masks in place of its secrets: see [Entry.Masked].
func (c Call) Masked() Call {
	m := secret.Of(c.header, c.Path, c.APIKey)
	c.Path, c.APIKey, c.Attempts = m.Path(c.Path), secret.Mask(c.APIKey), slices.Clone(c.Attempts)
	for i := range c.Attempts {
		c.Attempts[i].Accepted = m.Text(c.Attempts[i].Accepted)
	}
	return c
}

// MaskKey returns the mask of an API key, such as sk-…a1b2 (sha256:3f9c0d12).
func MaskKey(key string) string { return secret.Mask(key) }

// MaskPath returns a path with masks in place of the secrets that are known by their form or their name.
func MaskPath(path string) string { return secret.Of(nil, path, "").Path(path) }
