package server

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// unplayedPaths are the paths of OpenAI's API that nothing here plays, each with
// all that is below it.
var unplayedPaths = []string{
	"assistants", "audio/speech", "audio/transcriptions", "audio/translations", "audio/voices", "batches", "chatkit",
	"containers", "conversations", "embeddings", "evals", "files", "fine_tuning", "images/edits", "images/generations",
	"images/variations", "moderations", "organization", "realtime", "responses", "skills", "threads", "uploads",
	"vector_stores", "videos",
}

// unplayed is the answer to a request for an endpoint that OpenAI has and this
// server does not play; nil for any other. OpenAI's words for an unknown URL
// would send people after typos.
func unplayed(r *http.Request) *apiError {
	if !isUnplayed(endpoint(r.URL.Path)) {
		return nil
	}
	var plays []string
	for _, on := range answer.Surfaces() {
		plays = append(plays, "POST /v1"+on.Path())
	}
	message := fmt.Sprintf("This fake does not play %s %s, although OpenAI has it. It plays %s and GET /v1/models.",
		r.Method, r.URL.Path, strings.Join(plays, ", "))
	e := refusal(http.StatusNotFound, apierror.CodeNotPlayed, message)
	e.unmatched = true
	return e
}

// endpoint is the path of an endpoint behind the prefixes that it can have.
func endpoint(path string) string {
	path = strings.TrimPrefix(strings.TrimPrefix(path, "/openai"), "/")
	if rest, ok := strings.CutPrefix(path, "deployments/"); ok {
		_, path, _ = strings.Cut(rest, "/")
		return path
	}
	return strings.TrimPrefix(path, "v1/")
}

func isUnplayed(endpoint string) bool {
	if strings.HasPrefix(endpoint, "chat/completions/chatcmpl-") {
		return true // a completion that was stored
	}
	return slices.ContainsFunc(unplayedPaths, func(path string) bool {
		rest, ok := strings.CutPrefix(endpoint, path)
		return ok && (rest == "" || rest[0] == '/')
	})
}

// baseURL is the base URL that should have been used for a request to an unknown
// path that ends as one of an endpoint which is played; "" for any other.
func baseURL(r *http.Request) string {
	endpoints := []string{"/models"}
	for _, on := range answer.Surfaces() {
		endpoints = append(endpoints, on.Path())
	}
	path := strings.TrimRight(r.URL.Path, "/")
	if isAzure(r) || !slices.ContainsFunc(endpoints, func(end string) bool { return strings.HasSuffix(path, end) }) {
		return ""
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host + "/v1"
}
