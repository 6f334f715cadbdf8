package server

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/limits"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// answer answers a request to a surface, in this order: it reads the request, selects a reply,
// checks the request, takes the reply and makes the answer. Then run plays it.
func (s *Server) answer(x *exchange, on surface.Surface) {
	x.entry.Surface = on.Info().Name
	if e := x.authorize(); e != nil {
		x.fail(e)
		return
	}
	req, e := s.readRequest(x, on)
	if e != nil {
		x.fail(e)
		return
	}
	s.answerFrom(x, s.catalogOf(req.APIKey), on, req)
}

// answerFrom makes the answer to a request from the reply that the catalog has for it.
func (s *Server) answerFrom(x *exchange, from *catalog, on surface.Surface, req *scenarios.Request) {
	asked, e := s.takeReply(x, from, on, req)
	if e != nil {
		x.fail(e)
		return
	}
	x.entry.Scenario, x.entry.Reply = asked.Scenario.Name, asked.Index
	x.warnOfCalls(asked)
	s.journal.Put(&x.entry)
	x.makeAnswer(from, asked)
}

// takeReply selects the reply for a request, checks the request, and takes the reply. A request
// that a check refuses counts nothing and takes nothing. Limits come last of the checks, because
// they count the request.
func (s *Server) takeReply(x *exchange, from *catalog, on surface.Surface, req *scenarios.Request) (*answer.Asked, *apiError) {
	faults, wrong := x.faultsFor(from, req)
	if wrong != nil {
		return nil, wrong
	}
	for {
		x.entry.Chance, x.entry.Injected = nil, ""
		sel, none := from.set.Match(x.ctx, req, x, s.config.defaultFor(from.withOwn), s.config.Seed)
		if none != nil && s.config.Default != NoDefault {
			if plain := answer.PlainReply(from.set, req, s.config.Seed); plain != nil {
				sel, none = plain, nil
				x.entry.Note = "the server answers this by itself; no scenario does"
			}
		}
		switch {
		case none != nil && none.Unfinished:
			return nil, ownFault(http.StatusServiceUnavailable, apierror.CodeClosed, none.Reason) // nobody gets it
		case none != nil:
			return nil, cmp.Or(s.check(x, noScenario, on, req, nil), unmatched(none, x.r, on))
		}
		asked := x.ask(on, sel)
		if faults != nil {
			asked = faults.strike(asked)
		}
		if e := s.check(x, sel.Scenario, on, req, from); e != nil {
			return nil, e
		}
		if err := from.maker.Sayable(asked); err != nil {
			return nil, unsayable(err)
		}
		if asked.Reply.Listens() && x.turn == nil && s.config.Upgrade != nil {
			return nil, unsayable(fmt.Errorf("scenario %q, reply %d waits for a message of the client, which only clients of WebSocket connections send: connect to it", sel.Scenario.Name, sel.Index+1))
		}
		if e := s.admit(x, asked); e != nil {
			return nil, e
		}
		limit := sel.Reply.Times
		if faults.take() && (limit == 0 || faults.withholds() || s.counters.Take(x.key, sel.Scenario.Name, sel.Index, limit)) {
			asked.Selection.Context = x.ctx // what is built before is shared with other requests
			return asked, nil
		}
		x.cancelAdmission() // another request has taken the last one: another reply may answer
	}
}

// ask reads what the request wants of a selected reply.
func (x *exchange) ask(on surface.Surface, sel *scenarios.Selection) *answer.Asked {
	asked := answer.Ask(on, sel, request.IsAzure(x.r))
	if x.turn != nil {
		asked.AsMessages()
	}
	return asked
}

// Available reports whether the API key of the request can still get a reply: see [scenarios.Counter].
func (x *exchange) Available(scenario string, reply, limit int) bool {
	return x.server.counters.Available(x.key, scenario, reply, limit)
}

// Drawn reports whether the chance of a reply gives it to the request, and notes it for the journal.
func (x *exchange) Drawn(sel *scenarios.Selection) bool {
	drawn := isDrawn(sel)
	x.entry.Chance = append(x.entry.Chance, fmt.Sprintf("reply %d of %q: %s", sel.Index+1, sel.Scenario.Name, map[bool]string{true: "drawn", false: "not drawn"}[drawn]))
	return drawn
}

// isDrawn draws from the seed for a reply with a chance. Each attempt of a request draws
// for itself, and so does each of the replies.
func isDrawn(sel *scenarios.Selection) bool {
	return invent.RequestRand(sel, fmt.Sprint("reply ", sel.Index, " ", sel.Request.Attempt)).Float64() < *sel.Reply.Chance
}

// noScenario says nothing, so that the server's own settings hold.
var noScenario = &scenarios.Scenario{}

// admit counts the request against its limits, or refuses it for one of them.
func (s *Server) admit(x *exchange, asked *answer.Asked) *apiError {
	req, now := asked.Request, limits.Unlimited
	if x.rules = s.limitRules(req.Model, asked.Scenario); len(x.rules) > 0 {
		admission, refused := s.limiter.Admit(req.APIKey, x.rules, asked.PromptTokens)
		if refused != nil {
			return x.rateLimited(refused, asked)
		}
		x.admission, now = admission, admission.Status
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
			rules = append(rules, limits.Rule{Of: l.limited(), Limits: l.Limits})
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
	e.Error = r.Answer(cmp.Or(asked.Request.Model, asked.Surface.Info().DefaultModel, asked.Request.Path))
	if request.IsAzure(x.r) && !r.TooLarge() {
		e.Error = apierror.AzureRateLimited(asked.Surface.Info().AzureOperation, x.r.URL.Query().Get("api-version"), r.Unit == limits.Tokens, e.header.Get("Retry-After"))
	}
	return e
}

// makeAnswer makes the answer from a reply that was taken, and leaves it in made for play.
func (x *exchange) makeAnswer(from *catalog, asked *answer.Asked) {
	keeps := asked.Surface.Info().Stores != nil
	if keeps {
		asked.Draw = x.draw(asked)
	}
	a, err := from.maker.Make(asked)
	if err != nil {
		x.admission.End() // before the client can send its next request
		x.fail(makingFailed(err))
		return
	}
	x.warnOfHeader(a.Header)
	x.entry.OutputTokens = a.Tokens - asked.PromptTokens
	x.admission.Spend(x.entry.OutputTokens)
	if keeps && !x.keepAnswer(a, asked, from.maker) {
		return
	}
	asked.Context = nil // the journal keeps what was asked longer than the client waits
	if x.prepare(a, asked) {
		x.made = a
	}
}

// draw counts an answer that is kept, so that equal ones get ids of their own. It returns 0 for
// an answer that is not kept.
func (x *exchange) draw(asked *answer.Asked) int {
	req := asked.Request
	if asked.Reply.Error != nil || !x.server.store.Wants(req, x.lane) {
		return 0
	}
	from := sha256.Sum256(fmt.Appendf(nil, "%x %d %s", x.bodySum, len(req.Before), asked.Scenario.Name))
	return x.server.counters.Draw(x.key, from, req.Stream && x.r.Header.Get("Last-Event-Id") != "")
}

// makingFailed is the error answer in place of an answer that could not be made.
func makingFailed(err error) *apiError {
	if errors.Is(err, script.ErrRequest) {
		return &apiError{Error: apierror.Bad("", "", "%v", err)}
	}
	return failure(err.Error())
}

// unsayable is the 400 for a request whose reply cannot be said on its surface, or has
// fewer choices than the request wants.
func unsayable(err error) *apiError {
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
func unmatched(none *scenarios.NoMatch, r *http.Request, on surface.Surface) *apiError {
	why := whyUnmatched(none)
	if on == answer.Other {
		why += "." + howToWrite(r)
	}
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

// prepare records the answer in the journal entry before it is played. It returns false if there is nothing to play.
func (x *exchange) prepare(a *answer.Answer, asked *answer.Asked) bool {
	sel := asked.Selection
	if sel.Manner.Wire.Connection == "close_on_reuse" {
		if x.conn == nil {
			x.fail(noConnection(sel.Scenario.Name))
			return false
		}
		x.conn.CloseOnReuse(fmt.Sprintf("the connection closes when it is used again: scenario %q says wire.connection: close_on_reuse", sel.Scenario.Name))
	}
	d, ending := &x.entry.Delivery, &a.Program.Ending
	planned, _, _ := a.CountFrames()
	d.Planned, x.entry.Chance = planned, append(x.entry.Chance, a.Program.Chance...)
	x.endsEarly = ending.Kind == player.EndOrderly && ending.Authored
	x.closesWith, x.closeReason = ending.Code, ending.Reason
	if x.turn != nil && a.Streams {
		x.turn.Streams()
	}
	if x.turn != nil && x.turn.Chosen != nil {
		x.turn.Chosen(a.Transcript)
	}
	x.hasShutdownEvent.Store(len(a.Shutdown) > 0)
	if takePlan(x.ctx, a) {
		d.Ended = journal.EndedComplete
		return false
	}
	x.entry.Made = asked
	if x.isTraced() {
		x.entry.Trace = &journal.Trace{Speed: x.server.config.Speed, Frames: max(planned, len(a.Program.Frames))}
	}
	x.server.holds.Enter(&x.gate, x.stream(sel), &x.sent.Bytes)
	x.steering.begin(x)
	return true
}

// stream says which stream the answer is, for those who wait for it, and what it waits for.
func (x *exchange) stream(sel *scenarios.Selection) holds.Stream {
	s := holds.Stream{Request: x.entry.ID, Scenario: sel.Scenario.Name, Reply: sel.Index, APIKey: sel.Request.APIKey}
	if sel.Reply.Waits(nil) {
		s.Steps = *sel.Reply.Stream
	}
	if x.turn != nil {
		s.Connection = x.turn.Session()
	}
	return s
}

// waitsBeforeBody reports whether there is a pause or a hold before the first byte of the
// body. The header is then sent before that wait.
func waitsBeforeBody(p *player.Program) bool {
	if p.Ending.Refuses() {
		return false
	}
	for f, due := range p.All() {
		return f.Hold != "" || due > 0
	}
	return true
}

// play plays the answer that was made, if there is one, and records how it ended. A stream
// that waits for its next frame holds the stack of play and of its callers: so play is
// called after answer has returned, and not by it.
func (x *exchange) play() {
	a := x.made
	if a == nil {
		return
	}
	defer x.gate.Leave()
	at := x.holdsGate()
	if x.kept != nil && x.kept.InBackground() { // it is played no faster than it is made
		at = x.kept.Follow()
		var release func()
		x.ctx, release = x.kept.WhileMade(x.ctx)
		defer release()
	}
	if x.turn != nil && x.turn.Stopped != nil {
		var release func()
		x.ctx, release = x.turn.UntilStopped(x.ctx)
		defer release()
	}
	x.err = player.Pause(x.ctx, a.Program, x.server.config.Speed)
	if x.err == nil && waitsBeforeBody(a.Program) {
		x.writeHeader(a.Status, a.Header)
		x.err = x.flush()
	}
	if x.err == nil {
		x.record(x.goOn(player.Play(x.ctx, a.Program, a.Values, x.sinkOf(a), at, x.server.config.Speed), at))
	} else {
		x.abort = !x.sendShutdown(a, &player.Report{Step: -1})
	}
}

// sinkOf returns the sink to which an answer is written. For a kept answer the sink tells the store how far it is.
func (x *exchange) sinkOf(a *answer.Answer) player.Sink {
	if x.kept == nil {
		return x
	}
	all, last, _ := a.CountFrames()
	return keptSink{x, cmp.Or(last, all)} // which literal frame completes the answer is not known
}

// record records how playing an answer ended. If the server shut down, it sends the
// shutdown event.
func (x *exchange) record(report *player.Report) {
	a := x.made
	x.sent.Frames.Store(int64(report.Frames))
	x.sent.Step.Store(int64(report.Step))
	d := &x.entry.Delivery
	switch {
	case report.Err != nil && (x.endsWithKept() || x.turn.IsStopped()):
		d.Ended = journal.EndedComplete
		x.made = nil // what its client has cancelled is not read for what it lacks
		a.Release()
	case report.Err != nil:
		x.err, x.abort = report.Err, !x.sendShutdown(a, report)
	case a.Program.Ending.Authored:
		d.Ended, d.End = journal.EndedAsAuthored, a.Program.Ending.Kind.String()
	default:
		d.Ended = journal.EndedComplete
	}
}
