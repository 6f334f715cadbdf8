package server

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/admin"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/realtime"
)

type endpoint struct {
	method, path string   // path is the path without its prefix, method can be queried.
	prefixes     []string // prefixes are the prefixes that the path can have.
	does         string   // does describes the endpoint in the list of endpoints; "" leaves it out.
	answer       func(*Server, *exchange)
}

// queried is the method of a GET that makes a request in its query, with [Config.AllowGet].
const queried = "GET in a query"

type methods map[string]endpoint

// ServeHTTP makes methods a handler, which routes must have. It is never called: see
// [Server.endpoint].
func (methods) ServeHTTP(http.ResponseWriter, *http.Request) {}

// endpoints are all endpoints, in the order of the list.
var endpoints = sync.OnceValue(func() (list []endpoint) {
	var gets []endpoint // gets are the endpoints of requests in a query, which are there only with [Config.AllowGet].
	for i, on := range answer.All() {
		info, does := on.Info(), "answers from the scenarios"
		e := endpoint{http.MethodPost, info.Path, request.ModelPrefixes(info.OnDeployments), does, func(s *Server, x *exchange) { s.answer(x, on) }}
		switch {
		case info.OverWebSocket:
			e.does, e.answer = "", answerOverWebSocket(on)
		case i < len(answer.Surfaces()):
			e.does += ", streamed or not"
			if on != answer.SurfaceNamed(upgradable.Info().Name) { // where upgrade takes them
				gets = append(gets, endpoint{queried, e.path, e.prefixes, "", e.answer})
			}
		}
		list = append(list, e)
	}
	played := len(list)
	all := request.Prefixes()
	for _, e := range stored.Endpoints() {
		prefixes := map[bool][]string{true: all[:3], false: all}[e.OfCompletions()] // below Azure's older prefix, they are those of a deployment
		list = append(list, endpoint{e.Method, e.Path, prefixes, e.Does, unscripted(func(s *Server, x *exchange) { s.answerFromStore(x, &e) })})
	}
	path, prefixes := upgradable.Info().Path, request.ModelPrefixes(upgradable.Info().OnDeployments)
	list = append(list,
		endpoint{http.MethodGet, path, prefixes, "opens a WebSocket connection for requests to /v1" + path, (*Server).upgrade},
		endpoint{http.MethodPost, path + "/input_tokens", prefixes, "counts the tokens of a request to /v1" + path, unscripted((*Server).countInput)},
		endpoint{http.MethodGet, realtime.Path, all, "opens a WebSocket connection for a realtime session", (*Server).realtime},
		endpoint{http.MethodPost, realtime.Path + "/client_secrets", all, "gives a key for one realtime session", unscripted((*Server).clientSecret)},
		endpoint{http.MethodGet, "/models", all, "lists the models that can be asked for", unscripted((*Server).listModels)},
		endpoint{http.MethodGet, "/models/{id:.+}", all, "shows a model that can be asked for", unscripted((*Server).oneModel)},
		endpoint{http.MethodDelete, "/models/{id:.+}", all, "deletes a model that is not one of OpenAI's", unscripted((*Server).oneModel)})
	for i := range list[played:] {
		e := &list[played+i]
		e.answer = onOtherPath(e.answer, false)
	}
	list = append(list, endpoint{http.MethodPost, path + "/compact", prefixes, "", noEndpoint}) // it has the form of a response's path
	return append(list, gets...)
})

// noEndpoint answers a request to a path that this server does not play.
var noEndpoint = onOtherPath(func(s *Server, x *exchange) { x.fail(unknownURL(x.r, s.config.Strict)) }, true)

// router finds the endpoints of a path. All servers of a process share it, because it takes longer
// to make than a server.
var router = sync.OnceValue(func() *mux.Router {
	byPath := map[string]methods{}
	for _, e := range endpoints() {
		if byPath[e.path] == nil {
			byPath[e.path] = methods{}
		}
		byPath[e.path][e.method] = e
	}
	r := mux.NewRouter()
	for _, path := range slices.Sorted(maps.Keys(byPath)) { // words come before variables
		r.Handle(path, byPath[path])
	}
	return r
})

// endpoint returns the function that answers a request, and the variables of the request's
// path. Paths are looked up without their prefix, so that each has one route, and escaped,
// because the id of a model may contain a slash. A POST to / has no endpoint: such a client has a
// wrong base URL.
func (s *Server) endpoint(r *http.Request) (answer func(*Server, *exchange), vars map[string]string) {
	prefix, path := request.CutPrefix(r.URL.EscapedPath())
	var at struct { // one allocation
		url     url.URL
		request http.Request
		match   mux.RouteMatch
	}
	at.url.Path, at.request.URL = path, &at.url
	var of methods
	if router().Match(&at.request, &at.match) {
		of = at.match.Handler.(methods)
	}
	has := func(e endpoint) bool {
		return slices.Contains(e.prefixes, prefix) && (e.method != queried || s.config.AllowGet)
	}
	if e := of[queried]; r.Method == http.MethodGet && has(e) {
		return e.answer, nil
	}
	if e := of[r.Method]; has(e) {
		return e.answer, at.match.Vars
	}
	var allowed []string
	for _, method := range []string{http.MethodGet, http.MethodPost, http.MethodPut, http.MethodDelete} {
		if has(of[method]) || method == http.MethodGet && has(of[queried]) {
			allowed = append(allowed, method)
		}
	}
	if len(allowed) > 0 {
		return onOtherPath(func(_ *Server, x *exchange) { x.fail(wrongMethod(allowed)) }, true), nil
	}
	return noEndpoint, nil
}

func (s *Server) newAdmin() *admin.Handler {
	return admin.New(admin.Fake{
		Server: s, Journal: s.journal, JournalSize: s.config.JournalSize, Holds: s.holds, Counters: s.counters, Limiter: s.limiter, Logger: s.config.Logger,
		MaxBody: s.config.MaxBody, Token: s.config.AdminToken, Hosts: s.config.AdminHosts, HealthOnly: s.config.NoAdmin, ShowSecrets: s.config.ShowSecrets, Played: played(), Metrics: s.config.Metrics,

		Draining:     s.draining.Load,
		WhileServing: s.whileServing,
		HoldNames:    s.holdNames,
		CheckHold:    s.checkHold,
		DefaultFor:   func(apiKey string) string { return s.config.defaultFor(s.catalogOf(apiKey).withOwn) },
		ScenariosFor: func(apiKey string) *scenarios.Set { return s.catalogOf(apiKey).set },
		TraceOf:      s.traceOf,
		AsScenario:   s.config.AsScenario,
		Sends:        Sends,
		Try:          s.try,
	})
}

// played lists the endpoints of OpenAI's API that the server has, with the prefix /v1.
var played = sync.OnceValue(func() (list []admin.Endpoint) {
	for _, e := range endpoints() {
		if e.does != "" {
			list = append(list, admin.Endpoint{Method: e.method, Path: "/v1" + strings.ReplaceAll(e.path, ":.+}", "}"), Does: e.does})
		}
	}
	return list
})

// onOtherPath returns a function that answers a request to a path which is that of no API: from the scenarios
// that have a condition on the path or, if none of them answers, with otherwise. Missing says that otherwise
// has no answer either, so that the client is told why no scenario answered.
func onOtherPath(otherwise func(*Server, *exchange), missing bool) func(*Server, *exchange) {
	return func(s *Server, x *exchange) {
		from := s.catalogOf(x.entry.APIKey)
		method := x.r.Method
		if missing {
			method = "" // a scenario for another method is told
		}
		if !from.answersPath(x.r, method) {
			otherwise(s, x)
			return
		}
		if e := x.authorize(); e != nil {
			x.fail(e)
			return
		}
		x.entry.Surface = scenarios.SurfaceOther
		req, e := s.readRequest(x, answer.Other)
		if e != nil {
			x.fail(e)
			return
		}
		if named := from.set.Lookup(req.Scenario); named != nil && !named.AnswersElsewhere() {
			req.Scenario = "" // a client names its scenario with all of its requests
		}
		if missing || s.matches(x, from, req) {
			s.answerFrom(x, from, answer.Other, req)
			return
		}
		x.entry.Surface, x.entry.Request, x.entry.Chance = "", nil, nil
		x.r.Body = io.NopCloser(bytes.NewReader(x.entry.Body))
		otherwise(s, x)
	}
}

// answersPath reports whether a scenario of the catalog has a condition on the path that holds for the request, and
// can answer the method. The method "" stands for any.
func (c *catalog) answersPath(r *http.Request, method string) bool {
	asked := scenarios.Request{Surface: scenarios.SurfaceOther}
	err := request.SetPath(&asked, method, r.URL.EscapedPath())
	return err == nil && c.set.AnswersPath(&asked)
}

func (s *Server) matches(x *exchange, from *catalog, req *scenarios.Request) bool {
	sel, _ := from.set.Match(x.ctx, req, x, s.config.defaultFor(from.withOwn), s.config.Seed)
	return sel != nil
}
