package server

import (
	"net/http"
	"sync"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
)

// routes returns the handler of all URLs; [admin.Handler] has those below /_fake/. CORS
// and the limit on bodies wrap the router, because middleware of the router does not see
// requests that match no route. Paths are neither cleaned nor decoded before routing: the
// real service does not redirect, and the id of a model may contain a slash.
//
// The router is made for the first request to the API, because that takes longer than to
// make the rest of a server, and many servers in tests are made for few requests.
func (s *Server) routes() http.HandlerFunc {
	router := sync.OnceValue(func() http.Handler { return s.router() })
	return allowAllOrigins(func(w http.ResponseWriter, r *http.Request) {
		s.limitBody(w, r)
		if admin.Owns(r) {
			s.own.ServeHTTP(w, r)
			return
		}
		router().ServeHTTP(w, r)
	}, admin.Owns)
}

func (s *Server) router() *mux.Router {
	r := mux.NewRouter().SkipClean(true).UseEncodedPath()
	models, model := s.serve(s.listModels), s.serve(s.oneModel)
	methods := []string{http.MethodPost}
	if s.config.AllowGet {
		methods = append(methods, http.MethodGet)
	}
	for _, on := range answer.Surfaces() {
		h := s.serve(s.answer(on))
		for _, prefix := range request.ModelPrefixes(on.Path()) {
			r.Handle(prefix+on.Path(), h).Methods(methods...)
		}
	}
	for _, prefix := range request.ModelPrefixes(upgradable.Path()) {
		// With AllowGet, a GET that asks for no upgrade is one for a stream.
		upgrades := func(r *http.Request, _ *mux.RouteMatch) bool { return !s.config.AllowGet || wantsUpgrade(r) }
		r.Handle(prefix+upgradable.Path(), s.serve(s.upgrade)).Methods(http.MethodGet).MatcherFunc(upgrades)
	}
	for path, h := range map[string]http.Handler{"/responses/input_tokens": s.serve(s.countInput), "/responses/compact": s.serve(s.compactInput)} {
		for _, prefix := range request.ModelPrefixes(path) {
			r.Handle(prefix+path, h).Methods(http.MethodPost)
		}
	}
	for _, prefix := range request.Prefixes {
		r.Handle(prefix+"/models", models).Methods(http.MethodGet)
		r.Handle(prefix+"/models/{id:.+}", model).Methods(http.MethodGet)
	}

	for _, e := range stored.Endpoints() {
		h := s.serve(s.storeEndpoint(&e))
		for _, prefix := range request.Prefixes {
			r.Handle(prefix+e.Path, h).Methods(e.Method)
		}
	}

	// A matcher in place of Methods, so that a POST to / is answered with 404 and not with
	// 405: such a client has a wrong base URL.
	r.Handle("/", http.HandlerFunc(s.own.Greet)).MatcherFunc(func(r *http.Request, _ *mux.RouteMatch) bool { return admin.IsGreeting(r) })

	r.NotFoundHandler = s.serve(func(x *exchange) { x.fail(unknownURL(x.r)) })
	r.MethodNotAllowedHandler = s.serve(func(x *exchange) { x.fail(wrongMethod(allowed(r, x.r))) })
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
		list = append(list, admin.Endpoint{Method: http.MethodPost, Path: "/v1" + on.Path(), Does: "answers from the scenarios, streamed or not"})
	}
	for _, e := range stored.Endpoints() {
		list = append(list, admin.Endpoint{Method: e.Method, Path: "/v1" + e.Path, Does: e.Does})
	}
	return append(list,
		admin.Endpoint{Method: http.MethodGet, Path: "/v1/responses", Does: "opens a WebSocket connection for requests to /v1/responses"},
		admin.Endpoint{Method: http.MethodPost, Path: "/v1/responses/input_tokens", Does: "counts the tokens of a request to /v1/responses"},
		admin.Endpoint{Method: http.MethodPost, Path: "/v1/responses/compact", Does: "gives a short input in place of a long one"},
		admin.Endpoint{Method: http.MethodGet, Path: "/v1/models", Does: "lists the models that can be asked for"},
		admin.Endpoint{Method: http.MethodGet, Path: "/v1/models/{id}", Does: "shows a model that can be asked for"})
})
