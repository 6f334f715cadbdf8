package admin

import (
	"net/http"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
)

// routes adds all endpoints to the router and to the list.
func (h *Handler) routes() {
	h.alwaysOn("healthz", "answers 200 as long as the process serves", h.showHealth)
	h.alwaysOn("readyz", "answers 200 while requests are taken, 503 during shutdown", h.showReadiness)
	if !h.fake.HealthOnly {
		h.endpoints = slices.Concat(h.fake.Played, h.endpoints)
		h.guardedRoutes()
	}
	h.router.NotFoundHandler = http.HandlerFunc(unknownURL)
}

func (h *Handler) guardedRoutes() {
	on := h.on
	on(http.MethodGet, "scenarios", "lists what is played", h.listScenarios, apiKeyParameter)
	on(http.MethodPut, "scenarios", "plays the scenarios in the body before the server's own", h.takeScenarios(h.fake.PutScenarios), apiKeyParameter)
	on(http.MethodPost, "scenarios", "adds the scenarios in the body to those that were put", h.takeScenarios(h.fake.AddScenarios), apiKeyParameter)
	on(http.MethodDelete, "scenarios", "removes the scenarios that were put", h.deleteScenarios, apiKeyParameter)
	on(http.MethodGet, "requests", "shows the journal", h.listRequests, apiKeyParameter)
	on(http.MethodDelete, "requests", "empties the journal", h.deleteRequests, apiKeyParameter)
	on(http.MethodGet, "requests/wait", "waits until count requests have ended and shows the journal", h.awaitRequests, apiKeyParameter, countParameter, timeoutParameter)
	on(http.MethodGet, "requests/{id}", "shows one entry of the journal", h.oneRequest, apiKeyParameter)
	on(http.MethodGet, "requests/{id}/wait", "waits until the answer has ended and shows its entry", h.awaitRequest, apiKeyParameter, timeoutParameter)
	on(http.MethodGet, "requests/{id}/transcript", "gives the bytes that were sent, if they are kept", h.oneTranscript, apiKeyParameter)
	on(http.MethodGet, "calls", "shows the requests grouped with their retries", h.listCalls, apiKeyParameter)
	on(http.MethodGet, "calls/wait", "waits until count calls have ended and shows the calls", h.awaitCalls, apiKeyParameter, countParameter, outcomeParameter, timeoutParameter)
	on(http.MethodGet, "usage", "shows what API keys have spent of their limits", h.showUsage, apiKeyParameter)
	if metrics := h.fake.Metrics; metrics != nil {
		on(http.MethodGet, "metrics", "shows counters and times in the text format of Prometheus", metrics.ServeHTTP)
	}
	on(http.MethodGet, "holds", "shows the holds, and the streams that wait at them", h.listHolds, apiKeyParameter)
	on(http.MethodGet, "holds/{name}/wait", "waits until a stream has reached the hold", h.awaitHold, apiKeyParameter, timeoutParameter)
	on(http.MethodPost, "holds/{name}/release", "releases the streams that wait at the hold", h.releaseHold, apiKeyParameter)
	on(http.MethodPost, "reset", "forgets counters, usage, journal, releases and scenarios that were put", h.reset, apiKeyParameter)
	on(http.MethodPost, "reload", "reads the scenarios again", h.reload)
	on(http.MethodPost, "down", "refuses connections for a while", h.goDown, forParameter)
	on(http.MethodGet, "openapi.json", "describes these endpoints in OpenAPI 3.1", describe)
	on(http.MethodGet, "", "lists the endpoints, to browsers as a page", h.listEndpoints)
	h.handle(http.MethodGet, strings.TrimSuffix(Path, "/"), h.guarded(knowing(nil, http.HandlerFunc(h.listEndpoints))))
}

// on adds a guarded endpoint to the router and to the list.
func (h *Handler) on(method, path, does string, answer http.HandlerFunc, parameters ...string) {
	h.handle(method, Path+path, h.guarded(knowing(parameters, answer)))
	h.endpoints = append(h.endpoints, Endpoint{Method: method, Path: Path + path, Parameters: parameters, Does: does})
}

// alwaysOn adds an endpoint that is open to all, for GET and HEAD.
func (h *Handler) alwaysOn(path, does string, answer http.HandlerFunc) {
	h.handle(http.MethodGet, Path+path, knowing(nil, answer))
	h.handle(http.MethodHead, Path+path, knowing(nil, answer))
	h.endpoints = append(h.endpoints, Endpoint{Method: http.MethodGet, Path: Path + path, Does: does})
}

// methods has the handlers of a path, by method.
type methods map[string]http.Handler

// handle adds the handler of a method and a path to the router.
func (h *Handler) handle(method, path string, answer http.Handler) {
	on := h.paths[path]
	if on == nil {
		on = methods{}
		h.paths[path] = on
		h.router.Handle(path, on)
	}
	on[method] = answer
}

// ServeHTTP calls the handler of the method, or answers 405 with the methods that there are.
func (m methods) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if answer := m[r.Method]; answer != nil {
		answer.ServeHTTP(w, r)
		return
	}
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		if m[method] != nil {
			allowed = append(allowed, method)
		}
	}
	w.Header().Set("Allow", strings.Join(allowed, ", "))
	writeError(w, apierror.WrongMethod(allowed))
}

func unknownURL(w http.ResponseWriter, r *http.Request) {
	e := apierror.UnknownURL(r.Method, r.URL.Path)
	e.Message += " GET /_fake/ lists the endpoints of this fake."
	writeError(w, e)
}
