package server

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// countInput answers how many tokens the input of a request to the Responses API has.
// These tokens do not count against limits, because no model reads them.
func (s *Server) countInput(x *exchange) {
	if req := s.readInput(x, func(*scenarios.Request) int { return 0 }); req != nil {
		x.admission.End() // before the client can send its next request
		x.replyJSON(responses.InputTokens(req))
	}
}

// compactInput answers POST /v1/responses/compact: a short input that stands for a longer
// one.
func (s *Server) compactInput(x *exchange) {
	req := s.readInput(x, func(req *scenarios.Request) int { return req.PromptTokens })
	if req == nil {
		return
	}
	if err := responses.CheckCompact(req); err != nil {
		x.cancelAdmission()
		x.fail(badRequest(err))
		return
	}
	x.requestIDText() // draws x.requestID
	drawn := rand.New(rand.NewPCG(binary.LittleEndian.Uint64(x.requestID[:]), binary.LittleEndian.Uint64(x.requestID[8:])))
	v, tokens := responses.Compact(req, req.Time.Unix(), drawn)
	x.admission.Spend(tokens)
	x.admission.End()
	x.replyJSON(v)
}

// readInput reads a request to input_tokens or compact, which no scenario answers, checks
// it, and counts it against the limits of the server. It returns nil if it has refused the
// request. The request does not count as an attempt at a response with the same body.
func (s *Server) readInput(x *exchange, tokens func(*scenarios.Request) int) *scenarios.Request {
	var req *scenarios.Request
	e := s.authorize(x.r)
	if e == nil {
		req, e = s.parseRequest(x, upgradable)
	}
	if e == nil && responses.Previous(req) != "" && req.Body.Get("input").IsAbsent() {
		req.Body.Set("input", ojson.Array()) // these endpoints need no input beside a previous response
	}
	if e == nil {
		x.entry.Note = "the server answers this endpoint by itself; no scenario is asked"
		s.journal.Put(&x.entry)
		sel := &scenarios.Selection{Request: req, Scenario: &scenarios.Scenario{}, Manner: &scenarios.Manner{}}
		e = s.checkAndAdmit(x, &answer.Asked{Selection: sel, Surface: upgradable, PromptTokens: tokens(req)})
	}
	if e != nil {
		x.fail(e)
		return nil
	}
	return req
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
