package server

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/catalog"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/plan"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/urls"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// answer is the way of a request that is answered on a surface: it is read, a
// reply is selected and taken, its answer is made, and played.
func (s *Server) answer(on surface.Surface) func(*exchange) {
	return func(x *exchange) {
		x.entry.Surface = on.Name()
		if e := s.authorize(x.r); e != nil {
			x.fail(e)
			return
		}
		req, e := s.readRequest(x, on)
		if e != nil {
			x.fail(e)
			return
		}
		s.give(x, s.catalogs.Load().Of(req.APIKey), on, req)
	}
}

// give answers with the reply that the catalog has for a request.
func (s *Server) give(x *exchange, catalog *catalog.Catalog, on surface.Surface, req *scenarios.Request) {
	asked, e := s.selectReply(x, catalog, on, req)
	if e != nil {
		x.fail(e)
		return
	}
	s.tellForgotten()
	x.entry.Scenario, x.entry.Reply = asked.Scenario.Name, asked.Index
	s.journal.Update(&x.entry)
	x.make(catalog, asked)
}

// make makes the answer of a reply that was taken, to be played.
func (x *exchange) make(catalog *catalog.Catalog, asked *answer.Asked) {
	a, err := catalog.Maker.Make(asked)
	if err != nil {
		x.admission.End() // before the client knows that it has its answer
		x.fail(unmade(err))
		return
	}
	x.entry.OutputTokens = a.Tokens - asked.PromptTokens
	x.admission.Spend(x.entry.OutputTokens)
	if x.keep(a, asked, catalog.Maker) && x.prepare(a, asked.Selection) {
		x.made = a
	}
}

// unmade is the answer to a request whose own answer could not be made.
func unmade(err error) *apiError {
	if errors.Is(err, script.ErrRequest) {
		return &apiError{Error: apierror.Bad("", "", "%v", err)}
	}
	return failure(err.Error())
}

// readRequest reads the body as a request to the surface and counts it.
func (s *Server) readRequest(x *exchange, on surface.Surface) (*scenarios.Request, *apiError) {
	body, e := x.readBody()
	if e != nil {
		return nil, e
	}
	var err error
	if x.r.Method == http.MethodGet {
		body, err = request.FromQuery(x.r.URL.RawQuery)
	}
	x.entry.Body = body
	var req *scenarios.Request
	if err == nil {
		req, err = parse(on, x.r.Header, body)
	}
	if err != nil {
		x.enterJournal()
		return nil, badRequest(err)
	}
	if req.Model == "" {
		req.Model = deployment(x.r)
		req.Scenario = request.ScenarioAskedFor(req)
	}
	if e := s.goOn(x, on, req); e != nil {
		x.enterJournal()
		return nil, e
	}
	sum := sha256.Sum256(body)
	req.Attempt = s.counters.Attempt(req.APIKey, sum)
	req.Time = s.clock(x.entry.Time)
	x.setRequestID(sum, req.Attempt)
	x.entry.Request = req
	x.enterJournal()
	return req, nil
}

// clock is what templates take for the time of a request: the creation time that
// answers bear, where that is fixed.
func (s *Server) clock(came time.Time) time.Time {
	if s.config.Created != 0 {
		return time.Unix(s.config.Created, 0)
	}
	return came
}

// deployment is the name that an Azure path gives to the model, or "".
func deployment(r *http.Request) string { return urls.Deployment(r.URL.EscapedPath()) }

// selectReply selects the reply for a request, checks the request where that is
// asked for, and takes the reply.
func (s *Server) selectReply(x *exchange, from *catalog.Catalog, on surface.Surface, req *scenarios.Request) (*answer.Asked, *apiError) {
	var asked *answer.Asked
	var refusal *apiError
	check := func(sel *scenarios.Selection) error {
		x.giveBack() // another request took the reply that was selected before
		asked = answer.Ask(on, sel, isAzure(x.r))
		if x.turn != nil {
			asked.AsMessages()
		}
		if refusal = s.check(x.r, sel.Scenario, on, req); refusal == nil {
			refusal = s.checkModel(x.r, on, sel, from)
		}
		if refusal == nil {
			refusal = cannotSay(from.Maker.Sayable(asked))
		}
		if refusal == nil {
			refusal = s.admit(x, asked)
		}
		if refusal != nil {
			return errRefused
		}
		return nil
	}
	_, none, err := answer.Select(from.Set, req, s.counters, s.config.Default, s.config.Seed, check)
	switch {
	case none != nil:
		x.giveBack()
		if e := s.check(x.r, &scenarios.Scenario{}, on, req); e != nil {
			return nil, e
		}
		return nil, unmatched(none)
	case err != nil:
		return nil, refusal
	}
	asked.Selection.Context = x.ctx
	return asked, nil
}

// admit counts the request against its limits, or refuses it for one of them. It is
// asked last, so that what is refused for another reason counts nothing, and before
// the reply is taken, so that what is refused here takes nothing.
func (s *Server) admit(x *exchange, asked *answer.Asked) *apiError {
	req := asked.Request
	x.rules = s.limitRules(req.Model, asked.Scenario)
	var refused *limits.Refusal
	if x.admission, refused = s.limiter.Admit(req.APIKey, x.rules, asked.PromptTokens); refused != nil {
		return x.beyond(refused, asked)
	}
	now := x.admission.Status()
	asked.Spending = scenarios.Spending{
		Requests: now.Requests.Used, RemainingRequests: now.Requests.Remaining,
		Tokens: now.Tokens.Used, RemainingTokens: now.Tokens.Remaining,
	}
	return nil
}

// giveBack takes an admission back of which nothing came.
func (x *exchange) giveBack() {
	x.admission.Cancel()
	x.admission = nil
}

// limitRules are the limits that count for a request to a model that a scenario
// answers; nil is none. The first is what is told where nothing is limited.
func (s *Server) limitRules(model string, by *scenarios.Scenario) []limits.Rule {
	rules := onlyTold
	for i := range s.config.Limits {
		if l := &s.config.Limits[i]; l.Model == "" || scenarios.MatchesModel(l.Model, model) {
			rules = append(rules, limits.Rule{Of: l.of(), Limits: l.Limits})
		}
	}
	if by != nil && !by.Limits.IsZero() {
		rules = append(rules, limits.Rule{Of: ofScenario(by.Name), Limits: by.Limits})
	}
	return rules
}

// onlyTold is what counts where nothing is limited. It has no room for more, so that
// nothing is ever added to it.
var onlyTold = []limits.Rule{limits.Default()}

// ofScenario is what a scenario's limits limit, in words.
func ofScenario(name string) string { return "scenario " + name }

// beyond is the answer to a request that goes beyond a limit.
func (x *exchange) beyond(r *limits.Refusal, asked *answer.Asked) *apiError {
	x.entry.Limit = r.Limited()
	e := &apiError{problem: r.Problem(), header: r.Header()}
	e.Error = r.Answer(cmp.Or(asked.Request.Model, asked.Surface.DefaultModel()))
	if isAzure(x.r) && !r.TooLarge() {
		e.Error = apierror.AzureRateLimited(asked.Surface.Name(), x.r.URL.Query().Get("api-version"), r.Unit == limits.Tokens, e.header.Get("Retry-After"))
	}
	return e
}

// errRefused is why no reply is taken for a request that is refused.
var errRefused = errors.New("the request is refused")

// cannotSay is the error answer to a request whose reply does not hold the answer
// that it wants.
func cannotSay(err error) *apiError {
	if err == nil {
		return nil
	}
	e := &apiError{Error: apierror.Bad("", apierror.CodeUnsayable, "%v", err), unmatched: true}
	if _, ok := errors.AsType[*answer.TooFewChoices](err); ok {
		e.Error = apierror.Bad("n", apierror.CodeChoices, "%v", err)
	}
	e.header = http.Header{"X-Should-Retry": {"false"}}
	return e
}

// badRequest is the answer to a request with which something is wrong. What the
// error says beyond its answer is for the journal.
func badRequest(err error) *apiError {
	wrong, ok := errors.AsType[*apierror.Error](err)
	if !ok {
		wrong = apierror.Bad("", "", "%v", err)
	}
	return &apiError{Error: wrong, problem: err.Error()}
}

// unmatched is the answer to a request that no scenario speaks for.
func unmatched(none *scenarios.NoMatch) *apiError {
	why := whyUnmatched(none)
	return &apiError{
		Error:     apierror.Refusal(http.StatusNotFound, apierror.CodeUnmatched, "No scenario answers this request: "+why),
		problem:   "no scenario answers this request: " + why,
		unmatched: true,
	}
}

func whyUnmatched(none *scenarios.NoMatch) string {
	if none.Scenario == "" {
		return none.Reason
	}
	return fmt.Sprintf("the nearest is %q: %s", none.Scenario, none.Reason)
}

// play plays the answer that was made, if there is one, and records how that went. What
// it and its callers have on the stack is held by each stream that waits for its next
// frame: the way to the answer is behind it.
func (x *exchange) play() {
	a, out := x.made, &x.sink
	if a == nil {
		return
	}
	x.made = nil
	defer out.gate.Leave()
	to, at, release := x.follow(a, out)
	defer release()
	if x.awaitBody(a, out) {
		x.record(a, out, player.Play(x.ctx, a.Program, a.Values, to, at, x.server.config.Speed))
	}
	a.Release()
}

// prepare tells what is known of an answer before it is played. False says that there is
// nothing to play.
func (x *exchange) prepare(a *answer.Answer, sel *scenarios.Selection) bool {
	if sel.Manner.Wire.Connection == "close_on_reuse" {
		if x.conn == nil {
			x.fail(noConnection(sel.Scenario.Name))
			return false
		}
		x.closeOnReuse(sel.Scenario.Name)
	}
	d, ending := &x.entry.Delivery, &a.Program.Ending
	d.Planned = plan.FrameCount(a.Program)
	x.entry.Chance = a.Program.Chance
	x.incomplete = plan.EndsIncomplete(a.Program)
	x.endsEarly = ending.Kind == player.EndOrderly && ending.Authored
	if x.turn != nil && a.Streams {
		x.turn.Streams()
	}
	x.hasShutdownEvent.Store(len(a.Shutdown) > 0)
	if plan.Take(x.ctx, a) {
		d.Ended = journal.EndedComplete
		return false
	}
	x.sink.begin(x, a)
	x.server.holds.Enter(&x.sink.gate, holds.Stream{Request: x.entry.ID, Scenario: sel.Scenario.Name, Reply: sel.Index, APIKey: sel.Request.APIKey}, &x.sent)
	return true
}

// follow is the sink and the gate of an answer: one that is kept is told how far it is,
// and one that is made in the background is waited for until release is called.
func (x *exchange) follow(a *answer.Answer, out *sink) (to player.Sink, at player.Gate, release func()) {
	to, at, release = out, &out.gate, func() {}
	if x.kept != nil {
		to = keeping{out, plan.LastEvent(a.Program)}
	}
	if x.kept != nil && x.kept.InBackground() {
		at = x.kept.Follow()
		x.ctx, release = x.kept.WhileMade(x.ctx)
	}
	return to, at, release
}

// awaitBody waits until the body begins, and sends the header if it does not come with
// it. False says that the answer is over.
func (x *exchange) awaitBody(a *answer.Answer, out *sink) bool {
	x.err = player.Pause(x.ctx, a.Program, x.server.config.Speed)
	if x.err == nil && plan.WaitsBeforeBody(a.Program) {
		out.writeHeader()
		x.err = x.flush()
	}
	if x.err != nil {
		x.abort = !x.sendShutdown(a, out, &player.Report{})
	}
	return x.err == nil
}

// record records how an answer was played, and ends what the server's end broke off.
func (x *exchange) record(a *answer.Answer, out *sink, report *player.Report) {
	d := &x.entry.Delivery
	switch {
	case report.Err != nil && x.endsWithKept():
		d.Ended = journal.EndedComplete
	case report.Err != nil:
		x.err, x.abort = report.Err, !x.sendShutdown(a, out, report)
	case a.Program.Ending.Authored:
		d.Ended = journal.EndedAsAuthored
	default:
		d.Ended = journal.EndedComplete
	}
}
