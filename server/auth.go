package server

import (
	"crypto/subtle"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// authorize is nil for a request that may be answered, else OpenAI's or Azure's
// 401.
func (s *Server) authorize(r *http.Request) *apiError {
	if len(s.config.APIKeys) == 0 {
		return nil
	}
	key := request.APIKey(r.Header)
	if slices.Contains(s.config.APIKeys, key) {
		return nil
	}
	if isAzure(r) {
		return &apiError{status: http.StatusUnauthorized, shape: shapeAzure, code: "401", message: msgAzureKey}
	}
	e := &apiError{
		status:  http.StatusUnauthorized,
		message: msgMissingKey,
		kind:    invalidRequest,
		shape:   shapeAuth,
		header:  http.Header{"Vary": {"Origin"}},
	}
	if key != "" {
		e.message, e.code = fmt.Sprintf(msgWrongKey, maskKey(key)), "invalid_api_key"
	}
	return e
}

// maskKey hides the middle of a key as the real service does: the first eight
// characters and the last four stay, each hidden one becomes a star. A key that
// is too short for that is shown as it is.
func maskKey(key string) string {
	const head, tail = 8, 4
	runes := []rune(key)
	hidden := len(runes) - head - tail
	if hidden <= 0 {
		return key
	}
	return string(runes[:head]) + strings.Repeat("*", hidden) + string(runes[len(runes)-tail:])
}

// admits reports whether a request may use the endpoints below /_fake/.
func (s *Server) admits(r *http.Request) bool {
	token := s.config.AdminToken
	return token == "" || subtle.ConstantTimeCompare([]byte(request.BearerToken(r.Header)), []byte(token)) == 1
}
