package server

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/holds"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// answerFromStore answers a request to an endpoint of the store, such as GET
// /v1/responses/{id}.
func (s *Server) answerFromStore(x *exchange, endpoint *stored.Endpoint) {
	query, e := s.stateQuery(x)
	if e != nil {
		x.fail(e)
		return
	}
	result, wrong := endpoint.Answer(s.store, query)
	switch {
	case wrong != nil:
		x.fail(s.notStored(wrong))
	case result.Replay != nil:
		x.replay(result.Replay)
	default:
		style := ojson.Style{Indent: map[bool]string{false: "  "}[endpoint.OfCompletions()]}
		x.reply(http.StatusOK, http.Header{"Content-Type": {"application/json"}}, style.Append(nil, result.JSON))
	}
}

// stateQuery reads a request to an endpoint of the store, and enters it in the journal.
func (s *Server) stateQuery(x *exchange) (*stored.Query, *apiError) {
	body, e := x.readBody()
	if e != nil {
		return nil, e
	}
	x.entry.Body = body
	x.countUnread()
	s.journal.Put(&x.entry)
	q := &stored.Query{
		APIKey: x.entry.APIKey, ID: x.pathVar("id"), Item: x.pathVar("item"),
		Values: x.r.URL.Query(), Now: s.clock(x.entry.Time).Unix(), Fresh: x.requestID[:],
	}
	if len(body) == 0 {
		return q, nil
	}
	var err error
	if q.Body, err = request.ReadObject("request body", body); err != nil {
		return nil, badRequest(err)
	}
	return q, nil
}

// pathVar is the value of a variable in the request's path, unescaped.
func (x *exchange) pathVar(name string) string {
	if plain, err := url.PathUnescape(x.vars[name]); err == nil {
		return plain
	}
	return x.vars[name]
}

// notStored is the error answer to a request for what the store does not have. To the
// journal and the log it adds why the store may not have it.
func (s *Server) notStored(wrong *apierror.Error) *apiError {
	e := &apiError{Error: wrong, problem: wrong.Message, fault: wrong.Status >= http.StatusInternalServerError}
	if wrong.Status != http.StatusNotFound && wrong.Param != "previous_response_id" {
		return e
	}
	e.problem = strings.TrimSuffix(e.problem, ".") + ". The server keeps what it answered to the same API key since it started or was reset, and of chat completions those with store: true; with --any-id (Config.AnyID) a request may go on from any."
	if n := s.store.Forgotten(); n > 0 {
		e.problem += fmt.Sprintf(" It has forgotten %d older responses and conversations: --store and --store-bytes (Config.StoreSize, StoreBytes) let it keep more.", n)
	}
	return e
}

// keepAnswer stores an answer that is about to be played, if its request lets it be stored. A
// response in the background begins here; if it is not streamed, keepAnswer answers that it is
// queued and returns false: there is nothing to play.
func (x *exchange) keepAnswer(a *answer.Answer, asked *answer.Asked, maker *answer.Maker) bool {
	x.kept = x.server.store.Keep(stored.Made{Maker: maker, Asked: asked, ID: a.ID, Created: a.Created, Lane: x.lane, RequestID: x.requestID})
	if x.kept == nil || !x.kept.InBackground() {
		return true
	}
	if e := x.inBackground(asked.Selection); e != nil {
		x.kept.Forget()
		x.fail(e)
		return false
	}
	if asked.Request.Stream {
		return true
	}
	queued, err := x.kept.Queued()
	if err != nil {
		x.fail(failure(err.Error()))
		return false
	}
	h := a.Header.Clone()
	h.Set("Content-Type", "application/json")
	h.Del("Content-Encoding")
	h.Del("Transfer-Encoding")
	x.reply(a.Status, h, ojson.Style{Indent: "  "}.Append(nil, queued))
	return false
}

// inBackground starts a goroutine that makes the stored answer, whether or not its client
// stays.
func (x *exchange) inBackground(sel *scenarios.Selection) *apiError {
	s, r := x.server, x.kept
	if !s.store.Reserve() {
		return refusal(http.StatusServiceUnavailable, apierror.CodeBackground, "Too many responses are made in the background; wait until some are complete, or cancel them.")
	}
	if err := r.Prepare(s.serving); err != nil {
		s.store.Unreserve()
		return failure(err.Error())
	}
	gate := new(holds.Gate)
	s.holds.Enter(gate, x.stream(sel), nil)
	s.running.enter()
	go func() {
		defer s.running.leave()
		defer gate.Leave()
		r.Run(gate, s.config.Speed)
	}()
	return nil
}

// replay sends the events of a stored answer again.
func (x *exchange) replay(p *stored.Replay) {
	d := &x.entry.Delivery
	d.Planned = p.Len()
	x.writeHeader(http.StatusOK, http.Header{"Content-Type": {"text/event-stream; charset=utf-8"}})
	x.server.journal.Put(&x.entry)
	x.err = x.flush()
	for frames := 1; x.err == nil; frames++ {
		var event []byte
		if event, x.err = p.Next(x.ctx); x.err != nil {
			break
		}
		if event == nil {
			d.Ended = journal.EndedComplete
			return
		}
		_, x.err = x.send(event, &player.Write{Frames: frames, Step: -1}, true)
	}
	x.abort = true
}

// keptSink is the sink of an answer that is stored. The stored answer is complete before the
// client gets its last event.
type keptSink struct {
	*exchange
	last int // last is the number of the frame with the last event, from 1; 0 if there is none.
}

// Write implements [player.Sink]. The last event waits until the stored answer is complete.
func (k keptSink) Write(p []byte, w *player.Write) (int, error) {
	switch r := k.kept; {
	case k.last == 0 || w.Frames < k.last:
	case r.InBackground():
		r.AwaitLast(k.ctx)
	default:
		r.Complete()
	}
	return k.exchange.Write(p, w)
}

// End implements [player.Sink]. The stored answer is complete however the connection ends.
func (k keptSink) End(kind player.EndingKind) error {
	if !k.kept.InBackground() {
		k.kept.Complete()
	}
	return k.exchange.End(kind)
}

// endsWithKept reports whether the stream ends because the response that it follows in the
// background was cancelled.
func (x *exchange) endsWithKept() bool {
	return x.kept != nil && x.kept.InBackground() && x.kept.Cancelled() && x.r.Context().Err() == nil && x.server.serving.Err() == nil
}
