package server

import (
	"cmp"
	"encoding/binary"
	"math/rand/v2"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// countInput answers how many tokens the input of a request to the Responses API has.
// These tokens do not count against limits, because no model reads them.
func (s *Server) countInput(x *exchange) {
	on := responses.Surface{}
	if req := s.readWindow(x, on, func(*scenarios.Request) int { return 0 }); req != nil {
		x.admission.End() // before the client can send its next request
		x.replyJSON(responses.InputTokens(req))
	}
}

// compactInput answers POST /v1/responses/compact: a short input that stands for a longer
// one.
func (s *Server) compactInput(x *exchange) {
	on := responses.Surface{}
	req := s.readWindow(x, on, on.PromptTokens)
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

// readWindow reads a request to input_tokens or compact, which no scenario answers, checks
// it, and counts it against the limits of the server. It returns nil if it has refused the
// request. The request does not count as an attempt at a response with the same body.
func (s *Server) readWindow(x *exchange, on responses.Surface, tokens func(*scenarios.Request) int) *scenarios.Request {
	if e := s.authorize(x.r); e != nil {
		x.fail(e)
		return nil
	}
	body, e := x.readBody()
	if e != nil {
		x.fail(e)
		return nil
	}
	x.entry.Body = body
	req, err := on.Read(x.r.Header, body)
	if err != nil {
		x.fail(badRequest(err))
		return nil
	}
	req.Model = cmp.Or(req.Model, deployment(x.r))
	req.Time = s.clock(x.entry.Time)
	x.entry.Request = req
	x.enterJournal()
	if e := s.addStoredItems(x, on, req); e != nil {
		x.fail(e)
		return nil
	}
	sel := &scenarios.Selection{Request: req, Scenario: &scenarios.Scenario{}, Manner: &scenarios.Manner{}}
	if e = s.check(x.r, sel.Scenario, on, req); e == nil {
		e = s.checkModel(x.r, on, sel, s.catalogs.Load().Of(req.APIKey))
	}
	if e == nil {
		e = s.admitWindow(x, &answer.Asked{Selection: sel, Surface: on, PromptTokens: tokens(req)})
	}
	if e != nil {
		x.fail(e)
		return nil
	}
	return req
}

func (s *Server) admitWindow(x *exchange, asked *answer.Asked) *apiError {
	x.rules = s.limitRules(asked.Request.Model, nil)
	admission, refused := s.limiter.Admit(asked.Request.APIKey, x.rules, asked.PromptTokens)
	if refused != nil {
		return x.rateLimited(refused, asked)
	}
	x.admission = admission
	return nil
}
