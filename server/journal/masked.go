package journal

import "github.com/fakeopenai/fakeopenai/server/internal/secret"

// Masked returns the entry with masks in place of its secrets: the API key, and secrets in
// the header and the query, such as cookies and ids of organisations. Equal secrets have
// equal masks. Body and Transcript are not masked.
func (e Entry) Masked() Entry {
	e.Path, e.Header, e.APIKey = secret.Path(e.Path), secret.Header(e.Header), secret.Mask(e.APIKey)
	return e
}

// Masked returns the call with masks in place of its secrets: see [Entry.Masked].
func (c Call) Masked() Call {
	c.Path, c.APIKey = secret.Path(c.Path), secret.Mask(c.APIKey)
	return c
}

// MaskKey returns the mask of an API key, such as sk-…a1b2 (sha256:3f9c0d12).
func MaskKey(key string) string { return secret.Mask(key) }

// MaskPath returns a path with masks in place of the keys in its query.
func MaskPath(path string) string { return secret.Path(path) }
