package request

import (
	"net/http"
	"net/url"
	"slices"
	"strings"
)

// onDeployment stands for the prefixes of the paths below a deployment of Azure.
const onDeployment = "/openai/deployments/{deployment}"

// Prefixes returns the prefixes that the path of an endpoint can have. Those that begin with
// /openai are Azure's; the AzureOpenAI clients of the SDKs use /openai.
func Prefixes() []string { return []string{"/v1", "", "/openai/v1", "/openai"} }

// ModelPrefixes returns the prefixes that the path of an endpoint can have whose requests
// name a model. Azure has such a path below a deployment, too; with onDeployments it has the
// path only there and below /openai/v1.
func ModelPrefixes(onDeployments bool) []string {
	if onDeployments {
		return []string{"/v1", "", "/openai/v1", onDeployment}
	}
	return append(Prefixes(), onDeployment)
}

// CutPrefix cuts a path into a prefix, as [ModelPrefixes] names it, and the rest.
func CutPrefix(path string) (prefix, rest string) {
	if below, ok := strings.CutPrefix(path, "/openai/deployments/"); ok {
		if i := strings.IndexByte(below, '/'); i > 0 {
			return onDeployment, below[i:]
		}
	}
	for _, prefix := range []string{"/v1", "/openai/v1", "/openai"} {
		if rest, ok := strings.CutPrefix(path, prefix); ok && strings.HasPrefix(rest, "/") {
			return prefix, rest
		}
	}
	return "", path
}

// Unplayed are the paths of OpenAI's API that this server does not play. Each stands for all paths
// below it, but for the routes of the server, which are looked up first.
var Unplayed = []string{
	"agents", "assistants", "audio/speech", "audio/transcriptions", "audio/translations", "audio/voice_consents", "audio/voices", "batches",
	"chatkit", "containers", "content_provenance_checks", "conversations", "decisions", "evals", "files", "fine_tuning", "images/edits",
	"images/generations", "images/variations", "live", "organization", "projects", "safety", "skills", "threads", "uploads", "vaults", "vector_stores", "videos",
	"webhook_endpoints", "webhook_event_types",
}

// IsUnplayed reports whether a path that has no route is one of OpenAI's API: it is in [Unplayed], or begins with an
// element of own as a whole part of the path or, if the element ends with a hyphen, as the beginning of an id.
func IsUnplayed(path string, own ...string) bool {
	_, of := CutPrefix(path)
	of = strings.TrimPrefix(of, "/")
	is := func(path string) bool {
		rest, ok := strings.CutPrefix(of, path)
		return ok && (rest == "" || rest[0] == '/' || strings.HasSuffix(path, "-"))
	}
	return slices.ContainsFunc(Unplayed, is) || slices.ContainsFunc(own, is)
}

// Deployment returns the name of the deployment in an escaped path of Azure OpenAI; "" for
// any other path.
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

// BaseURL returns the base URL that the client should use, if its path is unknown but ends like
// one of the paths that are played; otherwise "".
func BaseURL(r *http.Request, played []string) string {
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
