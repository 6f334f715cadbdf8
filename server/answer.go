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
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// answer answers a request to a surface. It reads the request, selects and takes a reply,
// and makes the answer; run plays it.
func (s *Server) answer(x *exchange, on surface.Surface) {
	x.entry.Surface = on.Info().Name
	if e := s.authorize(x.r); e != nil {
		x.fail(e)
		return
	}
	req, e := s.readRequest(x, on)
	if e != nil {
		x.fail(e)
		return
	}
	s.answerFrom(x, s.catalogs.Load().Of(req.APIKey), on, req)
}

// answerFrom makes the answer to a request from the reply that the catalog has for it.
func (s *Server) answerFrom(x *exchange, catalog *catalog.Catalog, on surface.Surface, req *scenarios.Request) {
	asked, e := s.selectReply(x, catalog, on, req)
	if e != nil {
		x.fail(e)
		return
	}
	x.entry.Scenario, x.entry.Reply = asked.Scenario.Name, asked.Index
	s.journal.Put(&x.entry)
	x.makeAnswer(catalog, asked)
}

// makeAnswer makes the answer from a reply that was taken, and leaves it in made.
func (x *exchange) makeAnswer(catalog *catalog.Catalog, asked *answer.Asked) {
	asked.Draw = x.draw(asked)
	a, err := catalog.Maker.Make(asked)
	if err != nil {
		x.admission.End() // before the client can send its next request
		x.fail(makingFailed(err))
		return
	}
	x.entry.OutputTokens = a.Tokens - asked.PromptTokens
	x.admission.Spend(x.entry.OutputTokens)
	if x.keepAnswer(a, asked, catalog.Maker) && x.prepare(a, asked.Selection) {
		x.made = a
	}
}

// draw counts an answer that is kept, so that equal ones get ids of their own. It returns 0 for
// an answer that is not kept.
func (x *exchange) draw(asked *answer.Asked) int {
	req := asked.Request
	if _, keeper := asked.Surface.(surface.Keeper); !keeper || asked.Reply.Error != nil || !x.server.store.Wants(req, x.lane) {
		return 0
	}
	from := sha256.Sum256(fmt.Appendf(nil, "%x %d %s", x.bodySum, len(req.Before), asked.Scenario.Name))
	return x.server.counters.Draw(req.APIKey, from, req.Stream && x.r.Header.Get("Last-Event-Id") != "")
}

// makingFailed is the error answer in place of an answer that could not be made.
func makingFailed(err error) *apiError {
	if errors.Is(err, script.ErrRequest) {
		return &apiError{Error: apierror.Bad("", "", "%v", err)}
	}
	return failure(err.Error())
}

// readRequest reads the body as a request to the surface, counts it as an attempt and
// enters it in the journal.
func (s *Server) readRequest(x *exchange, on surface.Surface) (*scenarios.Request, *apiError) {
	req, e := s.parseRequest(x, on)
	if e != nil {
		return nil, e
	}
	x.bodySum = sha256.Sum256(x.entry.Body)
	req.Attempt = s.counters.Attempt(req.APIKey, x.bodySum)
	x.setRequestID(x.bodySum, req.Attempt)
	x.enterJournal()
	return req, nil
}

// parseRequest reads the body as a request to the surface, with the stored items that it
// continues.
func (s *Server) parseRequest(x *exchange, on surface.Surface) (*scenarios.Request, *apiError) {
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
		req, err = on.Read(x.r.Header, body)
	}
	if err != nil {
		return nil, badRequest(err)
	}
	if req.Model == "" {
		req.Model = deployment(x.r)
		req.Scenario = request.ScenarioAskedFor(req)
	}
	if e := s.addStoredItems(x, on, req); e != nil {
		return nil, e
	}
	req.Time = s.clock(x.entry.Time)
	x.entry.Request = req
	return req, nil
}

// clock is the time of a request for templates: [Config.Created] if that is set, otherwise
// when the request came.
func (s *Server) clock(came time.Time) time.Time {
	if s.config.Created != 0 {
		return time.Unix(s.config.Created, 0)
	}
	return came
}

// deployment is the name of the deployment in a path of Azure; "" for other paths.
func deployment(r *http.Request) string { return request.Deployment(r.URL.EscapedPath()) }

// selectReply selects the reply for a request, checks the request if the scenario or the
// server is strict, counts it against its limits, and takes the reply.
func (s *Server) selectReply(x *exchange, from *catalog.Catalog, on surface.Surface, req *scenarios.Request) (*answer.Asked, *apiError) {
	var asked *answer.Asked
	var refusal *apiError
	check := func(sel *scenarios.Selection) error {
		x.cancelAdmission() // this is a second try: another request took the reply that was selected first
		asked = answer.Ask(on, sel, isAzure(x.r))
		if x.turn != nil {
			asked.AsMessages()
		}
		if refusal = s.check(x.r, sel.Scenario, on, req); refusal == nil {
			refusal = s.checkModel(x.r, on, sel, from)
		}
		if refusal == nil {
			refusal = unsayable(from.Maker.Sayable(asked))
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
		x.cancelAdmission()
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

// admit counts the request against its limits, or refuses it for one of them. It is the
// last check, so that a request which another check refuses counts nothing. It comes
// before the reply is taken, so that a request which it refuses takes nothing.
func (s *Server) admit(x *exchange, asked *answer.Asked) *apiError {
	req := asked.Request
	x.rules = s.limitRules(req.Model, asked.Scenario)
	var refused *limits.Refusal
	if x.admission, refused = s.limiter.Admit(req.APIKey, x.rules, asked.PromptTokens); refused != nil {
		return x.rateLimited(refused, asked)
	}
	now := limits.Unlimited
	if x.admission != nil {
		now = x.admission.Status
	}
	asked.Spending = scenarios.Spending{
		Requests: now.Requests.Used, RemainingRequests: now.Requests.Remaining,
		Tokens: now.Tokens.Used, RemainingTokens: now.Tokens.Remaining,
	}
	return nil
}

// cancelAdmission cancels the admission, as if the request had not come.
func (x *exchange) cancelAdmission() {
	x.admission.Cancel()
	x.admission = nil
}

// limitRules are the limits that count for a request to a model: those of the server and the
// model, and those of the scenario, which may be nil.
func (s *Server) limitRules(model string, by *scenarios.Scenario) []limits.Rule {
	var rules []limits.Rule
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

// ofScenario names the limits of a scenario: see [limits.Rule].
func ofScenario(name string) string { return "scenario " + name }

// rateLimited is the 429 for a request that goes beyond a limit.
func (x *exchange) rateLimited(r *limits.Refusal, asked *answer.Asked) *apiError {
	x.entry.Limit = r.Limited()
	e := &apiError{problem: r.Problem(), header: r.Header()}
	e.Error = r.Answer(cmp.Or(asked.Request.Model, asked.Surface.Info().DefaultModel))
	if isAzure(x.r) && !r.TooLarge() {
		e.Error = apierror.AzureRateLimited(asked.Surface.Info().AzureOperation, x.r.URL.Query().Get("api-version"), r.Unit == limits.Tokens, e.header.Get("Retry-After"))
	}
	return e
}

// errRefused lets answer.Select take no reply. The caller has the refusal itself.
var errRefused = errors.New("the request is refused")

// unsayable is the 400 for a request whose reply cannot be said on its surface, or has
// fewer choices than the request wants. It is nil if err is.
func unsayable(err error) *apiError {
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

// badRequest is the answer to a request for which err was returned: the [apierror.Error]
// that err wraps, or a 400 with its text. The journal gets all of the text of err.
func badRequest(err error) *apiError {
	wrong, ok := errors.AsType[*apierror.Error](err)
	if !ok {
		wrong = apierror.Bad("", "", "%v", err)
	}
	return &apiError{Error: wrong, problem: err.Error()}
}

// unmatched is the 404 for a request that no scenario answers.
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

// play plays the answer that was made, if there is one, and records how it ended. A stream
// that waits for its next frame holds the stack of play and of its callers: so play is
// called after answer has returned, and not by it.
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

// prepare records what is known of an answer before it is played. It returns false if
// there is nothing to play.
func (x *exchange) prepare(a *answer.Answer, sel *scenarios.Selection) bool {
	if sel.Manner.Wire.Connection == "close_on_reuse" {
		if x.conn == nil {
			x.fail(noConnection(sel.Scenario.Name))
			return false
		}
		x.closeOnReuse(sel.Scenario.Name)
	}
	d, ending := &x.entry.Delivery, &a.Program.Ending
	d.Planned = frameCount(a.Program)
	x.entry.Chance = a.Program.Chance
	x.incomplete = endsIncomplete(a.Program)
	x.endsEarly = ending.Kind == player.EndOrderly && ending.Authored
	if x.turn != nil && a.Streams {
		x.turn.Streams()
	}
	x.hasShutdownEvent.Store(len(a.Shutdown) > 0)
	if takePlan(x.ctx, a) {
		d.Ended = journal.EndedComplete
		return false
	}
	x.sink.begin(x, a)
	x.server.holds.Enter(&x.sink.gate, holds.Stream{Request: x.entry.ID, Scenario: sel.Scenario.Name, Reply: sel.Index, APIKey: sel.Request.APIKey}, &x.sent.Bytes)
	return true
}

// follow returns the sink and the gate with which an answer is played. Those of an answer
// that is kept tell the store how far it is; one that is made in the background is played
// no faster than it is made. The caller must call release.
func (x *exchange) follow(a *answer.Answer, out *sink) (to player.Sink, at player.Gate, release func()) {
	to, at, release = out, &out.gate, func() {}
	if x.kept != nil {
		to = keptSink{out, lastEvent(a.Program)}
	}
	if x.kept != nil && x.kept.InBackground() {
		at = x.kept.Follow()
		x.ctx, release = x.kept.WhileMade(x.ctx)
	}
	return to, at, release
}

// awaitBody waits for the delay of the header, and sends the header at once if the first
// byte of the body comes later. It returns false if the answer ends here.
func (x *exchange) awaitBody(a *answer.Answer, out *sink) bool {
	x.err = player.Pause(x.ctx, a.Program, x.server.config.Speed)
	if x.err == nil && waitsBeforeBody(a.Program) {
		out.writeHeader()
		x.err = x.flush()
	}
	if x.err != nil {
		x.abort = !x.sendShutdown(a, out, &player.Report{})
	}
	return x.err == nil
}

// record records how playing an answer ended. If the server shut down, it sends the
// shutdown event.
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
