package server

import (
	"bytes"
	"io"
	"net/http"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// elsewhere returns a function that answers a request to a path which is that of no API: from the scenarios
// that have a condition on the path or, if none of them answers, with otherwise. Missing says that otherwise
// has no answer either, so that the client is told why no scenario answered.
func elsewhere(otherwise func(*Server, *exchange), missing bool) func(*Server, *exchange) {
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
		if e := s.authorize(x.r); e != nil {
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

// answersPath reports whether a scenario of the catalog has a condition on the path that holds for a request, and
// none on the method that does not hold for this one, "" being any.
func (c *catalog) answersPath(r *http.Request, method string) bool {
	asked := scenarios.Request{Surface: scenarios.SurfaceOther}
	err := request.SetPath(&asked, method, r.URL.EscapedPath())
	return err == nil && c.set.AnswersPath(&asked)
}

func (s *Server) matches(x *exchange, from *catalog, req *scenarios.Request) bool {
	sel, _ := from.set.Match(x.ctx, req, x, s.config.defaultFor(from.withOwn), s.config.Seed)
	return sel != nil
}
