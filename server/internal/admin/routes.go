package admin

import (
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

func (h *Handler) routes() {
	h.alwaysOn("healthz", "answers 200 as long as the process serves", answer(h.showHealth))
	h.alwaysOn("readyz", "answers 200 while requests are taken, 503 during shutdown", http.HandlerFunc(h.showReadiness))
	if !h.fake.HealthOnly {
		h.endpoints = slices.Concat(h.fake.Played, h.endpoints)
		h.guardedRoutes()
	}
	h.router.NotFoundHandler = http.HandlerFunc(unknownURL)
}

func (h *Handler) guardedRoutes() {
	on, list := h.on, http.HandlerFunc(h.listEndpoints)
	on(http.MethodGet, "scenarios", "lists what is played", answer(h.listScenarios), apiKeyParameter)
	on(http.MethodPut, "scenarios", "plays the scenarios in the body before the server's own", h.takeFiles(Server.PutScenarios, apierror.CodeScenarios, h.listScenarios), apiKeyParameter)
	on(http.MethodPost, "scenarios", "adds the scenarios in the body to those that were put", h.takeFiles(Server.AddScenarios, apierror.CodeScenarios, h.listScenarios), apiKeyParameter)
	on(http.MethodDelete, "scenarios", "removes the scenarios that were put", h.delete(Server.PutScenarios), apiKeyParameter)
	on(http.MethodGet, "scenarios/sends", "says in a sentence each what the scenarios send to a plain request, and who answers one", answer(h.listSent), apiKeyParameter)
	on(http.MethodPost, "scenarios/try", "checks the scenarios in the body, and shows what they would send, without playing them", http.HandlerFunc(h.tryScenarios), apiKeyParameter, requestParameter)
	on(http.MethodGet, "faults", "lists the faults that are laid over answers", answer(h.listFaults), apiKeyParameter)
	on(http.MethodPut, "faults", "lays the faults in the body over answers, before the server's own", h.takeFiles(Server.PutFaults, apierror.CodeFaults, h.listFaults), apiKeyParameter)
	on(http.MethodDelete, "faults", "removes the faults that were put", h.delete(Server.PutFaults), apiKeyParameter)
	on(http.MethodGet, "requests", "shows the journal", answer(h.listRequests), apiKeyParameter,
		pathParameter, statusParameter, scenarioParameter, modelParameter, keyParameter, sinceParameter)
	on(http.MethodDelete, "requests", "empties the journal", answer(h.deleteRequests), apiKeyParameter)
	on(http.MethodGet, "requests/wait", "waits until count requests have ended and shows the journal", answer(h.awaitRequests), apiKeyParameter, countParameter, timeoutParameter)
	on(http.MethodGet, "requests/events", "streams the requests in short as server-sent events: all, then those that change", http.HandlerFunc(h.streamRequests), apiKeyParameter)
	on(http.MethodGet, "requests/find", "lists the requests of which the body or the answer has a text", answer(h.findText), apiKeyParameter, textParameter)
	on(http.MethodGet, "requests/{id}", "shows one entry of the journal", h.aboutEntry(h.oneRequest), apiKeyParameter)
	on(http.MethodGet, "requests/{id}/wait", "waits until the answer has ended and shows its entry", answer(h.awaitRequest), apiKeyParameter, timeoutParameter)
	on(http.MethodGet, "requests/{id}/body", "gives the body of the request as it was sent", h.aboutEntry(h.oneBody), apiKeyParameter)
	on(http.MethodGet, "requests/{id}/differences", "says how the answer differs from that to another request", answer(h.differences), apiKeyParameter, withParameter)
	on(http.MethodGet, "requests/{id}/transcript", "gives the bytes that were sent, if they are kept", h.aboutEntry(h.oneTranscript), apiKeyParameter)
	on(http.MethodGet, "requests/{id}/timeline", "shows what the answer was to send when, and when it was sent", h.aboutEntry(h.oneTimeline), apiKeyParameter)
	on(http.MethodGet, "requests/{id}/why", "shows which conditions of which scenarios hold for the request", h.aboutEntry(h.whyAnswered), apiKeyParameter)
	if h.fake.AsScenario != nil {
		on(http.MethodGet, "requests/{id}/scenario", "writes the answer as the scenario that would be recorded of it", h.aboutEntry(h.oneScenario), apiKeyParameter)
	}
	on(http.MethodGet, "calls", "shows the requests grouped with their retries", answer(h.listCalls), apiKeyParameter)
	on(http.MethodGet, "calls/wait", "waits until count calls have ended and shows the calls", answer(h.awaitCalls), apiKeyParameter, countParameter, outcomeParameter, timeoutParameter)
	on(http.MethodGet, "usage", "shows what API keys have spent of their limits", answer(h.showUsage), apiKeyParameter)
	if h.fake.Metrics != nil {
		on(http.MethodGet, "metrics", "shows counters and times in the text format of Prometheus", h.fake.Metrics)
	}
	on(http.MethodGet, "holds", "shows the holds, and the streams that wait at them", answer(h.listHolds), apiKeyParameter)
	on(http.MethodGet, "holds/{name}/wait", "waits until a stream has reached the hold", answer(h.awaitHold), apiKeyParameter, timeoutParameter)
	on(http.MethodPost, "holds/{name}/release", "releases the streams that wait at the hold", answer(h.releaseHold), apiKeyParameter)
	on(http.MethodPost, "reset", "forgets counters, usage, journal, releases, and scenarios and faults that were put", answer(h.reset), apiKeyParameter)
	on(http.MethodPost, "reload", "reads the scenarios again", http.HandlerFunc(h.reload))
	on(http.MethodPost, "down", "refuses connections for a while", http.HandlerFunc(h.goDown), forParameter)
	on(http.MethodGet, "openapi.json", "describes these endpoints in OpenAPI 3.1", answer(describe))
	on(http.MethodGet, "", "lists the endpoints; to browsers it is a page that shows what happened", list, apiKeyParameter)
	h.handle(http.MethodGet, strings.TrimSuffix(Path, "/"), h.guarded(knowing(nil, list)))
}

// on adds a guarded endpoint to the router and to the list.
func (h *Handler) on(method, path, does string, endpoint http.Handler, parameters ...string) {
	h.handle(method, Path+path, h.guarded(knowing(parameters, endpoint)))
	h.endpoints = append(h.endpoints, Endpoint{Method: method, Path: Path + path, Parameters: parameters, Does: does})
}

// alwaysOn adds an endpoint that is open to all, for GET and HEAD.
func (h *Handler) alwaysOn(path, does string, endpoint http.Handler) {
	h.handle(http.MethodGet, Path+path, knowing(nil, endpoint))
	h.handle(http.MethodHead, Path+path, knowing(nil, endpoint))
	h.endpoints = append(h.endpoints, Endpoint{Method: http.MethodGet, Path: Path + path, Does: does})
}

type methods map[string]http.Handler

// handle adds the handler of a method and a path. The router has the paths with variables alone, as it makes an expression
// of each.
func (h *Handler) handle(method, path string, answer http.Handler) {
	on := h.paths[path]
	if on == nil {
		on = methods{}
		h.paths[path] = on
		if strings.Contains(path, "{") {
			h.router.Handle(path, on)
		}
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

// The query parameters of the endpoints below /_fake/.
const (
	apiKeyParameter  = "api_key" // apiKeyParameter limits a call to what belongs to one API key.
	timeoutParameter = "timeout" // timeoutParameter is how long a call waits.
	countParameter   = "count"   // countParameter is the number of requests or calls to wait for.
	outcomeParameter = "outcome" // outcomeParameter is the outcome of the calls to wait for.
	forParameter     = "for"     // forParameter is how long a server is down.
	withParameter    = "with"    // withParameter is the number of a request to compare with.
	textParameter    = "text"    // textParameter is a text to look for.
	requestParameter = "request" // requestParameter is the number of the request for which scenarios are tried.
)

// The query parameters that select entries of the journal: see [journal.Filter].
const (
	pathParameter     = "path"
	statusParameter   = "status"
	scenarioParameter = "scenario"
	modelParameter    = "model"
	keyParameter      = "key"
	sinceParameter    = "since" // sinceParameter is a time, or how long ago it was.
)

func filterIn(r *http.Request) (journal.Filter, *apierror.Error) {
	q := r.URL.Query()
	f := journal.Filter{
		Path: q.Get(pathParameter), Scenario: q.Get(scenarioParameter), Model: q.Get(modelParameter), Key: q.Get(keyParameter),
		Status: strings.ReplaceAll(q.Get(statusParameter), "x", "?"),
	}
	if strings.Trim(f.Status, "0123456789?*") != "" {
		return f, badQuery("status is %q, it must be a status such as 429, or a class of them such as 5xx", q.Get(statusParameter))
	}
	text := q.Get(sinceParameter)
	if text == "" {
		return f, nil
	}
	ago, err := time.ParseDuration(text)
	if err == nil && ago >= 0 {
		f.Since = time.Now().Add(-ago)
	} else if f.Since, err = time.Parse(time.RFC3339, text); err != nil {
		return f, badQuery("since is %q, it must be a time such as 2030-01-31T12:00:00Z, with + written as %%2B, or how long ago that was, such as 30s", text)
	}
	return f, nil
}

// keyAskedFor returns the API key of the query; "" stands for all keys.
func keyAskedFor(r *http.Request) string { return r.URL.Query().Get(apiKeyParameter) }

// durationIn returns the duration that a parameter of the query has; without the parameter it is
// absent.
func durationIn(r *http.Request, parameter string, absent time.Duration) (time.Duration, error) {
	if text := r.URL.Query().Get(parameter); text != "" {
		return time.ParseDuration(text)
	}
	return absent, nil
}

// knowing wraps an endpoint so that it refuses unknown query parameters. Without the check,
// a misspelled api_key would let DELETE requests empty the journal of all keys.
func knowing(known []string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if problem := wrongQuery(r, known); problem != "" {
			writeError(w, badQuery("%s", problem))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func wrongQuery(r *http.Request, known []string) string {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return fmt.Sprintf("The query %q cannot be read: %v", r.URL.RawQuery, err)
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		values := query[name]
		switch {
		case !slices.Contains(known, name):
			return unknownParameter(r, name, known)
		case len(values) > 1:
			return fmt.Sprintf("The query has %s %d times; give it once.", name, len(values))
		case values[0] == "":
			return fmt.Sprintf("The query has %s without a value; leave it out or give it one.", name)
		}
	}
	return ""
}

func unknownParameter(r *http.Request, name string, known []string) string {
	takes := "none"
	if len(known) > 0 {
		takes = strings.Join(known, ", ")
	}
	hint := ""
	if near := diag.Nearest(name, known); near != "" {
		hint = fmt.Sprintf(" Did you mean %q?", near)
	}
	return fmt.Sprintf("There is no query parameter %q here.%s %s %s takes: %s.", name, hint, r.Method, r.URL.Path, takes)
}
