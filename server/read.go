package server

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/secret"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// authorize returns OpenAI's or Azure's 401 for a request without one of [Config.APIKeys];
// nil if the request has one, or if every key is accepted.
func (x *exchange) authorize() *apiError {
	key, accepted := x.entry.APIKey, x.server.config.APIKeys
	if len(accepted) == 0 || slices.Contains(accepted, key) {
		return nil
	}
	e := missingKey(x.r)
	if key != "" {
		e.problem = "the API key " + secret.Mask(key) + " is not one of the accepted keys"
	}
	if key != "" && !request.IsAzure(x.r) {
		e.Error = apierror.WrongKey(key)
	}
	return e
}

func missingKey(r *http.Request) *apiError {
	if request.IsAzure(r) {
		return &apiError{Error: apierror.AzureKey()}
	}
	return &apiError{Error: apierror.MissingKey(), header: http.Header{"Vary": {"Origin"}}}
}

// readBody reads the request's body up to the limit in size and time. If Content-Length is
// above the limit, nothing is read.
func (x *exchange) readBody() ([]byte, *apiError) {
	limit := x.server.config.MaxBody
	if x.r.ContentLength > limit {
		return nil, bodyTooLarge(limit)
	}
	from := x.r.Body
	if x.r.ContentLength <= 0 { // net/http ends a body at its Content-Length
		from = http.MaxBytesReader(x.w, from, limit)
	}
	body, err := request.ReadAll(from, x.r.ContentLength)
	if err == nil {
		return body, nil
	}
	_, tooLarge := errors.AsType[*http.MaxBytesError](err)
	switch {
	case tooLarge:
		return nil, bodyTooLarge(limit)
	case x.server.serving.Err() != nil: // endWaits has set the deadline
		return nil, serverClosed
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, bodyTooSlow(x.server.config.BodyTimeout)
	}
	e := refusal(http.StatusBadRequest, apierror.CodeBodyUnreadable, fmt.Sprintf("The body of the request ended early: %v", err))
	e.header = http.Header{"Connection": {"close"}}
	return nil, e
}

// readRequest reads the body as a request to the surface, counts it as an attempt and
// enters it in the journal.
func (s *Server) readRequest(x *exchange, on surface.Surface) (*scenarios.Request, *apiError) {
	req, e := s.parseRequest(x, on)
	if e != nil {
		return nil, e
	}
	x.bodySum = sha256.Sum256(x.entry.Body)
	if req.Path != "" {
		x.bodySum = sha256.Sum256(fmt.Appendf(nil, "%s %s\n%s", req.Method, x.entry.Path, x.entry.Body))
	}
	req.Attempt = s.counters.Attempt(x.key, x.bodySum)
	x.drawID(x.bodySum, req.Attempt)
	s.journal.Put(&x.entry)
	return req, nil
}

// parseRequest reads the body as a request to the surface, with the stored items that it
// continues (previous_response_id, a conversation) and those that it refers to by their ids.
func (s *Server) parseRequest(x *exchange, on surface.Surface) (*scenarios.Request, *apiError) {
	body, e := x.readBody()
	if e != nil {
		return nil, e
	}
	var err error
	if x.r.Method == http.MethodGet && on != answer.Other {
		body, err = request.FromQuery(x.r.URL.RawQuery)
	}
	x.entry.Body = body
	var req *scenarios.Request
	if err == nil {
		req, err = on.Read(x.r.Header, body)
	}
	if err == nil && on == answer.Other {
		if err = request.SetPath(req, x.r.Method, x.r.URL.EscapedPath()); err == nil && len(body) == 0 {
			req.Body, err = request.ReadQuery(x.r.URL.RawQuery)
		}
		x.entry.Body = req.RawBody
	}
	if err != nil {
		return nil, badRequest(s.inOrder(on, req, err))
	}
	if req.Model == "" {
		req.Model = request.Deployment(x.r.URL.EscapedPath())
		req.Scenario = request.ScenarioAskedFor(req)
	}
	if wrong := s.goOn(on, req, x.lane); wrong != nil {
		return nil, s.notStored(wrong)
	}
	req.Time = s.clock(x.entry.Time)
	x.entry.Request = req
	return req, nil
}

// inOrder returns the error that the real service would find first in a request that could not be read.
func (s *Server) inOrder(on surface.Surface, req *scenarios.Request, err error) error {
	if req == nil || !s.config.Strict {
		return err
	}
	if wrong := on.Check(req); wrong != nil {
		return wrong
	}
	return err
}

// goOn adds to a request the stored items that it continues and refers to.
func (s *Server) goOn(on surface.Surface, req *scenarios.Request, lane *stored.Lane) *apierror.Error {
	keeper, ok := on.(surface.Keeper)
	if !ok {
		return nil
	}
	before, referred, wrong := s.store.Past(req, lane)
	if wrong != nil && s.config.Strict {
		wrong = cmp.Or(keeper.CheckMembers(req), wrong)
	}
	if wrong == nil && (before != nil || len(referred) > 0) {
		keeper.Continue(req, before, referred)
	}
	return wrong
}

// Continue adds to a request over HTTP the items that the server keeps of the response or
// conversation that the request continues. It reports false if the server does not know that.
func (s *Server) Continue(req *scenarios.Request) bool {
	return s.goOn(answer.SurfaceNamed(req.Surface), req, nil) == nil
}

// clock is the time of a request for templates: [Config.Created] if that is set, otherwise
// when the request came.
func (s *Server) clock(came time.Time) time.Time {
	if s.config.Created != 0 {
		return time.Unix(s.config.Created, 0)
	}
	return came
}

// check checks that the client has not deleted the model and, as far as the scenario or the server asks for it, the
// history and with strict all else. The history comes first, because the journal marks such an error as BadHistory.
// Of models those of the catalog, if there is one, are accepted, and all on paths of Azure, where they are deployments.
func (s *Server) check(x *exchange, by *scenarios.Scenario, on surface.Surface, req *scenarios.Request, from *catalog) *apiError {
	if from != nil && s.store.HasDeleted(req.APIKey, req.Model) {
		return &apiError{Error: on.Info().ModelNotFound(req.Model)}
	}
	refuses, notes := *cmp.Or(by.CheckHistory, &s.config.CheckHistory), s.config.NoteHistory && by.CheckHistory == nil
	if check := on.Info().CheckHistory; check != nil && (refuses || notes) {
		if err := check(req); err != nil {
			e := badRequest(err)
			e.badHistory = true
			if refuses {
				return e
			}
			x.entry.BadHistory, x.entry.Problem = true, e.problem
		}
	}
	if !*cmp.Or(by.Strict, &s.config.Strict) {
		return nil
	}
	if req.APIKey == "" {
		return missingKey(x.r)
	}
	if err := on.Check(req); err != nil {
		return badRequest(err)
	}
	if from != nil && on != answer.Other && req.Model != "" && !request.IsAzure(x.r) && !from.hasModel(req.Model) {
		return &apiError{Error: on.Info().ModelNotFound(req.Model)}
	}
	return nil
}
