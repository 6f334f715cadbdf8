package server

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"

	"github.com/gorilla/mux"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// chat answers POST /v1/chat/completions.
func (s *Server) chat(x *exchange) {
	if e := s.authorize(x.r); e != nil {
		x.fail(e)
		return
	}
	req, e := s.readRequest(x)
	if e != nil {
		x.fail(e)
		return
	}
	sel, e := s.choose(x, req)
	if e != nil {
		x.fail(e)
		return
	}
	x.record.Scenario, x.record.Reply = sel.Scenario.Name, sel.Index
	s.journal.Update(&x.record)
	a, err := s.prepare(req, sel)
	if err != nil {
		x.fail(ownFault(http.StatusInternalServerError, apierror.CodeInternal, err.Error()))
		return
	}
	x.play(a, sel)
}

// readRequest reads the body as a chat completions request and counts it.
func (s *Server) readRequest(x *exchange) (*scenarios.Request, *apiError) {
	body, e := x.readBody()
	if e != nil {
		return nil, e
	}
	x.record.Body = body
	req, err := request.Parse("chat", x.r.Header, body)
	if err != nil {
		x.note()
		return nil, badRequest(err)
	}
	if req.Model == "" {
		req.Model = deployment(x.r)
	}
	sum := sha256.Sum256(body)
	req.Attempt = s.counters.Attempt(req.APIKey, sum)
	x.requestID = requestID(s.config.Seed, x.r, sum, req.Attempt)
	x.record.Request = req
	x.note()
	return req, nil
}

// deployment is the name that an Azure path gives to the model, or "".
func deployment(r *http.Request) string {
	name, err := url.PathUnescape(mux.Vars(r)["deployment"])
	if err != nil {
		return ""
	}
	return name
}

// choose finds the reply for a request and, where that is asked for, checks the
// request.
func (s *Server) choose(x *exchange, req *scenarios.Request) (*scenarios.Selection, *apiError) {
	sel, miss := s.Scenarios().Match(req, s.counters, s.config.Default, s.config.Seed)
	if miss != nil {
		if e := s.check(&scenarios.Scenario{}, req); e != nil {
			return nil, e
		}
		return nil, unmatched(miss)
	}
	if e := s.check(sel.Scenario, req); e != nil {
		if sel.Reply.Times > 0 {
			s.counters.GiveBack(req.APIKey, sel.Scenario.Name, sel.Index)
		}
		return nil, e
	}
	if layout := &sel.Manner.Envelope.Layout; *layout == "" && isAzure(x.r) {
		*layout = scenarios.LayoutAzure
	}
	return sel, nil
}

// check finds what is wrong with a request, as far as the scenario or the server
// wants to know. The history comes first, for it is told apart in the journal.
func (s *Server) check(by *scenarios.Scenario, req *scenarios.Request) *apiError {
	if chosen(by.CheckHistory, s.config.CheckHistory) {
		if err := request.CheckHistory(req); err != nil {
			e := badRequest(err)
			e.history = true
			return e
		}
	}
	if chosen(by.Strict, s.config.Strict) {
		if err := request.Check(req); err != nil {
			return badRequest(err)
		}
	}
	return nil
}

// chosen is what the scenario says or, if it says nothing, the server.
func chosen(scenario *bool, server bool) bool {
	if scenario != nil {
		return *scenario
	}
	return server
}

// badRequest is the answer to a request with which something is wrong.
func badRequest(err error) *apiError {
	wrong, ok := errors.AsType[*apierror.Error](err)
	if !ok {
		wrong = apierror.Bad("", "", "%v", err)
	}
	return &apiError{Error: wrong}
}

// unmatched is the answer to a request that no scenario speaks for.
func unmatched(miss *scenarios.Miss) *apiError {
	why := miss.Reason
	if miss.Scenario != "" {
		why = fmt.Sprintf("the nearest is %q: %s", miss.Scenario, miss.Reason)
	}
	return &apiError{
		Error:   apierror.Refusal(http.StatusNotFound, apierror.CodeUnmatched, "No scenario answers this request: "+why),
		problem: "no scenario answers this request: " + why,
		unasked: true,
	}
}

// play plays an answer to the client and records how that went.
func (x *exchange) play(a *prepared, sel *scenarios.Selection) {
	gate := x.server.holds.Enter(holds.Stream{Request: x.record.ID, Scenario: sel.Scenario.Name, Reply: sel.Index, APIKey: sel.Request.APIKey})
	defer gate.Leave()
	if sel.Manner.Wire.Connection == "close_on_reuse" {
		if x.conn == nil {
			x.fail(noConnection(sel.Scenario.Name))
			return
		}
		x.closeOnReuse(sel.Scenario.Name)
	}
	d := &x.record.Delivery
	d.Planned = planned(a.program)
	x.record.Chance = a.program.Drawn
	x.partial = partial(a.program)
	x.polite.Store(len(a.farewell) > 0)
	out := &sink{x: x, status: a.status, header: a.header, gate: gate}
	x.err = player.Pause(x.ctx, a.program, x.server.config.Speed)
	if x.err == nil && silentFirst(a.program) {
		x.err = out.open()
	}
	if x.err != nil {
		x.abort = !x.takeLeave(a, out, player.Report{})
		return
	}
	report := player.Play(x.ctx, a.program, a.values, out, gate, x.server.config.Speed)
	d.Frames, d.Step = report.Frames, report.Step
	switch {
	case report.Err != nil:
		x.err, x.abort = report.Err, !x.takeLeave(a, out, report)
	case a.program.Ending.Authored:
		d.Ended = journal.EndedAsAuthored
	default:
		d.Ended = journal.EndedComplete
	}
}

// planned is how many frames there are to write: a frame that is cut into pieces
// counts once, and holds do not count.
func planned(p *player.Program) int {
	n := 0
	for i := range p.Frames {
		if f := &p.Frames[i]; f.Hold == "" && !f.More {
			n++
		}
	}
	return n
}

// partial reports whether a program, played to its end, is no whole answer.
func partial(p *player.Program) bool {
	switch p.Ending.Kind {
	case player.EndLinger:
	case player.EndOrderly:
		if p.Ending.Authored {
			return true // what says that the answer is complete is left out
		}
	default:
		return true
	}
	return slices.ContainsFunc(p.Frames, func(f player.Frame) bool { return f.Kind == string(script.KindError) })
}

// silentFirst reports whether something is to be waited for before the first
// byte of the body. The header does not wait: a client has its answer then, and
// reads.
func silentFirst(p *player.Program) bool {
	if p.Ending.Refuses() {
		return false
	}
	return len(p.Frames) == 0 || p.Frames[0].Hold != "" || p.Frames[0].Due > 0
}
