package server

import (
	"net/http"
	"strings"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/server/internal/answer"
)

// routes is the whole URL space. What must hold for every answer wraps the
// router from outside, because the router's own middleware does not see requests
// that no route fits. Paths are neither cleaned nor decoded before routing: the
// real service redirects nobody, and a model's id may hold a slash.
func (s *Server) routes() http.Handler { return withCORS(s.router()) }

func (s *Server) router() *mux.Router {
	r := mux.NewRouter().SkipClean(true).UseEncodedPath()
	models, model := s.serve(s.listModels), s.serve(s.oneModel)
	for _, on := range answer.Surfaces() {
		h := s.serve(s.answer(on))
		for _, prefix := range []string{"/v1", "", "/openai/v1", "/openai/deployments/{deployment}"} {
			r.Handle(prefix+on.Path(), h).Methods(http.MethodPost)
		}
	}
	for _, prefix := range []string{"/v1", "", "/openai/v1"} {
		r.Handle(prefix+"/models", models).Methods(http.MethodGet)
		r.Handle(prefix+"/models/{id:.+}", model).Methods(http.MethodGet)
	}

	r.Handle(ownPath+"healthz", knowing(nil, http.HandlerFunc(s.handleHealthz))).Methods(http.MethodGet, http.MethodHead)
	r.Handle(ownPath+"readyz", knowing(nil, http.HandlerFunc(s.handleReadyz))).Methods(http.MethodGet, http.MethodHead)
	// A matcher, not Methods: a client's POST to / is a mistake in its base URL,
	// and not one in its method.
	r.Handle("/", http.HandlerFunc(s.greet)).MatcherFunc(func(r *http.Request, _ *mux.RouteMatch) bool { return isGreeting(r) })
	if !s.config.NoAdmin {
		s.adminRoutes(r)
	}

	r.NotFoundHandler = s.serveOrAdmin(func(r *http.Request) *apiError { return unknownURL(r) })
	r.MethodNotAllowedHandler = s.serveOrAdmin(func(req *http.Request) *apiError { return wrongMethod(allowed(r, req)) })
	return r
}

func (s *Server) adminRoutes(r *mux.Router) {
	list := append(played(),
		endpointInfo{Method: http.MethodGet, Path: ownPath + "healthz", Does: "answers 200 as long as the process serves"},
		endpointInfo{Method: http.MethodGet, Path: ownPath + "readyz", Does: "answers 200 while requests are taken, 503 during shutdown"})
	on := func(method, path, does string, h http.HandlerFunc, parameters ...string) {
		list = append(list, endpointInfo{method, ownPath + path, parameters, does})
		r.Handle(ownPath+path, s.adminOnly(knowing(parameters, h))).Methods(method)
	}
	on(http.MethodGet, "scenarios", "lists what is played", s.listScenarios, apiKeyParameter)
	on(http.MethodPut, "scenarios", "plays the scenarios in the body, too", s.takeScenarios(s.PutScenarios), apiKeyParameter)
	on(http.MethodPost, "scenarios", "adds to the scenarios that were put", s.takeScenarios(s.AddScenarios), apiKeyParameter)
	on(http.MethodDelete, "scenarios", "takes the scenarios away that were put", s.deleteScenarios, apiKeyParameter)
	on(http.MethodGet, "requests", "shows the journal", s.listRequests, apiKeyParameter)
	on(http.MethodDelete, "requests", "empties the journal", s.deleteRequests, apiKeyParameter)
	on(http.MethodGet, "requests/wait", "waits until so many requests have ended and shows the journal", s.awaitRequests, apiKeyParameter, countParameter, timeoutParameter)
	on(http.MethodGet, "requests/{id}", "shows one entry of the journal", s.oneRequest, apiKeyParameter)
	on(http.MethodGet, "requests/{id}/wait", "waits until the answer has ended and shows its entry", s.awaitRequest, apiKeyParameter, timeoutParameter)
	on(http.MethodGet, "requests/{id}/transcript", "gives the bytes that were sent, if they are kept", s.oneTranscript, apiKeyParameter)
	on(http.MethodGet, "calls", "shows the requests grouped with their retries", s.listCalls, apiKeyParameter)
	on(http.MethodGet, "holds", "shows the holds, and the streams that wait at them", s.listHolds, apiKeyParameter)
	on(http.MethodGet, "holds/{name}/wait", "waits until a stream has reached the hold", s.awaitHold, apiKeyParameter, timeoutParameter)
	on(http.MethodPost, "holds/{name}/release", "lets the streams go on that wait at the hold", s.releaseHold, apiKeyParameter)
	on(http.MethodPost, "reset", "forgets counters, journal, releases and scenarios that were put", s.handleReset, apiKeyParameter)
	on(http.MethodPost, "reload", "reads the scenarios again", s.handleReload)
	on(http.MethodPost, "down", "refuses connections for a while", s.handleDown, forParameter)
	index := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { listEndpoints(w, r, list) })
	on(http.MethodGet, "", "lists the endpoints, to browsers as a page", index)
	r.Handle(strings.TrimSuffix(ownPath, "/"), s.adminOnly(knowing(nil, index))).Methods(http.MethodGet)
}

// serveOrAdmin answers with an error. Only requests outside /_fake/ are part of
// the API that is faked, and so of the journal.
func (s *Server) serveOrAdmin(problem func(*http.Request) *apiError) http.Handler {
	api := s.serve(func(x *exchange) { x.fail(problem(x.r)) })
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if isAdmin(r) {
			writeError(w, problem(r))
			return
		}
		api.ServeHTTP(w, r)
	})
}

// allowed are the methods that the URL knows.
func allowed(router *mux.Router, r *http.Request) []string {
	var methods []string
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		try := r.Clone(r.Context())
		try.Method = m
		var match mux.RouteMatch
		if router.Match(try, &match) && match.MatchErr == nil {
			methods = append(methods, m)
		}
	}
	return methods
}

// ownPath is what the paths of the server's own endpoints begin with.
const ownPath = "/_fake/"

// isAdmin reports whether the request is for one of the server's own endpoints, or
// for their list without its last slash.
func isAdmin(r *http.Request) bool { return strings.HasPrefix(r.URL.Path+"/", ownPath) }

// isAzure reports whether the request uses a path of Azure OpenAI.
func isAzure(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/openai/") }
