package server

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/socket"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
	"github.com/fakeopenai/fakeopenai/server/internal/websocket"
	"github.com/fakeopenai/fakeopenai/server/journal"
)

// MessageConn is a WebSocket connection: see [Config.Upgrade].
type MessageConn = websocket.Conn

// ClientClosed is the error of a [MessageConn] for a connection that the client has closed.
type ClientClosed = websocket.Closed

// upgradable is the surface that takes requests over WebSocket.
var upgradable = responses.Surface{}

// wantsUpgrade reports whether a request asks for a WebSocket connection.
func wantsUpgrade(r *http.Request) bool {
	return slices.ContainsFunc(r.Header.Values("Upgrade"), func(v string) bool { return strings.EqualFold(strings.TrimSpace(v), "websocket") })
}

// upgrade makes a WebSocket connection of a GET, unless a scenario answers the handshake
// with an error.
func (s *Server) upgrade(x *exchange) {
	if s.config.AllowGet && !wantsUpgrade(x.r) {
		s.answer(x, upgradable)
		return
	}
	if e := x.authorize(); e != nil {
		x.fail(e)
		return
	}
	if !wantsUpgrade(x.r) {
		x.fail(upgradeRequired("Upgrade Required: GET " + x.r.URL.Path + " is for WebSocket connections; ask for a response with POST."))
		return
	}
	if s.answersUpgrade(x, upgradable) {
		return
	}
	s.accept(x, (*Server).converse)
}

// accept makes a WebSocket connection of a request. Converse is called with it when the exchange has ended.
func (s *Server) accept(x *exchange, converse func(*Server, *exchange)) {
	if s.config.Upgrade == nil {
		x.fail(upgradeRequired("Upgrade Required: this server speaks no WebSocket. In Go, set Config.Upgrade; fakeopenai serve speaks it."))
		return
	}
	conn, err := s.config.Upgrade(x.w, x.r, s.config.MaxBody)
	if err != nil {
		x.headerWritten = true // Config.Upgrade has answered
		x.entry.Status, x.entry.Problem = http.StatusBadRequest, "the WebSocket handshake failed: "+err.Error()
		return
	}
	s.sessions.enter() // before this exchange ends, so that Shutdown always counts one of the two
	x.upgraded, x.converse = conn, converse
}

func upgradeRequired(message string) *apiError {
	e := refusal(http.StatusUpgradeRequired, "", message)
	e.header = http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"}}
	return e
}

// answerOverWebSocket answers a POST for an API that has none: a server that speaks no WebSocket shows the events of one
// answer, for programs that look at them without a connection.
func answerOverWebSocket(on surface.Surface) func(*Server, *exchange) {
	return func(s *Server, x *exchange) {
		if s.config.Upgrade == nil {
			s.answer(x, on)
			return
		}
		x.fail(upgradeRequired("Upgrade Required: " + x.r.URL.Path + " is for WebSocket connections."))
	}
}

// answersUpgrade answers a handshake over HTTP if a scenario has a reply for it: an error
// with the status 426, or one with a condition on the header Upgrade.
func (s *Server) answersUpgrade(x *exchange, on surface.Surface) bool {
	req, err := on.Read(x.r.Header, []byte("{}"))
	if err != nil {
		return false
	}
	req.Model = request.Deployment(x.r.URL.EscapedPath())
	from := s.catalogOf(req.APIKey)
	sel, none := from.set.Match(x.ctx, req, x, s.config.defaultFor(from.withOwn), s.config.Seed)
	if none != nil || !isForUpgrade(sel) {
		x.entry.Chance = nil // what was drawn decided nothing
		return false
	}
	req.Time = s.clock(x.entry.Time)
	x.entry.Request = req
	s.journal.Put(&x.entry)
	s.answerFrom(x, from, on, req)
	return true
}

func isForUpgrade(sel *scenarios.Selection) bool {
	if sel.Reply.Error == nil {
		return false
	}
	names := func(w *scenarios.When) bool {
		return slices.ContainsFunc(w.Header, func(h scenarios.HeaderMatch) bool { return strings.EqualFold(h.Name, "Upgrade") })
	}
	return sel.Reply.Error.Status == http.StatusUpgradeRequired || names(&sel.Scenario.When) || names(&sel.Reply.When)
}

// converse answers the messages of a WebSocket connection until it ends.
func (s *Server) converse(x *exchange) {
	defer s.sessions.leave()
	memory := s.store.Connect()
	defer memory.Close()
	session := websocket.NewSession(x.r.Context(), x.upgraded, s.config.BodyTimeout)
	session.Number = s.upgrades.Add(1)
	steering := s.newSteering(session)
	lanes := websocket.NewLanes(session, s.config.MaxBody, func(t *websocket.Turn) error {
		s.active.enter()
		defer s.active.leave()
		return steering.answer(t, func(t *websocket.Turn) error {
			return s.takeTurn(x.r, t, memory.Lane(t.StreamID), upgradable, steering)
		})
	})
	lanes.Hear = steering.hear
	session.Run(s.serving, lanes)
}

// takeTurn answers one message like a POST with the same body. The error is that with which the
// turn ends the connection; nil if the connection goes on.
func (s *Server) takeTurn(handshake *http.Request, t *websocket.Turn, lane *stored.Lane, on surface.Surface, by *steering) error {
	r := handshake.Clone(t.Context())
	r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(bytes.NewReader(t.Body)), int64(len(t.Body))
	conn := socket.ConnOf(r.Context())
	if conn != nil {
		t.NetConn = conn
	}
	x := s.newExchange(t, r, conn, t.Number)
	x.turn, x.lane, x.steering, x.entry.Delivery.Protocol = t, lane, by, "WebSocket"
	x.entry.Delivery.Connection, x.entry.Delivery.Lane = t.Connection(), t.StreamID
	if t.Follows {
		x.entry.Note = "no request of the client: it goes on from a response that was steered"
	}
	x.perform(func(_ *Server, x *exchange) {
		switch {
		case errors.Is(t.Err, os.ErrDeadlineExceeded):
			x.fail(bodyTooSlow(s.config.BodyTimeout))
		case t.Err != nil:
			x.entry.Body = t.Body
			x.fail(badRequest(t.Err))
		case t.Warms:
			unscripted((*Server).warm)(s, x)
		default:
			s.answer(x, on)
		}
	})
	lane.Answered(x.entry.Request, x.entry.Status)
	switch {
	case x.abort && s.serving.Err() == nil:
		return websocket.ErrBreaks
	case x.closesAfterTurn():
		return &websocket.Closing{Code: x.entry.Delivery.CloseCode, Reason: x.closeReason}
	}
	return nil
}

func (x *exchange) closesAfterTurn() bool {
	return x.endsEarly || strings.EqualFold(x.turn.Header().Get("Connection"), "close")
}

// closeCode is the code with which the connection closes after the turn; 0 if it stays open.
func (x *exchange) closeCode() int {
	switch left := x.turn.Left(); {
	case x.server.serving.Err() != nil:
		return websocket.CloseGoingAway
	case x.entry.Delivery.Ended == journal.EndedByClient && left != 0:
		return left
	case x.abort, x.entry.Delivery.End == player.EndReset.String():
		return websocket.CloseAbnormal
	case x.closesAfterTurn():
		return cmp.Or(x.closesWith, websocket.CloseNormal)
	}
	return 0
}

// noOutput is the scenario of a response without output. It ends with tool_calls, because a
// response that ends in another way has an empty message.
var noOutput = scenarios.Scenario{Replies: []scenarios.Reply{{Stream: &[]scenarios.Step{{Finish: scenarios.Some(scenarios.Text{Source: "tool_calls"})}}}}}

// withoutOutput selects the response without output for a request. Scenarios are not asked.
func (s *Server) withoutOutput(req *scenarios.Request) *scenarios.Selection {
	return &scenarios.Selection{Scenario: &noOutput, Reply: &noOutput.Replies[0], Manner: &scenarios.Manner{}, Request: req, Seed: cmp.Or(req.Seed, s.config.Seed)}
}

// warm answers a turn that wants no output, which clients send before their first, with a
// response that is complete at once.
func (s *Server) warm(x *exchange) {
	req, e := s.readRequest(x, upgradable)
	if e != nil {
		x.fail(e)
		return
	}
	x.entry.Note = "generate: false asks for a response without output; no scenario is asked"
	sel := s.withoutOutput(req)
	sel.Context = x.ctx
	asked := answer.Ask(upgradable, sel, request.IsAzure(x.r))
	asked.AsMessages()
	if e := s.checkAndAdmit(x, asked); e != nil {
		x.fail(e)
		return
	}
	x.makeAnswer(s.catalogOf(req.APIKey), asked)
}
