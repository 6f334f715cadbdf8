// Package urls knows the paths of OpenAI's API, and which of them are not played here.
package urls

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// Prefixes are what can stand before the path of an endpoint. Azure has two of them; AzureOpenAI of the
// SDKs takes the last.
var Prefixes = []string{"/v1", "", "/openai/v1", "/openai"}

// ModelPrefixes returns what can stand before the path of an endpoint whose requests name a model. Azure
// has it below a deployment, too; completions it has nowhere else without v1.
func ModelPrefixes(path string) []string {
	const deployment = "/openai/deployments/{deployment}"
	if strings.HasSuffix(path, "completions") {
		return []string{"/v1", "", "/openai/v1", deployment}
	}
	return append(slices.Clone(Prefixes), deployment)
}

// unplayed are the paths of OpenAI's API that nothing here plays, each with all that is
// below it.
var unplayed = []string{
	"assistants", "audio/speech", "audio/transcriptions", "audio/translations", "audio/voices", "batches", "chatkit",
	"containers", "conversations", "embeddings", "evals", "files", "fine_tuning", "images/edits", "images/generations",
	"images/variations", "moderations", "organization", "realtime", "responses", "skills", "threads", "uploads",
	"vector_stores", "videos",
}

// IsUnplayed reports whether a path is one that OpenAI has and this server does not
// play, if no route has taken it.
func IsUnplayed(path string) bool {
	of := endpoint(path)
	if strings.HasPrefix(of, "chat/completions/chatcmpl-") {
		return true // a completion that was stored
	}
	return slices.ContainsFunc(unplayed, func(path string) bool {
		rest, ok := strings.CutPrefix(of, path)
		return ok && (rest == "" || rest[0] == '/')
	})
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

// Deployment is the name that a path of Azure OpenAI, with its escapes, gives to the
// model; "" for any other path.
func Deployment(path string) string {
	rest, ok := strings.CutPrefix(path, "/openai/deployments/")
	name, _, below := strings.Cut(rest, "/")
	if !ok || !below {
		return ""
	}
	name, err := url.PathUnescape(name)
	if err != nil {
		return ""
	}
	return name
}

// IsAzure reports whether the request uses a path of Azure OpenAI.
func IsAzure(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/openai/") }

// Base is the base URL that should have been used for a request to an unknown path that
// ends as one of these that are played; "" for any other.
func Base(r *http.Request, played []string) string {
	path := strings.TrimRight(r.URL.Path, "/")
	if IsAzure(r) || !slices.ContainsFunc(played, func(end string) bool { return strings.HasSuffix(path, end) }) {
		return ""
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + r.Host + "/v1"
}
