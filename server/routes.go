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
func (s *Server) routes() http.Handler {
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

	r.Handle("/_fake/healthz", knowing(nil, http.HandlerFunc(s.handleHealthz))).Methods(http.MethodGet, http.MethodHead)
	r.Handle("/_fake/readyz", knowing(nil, http.HandlerFunc(s.handleReadyz))).Methods(http.MethodGet, http.MethodHead)
	if !s.config.NoAdmin {
		s.adminRoutes(r)
	}

	r.NotFoundHandler = s.serveOrAdmin(func(r *http.Request) *apiError { return unknownURL(r) })
	r.MethodNotAllowedHandler = s.serveOrAdmin(func(req *http.Request) *apiError { return wrongMethod(allowed(r, req)) })
	return withCORS(r)
}

func (s *Server) adminRoutes(r *mux.Router) {
	on := func(method, path string, h http.HandlerFunc, parameters ...string) {
		r.Handle("/_fake/"+path, s.adminOnly(knowing(parameters, h))).Methods(method)
	}
	on(http.MethodGet, "scenarios", s.listScenarios, apiKeyParameter)
	on(http.MethodPut, "scenarios", s.takeScenarios(s.PutScenarios), apiKeyParameter)
	on(http.MethodPost, "scenarios", s.takeScenarios(s.AddScenarios), apiKeyParameter)
	on(http.MethodDelete, "scenarios", s.deleteScenarios, apiKeyParameter)
	on(http.MethodGet, "requests", s.listRequests, apiKeyParameter)
	on(http.MethodDelete, "requests", s.deleteRequests, apiKeyParameter)
	on(http.MethodGet, "requests/wait", s.awaitRequests, apiKeyParameter, countParameter, timeoutParameter)
	on(http.MethodGet, "requests/{id}", s.oneRequest, apiKeyParameter)
	on(http.MethodGet, "requests/{id}/wait", s.awaitRequest, apiKeyParameter, timeoutParameter)
	on(http.MethodGet, "requests/{id}/transcript", s.oneTranscript, apiKeyParameter)
	on(http.MethodGet, "calls", s.listCalls, apiKeyParameter)
	on(http.MethodGet, "holds", s.listHolds, apiKeyParameter)
	on(http.MethodGet, "holds/{name}/wait", s.awaitHold, apiKeyParameter, timeoutParameter)
	on(http.MethodPost, "holds/{name}/release", s.releaseHold, apiKeyParameter)
	on(http.MethodPost, "reset", s.handleReset, apiKeyParameter)
	on(http.MethodPost, "reload", s.handleReload)
	on(http.MethodPost, "down", s.handleDown, forParameter)
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

func isAdmin(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/_fake/") }

// isAzure reports whether the request uses a path of Azure OpenAI.
func isAzure(r *http.Request) bool { return strings.HasPrefix(r.URL.Path, "/openai/") }
