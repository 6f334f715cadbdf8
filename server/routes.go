package server

import (
	"errors"
	"net/http"
	"sync"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
)

// serveURL passes a request to the endpoint of its URL; [admin.Handler] has those below
// /_fake/. CORS and the limit on bodies come before the router, because middleware of the
// router does not see requests that match no route.
func (s *Server) serveURL(w http.ResponseWriter, r *http.Request) {
	s.limitBody(w, r)
	switch {
	case admin.Owns(r):
		s.own.ServeHTTP(w, r)
	case allowOrigin(w, r): // it was a preflight request
	case admin.IsGreeting(r):
		s.own.Greet(w, r)
	default:
		s.serve(w, r)
	}
}

// endpoint answers the requests to a URL of OpenAI's API.
type endpoint func(*Server, *exchange)

// ServeHTTP makes an endpoint a handler, which routes must have. It is never called: see
// [Server.endpoint].
func (endpoint) ServeHTTP(http.ResponseWriter, *http.Request) {}

// endpoint returns the endpoint of the request's URL, and the request with the variables of
// its path. A POST to / has none: such a client has a wrong base URL.
func (s *Server) endpoint(r *http.Request) (endpoint, *http.Request) {
	routes := router
	if s.config.AllowGet {
		routes = routerWithGet
	}
	var match mux.RouteMatch
	if routes().Match(r, &match) {
		if len(match.Vars) > 0 {
			r = mux.SetURLVars(r, match.Vars)
		}
		return match.Handler.(endpoint), r
	}
	if errors.Is(match.MatchErr, mux.ErrMethodMismatch) {
		return func(_ *Server, x *exchange) { x.fail(wrongMethod(allowed(routes(), x.r))) }, r
	}
	return func(_ *Server, x *exchange) { x.fail(unknownURL(x.r)) }, r
}

// All servers of a process share their routers, because one takes longer to make than a
// server. The second is for [Config.AllowGet].
var (
	router        = sync.OnceValue(func() *mux.Router { return newRouter(http.MethodPost) })
	routerWithGet = sync.OnceValue(func() *mux.Router { return newRouter(http.MethodPost, http.MethodGet) })
)

// newRouter makes the router of OpenAI's API. Methods are those that ask for an answer from
// the scenarios. Paths are not decoded before routing: the id of a model may contain a slash.
func newRouter(methods ...string) *mux.Router {
	r := mux.NewRouter().UseEncodedPath()
	info := upgradable.Info()
	for _, prefix := range request.ModelPrefixes(info.OnDeployments) {
		// Where a GET can ask for an answer, only one that asks for an upgrade is for WebSocket.
		upgrades := func(r *http.Request, _ *mux.RouteMatch) bool { return len(methods) == 1 || wantsUpgrade(r) }
		r.Handle(prefix+info.Path, endpoint((*Server).upgrade)).Methods(http.MethodGet).MatcherFunc(upgrades)
	}
	for _, on := range answer.Surfaces() {
		for _, prefix := range request.ModelPrefixes(on.Info().OnDeployments) {
			r.Handle(prefix+on.Info().Path, endpoint(func(s *Server, x *exchange) { s.answer(x, on) })).Methods(methods...)
		}
	}
	for path, e := range map[string]endpoint{info.Path + "/input_tokens": (*Server).countInput, info.Path + "/compact": (*Server).compactInput} {
		for _, prefix := range request.ModelPrefixes(info.OnDeployments) {
			r.Handle(prefix+path, e).Methods(http.MethodPost)
		}
	}
	for _, prefix := range request.Prefixes {
		r.Handle(prefix+"/models", endpoint((*Server).listModels)).Methods(http.MethodGet)
		r.Handle(prefix+"/models/{id:.+}", endpoint((*Server).oneModel)).Methods(http.MethodGet)
		for _, e := range stored.Endpoints() {
			r.Handle(prefix+e.Path, endpoint(func(s *Server, x *exchange) { s.answerFromStore(x, &e) })).Methods(e.Method)
		}
	}
	return r
}

// allowed returns the methods for which the router has a route at the request's URL.
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

// isAzure reports whether the request uses a path of Azure OpenAI.
func isAzure(r *http.Request) bool { return request.IsAzure(r) }

// newAdmin makes the handler of the endpoints below /_fake/.
func (s *Server) newAdmin() *admin.Handler {
	return admin.New(admin.Fake{
		Journal: s.journal, JournalSize: s.config.JournalSize, Holds: s.holds, Logger: s.config.Logger,
		MaxBody: s.config.MaxBody, Token: s.config.AdminToken, Hosts: s.config.AdminHosts, HealthOnly: s.config.NoAdmin, ShowSecrets: s.config.ShowSecrets, Played: played(), Metrics: s.config.Metrics,

		Draining:     s.draining.Load,
		WhileServing: s.whileServing,
		HoldNames:    s.holdNames,
		CheckHold:    s.checkHold,
		ScenariosFor: func(apiKey string) *scenarios.Set { return s.catalogs.Load().Of(apiKey).Set },
		Given:        s.counters.Given,
		Forgotten:    s.counters.Forgotten,
		PutScenarios: s.PutScenarios,
		AddScenarios: s.AddScenarios,
		Reset:        s.ResetKey,
		Usage:        s.limiter.Usage,
		Reload:       s.Reload,
		DownFor:      s.DownFor,
	})
}

// played lists the endpoints of OpenAI's API that the server has, with the prefix /v1.
var played = sync.OnceValue(func() []admin.Endpoint {
	var list []admin.Endpoint
	for _, on := range answer.Surfaces() {
		list = append(list, admin.Endpoint{Method: http.MethodPost, Path: "/v1" + on.Info().Path, Does: "answers from the scenarios, streamed or not"})
	}
	for _, e := range stored.Endpoints() {
		list = append(list, admin.Endpoint{Method: e.Method, Path: "/v1" + e.Path, Does: e.Does})
	}
	path := "/v1" + upgradable.Info().Path
	return append(list,
		admin.Endpoint{Method: http.MethodGet, Path: path, Does: "opens a WebSocket connection for requests to " + path},
		admin.Endpoint{Method: http.MethodPost, Path: path + "/input_tokens", Does: "counts the tokens of a request to " + path},
		admin.Endpoint{Method: http.MethodPost, Path: path + "/compact", Does: "gives a short input in place of a long one"},
		admin.Endpoint{Method: http.MethodGet, Path: "/v1/models", Does: "lists the models that can be asked for"},
		admin.Endpoint{Method: http.MethodGet, Path: "/v1/models/{id}", Does: "shows a model that can be asked for"})
})
