package server

import (
	"crypto/subtle"
	"net/http"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// authorize is nil for a request that may be answered, else OpenAI's or Azure's
// 401.
func (s *Server) authorize(r *http.Request) *apiError {
	if len(s.config.APIKeys) == 0 {
		return nil
	}
	key := apiKey(r.Header)
	if slices.Contains(s.config.APIKeys, key) {
		return nil
	}
	if isAzure(r) {
		return &apiError{Error: apierror.AzureKey()}
	}
	e := &apiError{Error: apierror.MissingKey(), header: http.Header{"Vary": {"Origin"}}}
	if key != "" {
		e.Error = apierror.WrongKey(key)
	}
	return e
}

// apiKey is the key that a request bears, as OpenAI or as Azure wants it.
func apiKey(h http.Header) string {
	if key := bearer(h); key != "" {
		return key
	}
	return h.Get("Api-Key")
}

func bearer(h http.Header) string {
	scheme, token, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// admits reports whether a request may use the endpoints below /_fake/.
func (s *Server) admits(r *http.Request) bool {
	token := s.config.AdminToken
	return token == "" || subtle.ConstantTimeCompare([]byte(bearer(r.Header)), []byte(token)) == 1
}
