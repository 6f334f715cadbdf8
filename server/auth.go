package server

import (
	"net/http"
	"slices"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
)

// authorize returns OpenAI's or Azure's 401 for a request without one of [Config.APIKeys];
// nil if the request has one, or if every key is accepted.
func (s *Server) authorize(r *http.Request) *apiError {
	if len(s.config.APIKeys) == 0 {
		return nil
	}
	key := request.APIKey(r.Header)
	if slices.Contains(s.config.APIKeys, key) {
		return nil
	}
	e := missingKey(r)
	if key != "" {
		e.problem = "the API key " + secret.Mask(key) + " is none of those that are accepted"
	}
	if key != "" && !isAzure(r) {
		e.Error = apierror.WrongKey(key)
	}
	return e
}

// missingKey is the 401 for a request without an API key.
func missingKey(r *http.Request) *apiError {
	if isAzure(r) {
		return &apiError{Error: apierror.AzureKey()}
	}
	return &apiError{Error: apierror.MissingKey(), header: http.Header{"Vary": {"Origin"}}}
}
