package server

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// countInput answers how many tokens the input of a request to the Responses API has, which no
// scenario answers. These tokens do not count against limits, because no model reads them, and the
// request does not count as an attempt at a response with the same body.
func (s *Server) countInput(x *exchange) {
	var req *scenarios.Request
	e := s.authorize(x.r)
	if e == nil {
		req, e = s.parseRequest(x, upgradable)
	}
	if e == nil && responses.Previous(req) != "" && req.Body.Get("input").IsAbsent() {
		req.Body.Set("input", ojson.Array()) // the endpoint needs no input beside a previous response
	}
	if e == nil {
		x.entry.Note = "the server answers this endpoint by itself; no scenario is asked"
		s.journal.Put(&x.entry)
		sel := &scenarios.Selection{Request: req, Scenario: &scenarios.Scenario{}, Manner: &scenarios.Manner{}}
		e = s.checkAndAdmit(x, &answer.Asked{Selection: sel, Surface: upgradable})
	}
	if e != nil {
		x.fail(e)
		return
	}
	x.admission.End() // before the client can send its next request
	x.replyJSON(responses.InputTokens(req))
}

// checkAndAdmit checks a request that no scenario answers, and counts it against the limits of
// the server.
func (s *Server) checkAndAdmit(x *exchange, asked *answer.Asked) *apiError {
	req := asked.Request
	if e := s.check(x, asked.Scenario, asked.Surface, req, s.catalogOf(req.APIKey)); e != nil {
		return e
	}
	return s.admit(x, asked)
}
