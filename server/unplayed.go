package server

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// unplayed is the 404 for an endpoint that OpenAI has and this server does not play; nil for
// any other URL. OpenAI's text for an unknown URL would make people look for typos.
func unplayed(r *http.Request) *apiError {
	var plays, others []string
	for _, on := range answer.Surfaces() {
		info := on.Info()
		plays = append(plays, "POST /v1"+info.Path)
		if info.Unplayed != "" {
			others = append(others, info.Unplayed)
		}
	}
	if !request.IsUnplayed(r.URL.Path, others...) {
		return nil
	}
	message := fmt.Sprintf("This fake does not play %s %s, although OpenAI has it. It plays %s and GET /v1/models.",
		r.Method, r.URL.Path, strings.Join(plays, ", "))
	e := refusal(http.StatusNotFound, apierror.CodeNotPlayed, message)
	e.unmatched = true
	return e
}

// baseURL is the base URL that the client should use, if its path is unknown but ends like
// the path of an endpoint that is played; otherwise "".
func baseURL(r *http.Request) string {
	endpoints := []string{"/models"}
	for _, on := range answer.Surfaces() {
		endpoints = append(endpoints, on.Info().Path)
	}
	return request.BaseURL(r, endpoints)
}
