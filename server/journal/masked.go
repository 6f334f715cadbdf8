package journal

import "github.com/fakeopenai/fakeopenai/server/internal/secret"

// Masked is the entry for others to read: without the API key, and without what in
// the header and the query must not be read, such as cookies and the ids of
// organisations. Masks of equal secrets are equal. Body and Transcript are as they
// were.
func (e Entry) Masked() Entry {
	e.Path, e.Header, e.APIKey = secret.Path(e.Path), secret.Header(e.Header), secret.Mask(e.APIKey)
	return e
}

// Masked is the call for others to read, as an [Entry.Masked] is.
func (c Call) Masked() Call {
	c.Path, c.APIKey = secret.Path(c.Path), secret.Mask(c.APIKey)
	return c
}

// MaskKey is how an API key is shown, such as sk-…a1b2 (sha256:3f9c0d12).
func MaskKey(key string) string { return secret.Mask(key) }

// MaskPath is how a path is shown: keys in its query are masked.
func MaskPath(path string) string { return secret.Path(path) }
