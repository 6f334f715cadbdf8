package server

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/answer"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/lru"
	"github.com/fakeopenai/fakeopenai/server/internal/player"
	"github.com/fakeopenai/fakeopenai/server/internal/stored"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
	"github.com/fakeopenai/fakeopenai/server/internal/websocket"
)

// steering is the messages response.steer of one connection of the Responses API: each gives a response that is being
// made more input. A response can be steered where its scenario waits for that.
//
// Source: OpenAI's guide to mid-turn steering.
type steering struct {
	server  *Server
	session *websocket.Session

	mu    sync.Mutex                   // mu guards what follows, and the fields of the responses.
	known *lru.Map[string, *steered]   // known are the last responses of the connection, by id.
	last  map[*websocket.Turn]*steered // last has the response of each turn that is being answered.
}

type steered struct {
	of    *steering
	id    string
	turn  *websocket.Turn
	x     *exchange // x is the exchange that makes it; nil once it has ended.
	queue []steer   // queue is the input that no response has yet.
	given int       // given counts all input that was accepted.

	// kept is the response, until settle reads from it what is next once it has ended; that takes a second encoding of the
	// whole response, which only one that is steered needs.
	kept     *stored.Response
	status   string        // status is how it ended; "" while it is made.
	required []ojson.Value // required is what the client must send before the queue is used; nil for nothing.
}

// settle sets status and required of a response that has ended, even if its exchange has not. The mutex is held.
func (r *steered) settle() {
	if r.kept == nil || r.x != nil && !r.kept.IsOver() {
		return
	}
	object, _ := r.kept.Snapshot() // one that cannot be made has no status
	r.status, r.required, r.kept = object.Get("status").Text(), responses.Required(object.Get("output")), nil
}

type steer struct {
	id    string
	input ojson.Value
}

// The bounds of what is remembered: the responses of a connection, and the input that waits for one of them.
const (
	mostKnown  = 100
	mostSteers = 16
)

func (s *Server) newSteering(session *websocket.Session) *steering {
	return &steering{server: s, session: session, known: lru.New[string, *steered](mostKnown), last: map[*websocket.Turn]*steered{}}
}

// hear takes a message of the client, and reports whether it asks for no response: it steers one, or a stream waits for
// it.
func (c *steering) hear(message ojson.Value) bool {
	switch message.Get("type").Text() {
	case "response.steer":
		c.acceptInput(message.Detached())
		return true
	case "response.create":
		c.server.holds.Hear(c.session, message)
		return false
	}
	return c.server.holds.Hear(c.session, message.Detached())
}

// begin notes the response that a turn is about to get.
func (c *steering) begin(x *exchange) {
	if c == nil || x.kept == nil {
		return
	}
	x.steered = &steered{of: c, id: x.kept.ID(), turn: x.turn, x: x, kept: x.kept}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known.Put(x.steered.id, x.steered)
	c.last[x.turn] = x.steered
}

// remade notes that the rest of the response is made anew.
func (r *steered) remade(kept *stored.Response) {
	if r != nil {
		r.of.mu.Lock()
		defer r.of.mu.Unlock()
		r.kept = kept
	}
}

// isQueued reports whether there is input that no response has yet.
func (r *steered) isQueued() bool {
	if r == nil {
		return false
	}
	r.of.mu.Lock()
	defer r.of.mu.Unlock()
	return len(r.queue) > 0
}

// acceptInput accepts input for a response, or refuses it.
func (c *steering) acceptInput(message ojson.Value) {
	id, input := message.Get("previous_response_id").Text(), message.Get("input")
	c.mu.Lock()
	r, _ := c.known.Get(id)
	wrong := c.refuses(r, message)
	if wrong != nil {
		c.mu.Unlock()
		c.fail(r, id, steer{input: input}, wrong)
		return
	}
	r.given++
	sum := sha256.Sum256(fmt.Appendf(nil, "steer %d %s %d", c.server.config.Seed, id, r.given))
	given := steer{"steer_" + hex.EncodeToString(sum[:16]), input}
	r.queue = append(r.queue, given)
	x := r.x
	c.mu.Unlock()
	r.sendEvent("response.steer.accepted", ojson.M("steer", given.reference(id)))
	if x != nil {
		x.gate.Hear(message)
	}
}

func (s steer) reference(previous string) ojson.Value {
	return ojson.Object(ojson.M("id", ojson.String(s.id)), ojson.M("previous_response_id", ojson.String(previous)))
}

// refuses returns the error for input that the response, nil for none, does not take. The mutex is held.
func (c *steering) refuses(r *steered, message ojson.Value) *apierror.Error {
	if err := responses.CheckSteer(message); err != nil {
		return err
	}
	awaits := r != nil && r.x != nil && r.x.gate.Awaits(message)
	if r != nil && !awaits {
		r.settle()
	}
	switch {
	case r == nil:
		return apierror.Bad("", "response_not_found", "The response '%s' was not found on this connection.", message.Get("previous_response_id").Text())
	case r.status == scenarios.ResponseCompleted && r.required == nil:
		return apierror.Bad("", "response_already_completed", "The response '%s' is already completed.", r.id)
	case (r.x == nil || r.status != "") && r.required == nil:
		return apierror.Bad("", "response_not_active", "The response '%s' is not active: its status is '%s'.", r.id, r.status)
	case len(r.queue) >= mostSteers:
		return apierror.Bad("", "too_many_pending_steers", "Too much steering input is pending for the response '%s'.", r.id)
	case r.x != nil && r.status == "" && !awaits:
		return apierror.Bad("", "steering_not_supported", "The response '%s' does not support steering.", r.id)
	}
	return nil
}

// sendEvent sends an event about the response, with the next of its sequence numbers.
func (r *steered) sendEvent(kind string, members ...ojson.Member) {
	r.turn.Interject(func(number int64) ojson.Value {
		head := []ojson.Member{ojson.M("type", ojson.String(kind)), ojson.M("sequence_number", ojson.Int(number))}
		return ojson.Object(append(head, members...)...)
	})
}

// fail gives input back that no response will have. R is nil if it names no response of the connection.
func (c *steering) fail(r *steered, previous string, s steer, e *apierror.Error) {
	back := ojson.Object(ojson.M("input", s.input), ojson.M("previous_response_id", ojson.String(previous)))
	if s.id != "" {
		back.Set("id", ojson.String(s.id))
	}
	object := ojson.Object(ojson.M("code", ojson.String(e.Code)), ojson.M("message", ojson.String(e.Message)), ojson.M("type", ojson.String(apierror.InvalidRequest)))
	if r == nil {
		r = &steered{turn: c.session.NewTurn(0, nil)}
	}
	r.sendEvent("response.steer.failed", ojson.M("steer", back), ojson.M("error", object))
}

// answer answers a turn, and then each response that goes on from one that was steered. The error is that of
// [Server.takeTurn].
func (c *steering) answer(t *websocket.Turn, take func(*websocket.Turn) error) error {
	c.prepend(t)
	for t != nil {
		if err := take(t); err != nil {
			return err
		}
		t = c.successor(t)
	}
	return nil
}

// prepend puts the input that waited for what the client sends now before the input of its request.
func (c *steering) prepend(t *websocket.Turn) {
	body, err := ojson.Parse(t.Body)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r, ok := c.known.Get(body.Get("previous_response_id").Text())
	if !ok || len(r.required) == 0 || len(r.queue) == 0 {
		return
	}
	body.Set("input", ojson.Array(append(r.takeQueue(), responses.InputItems(body.Get("input"))...)...))
	t.Body = body.Append(nil)
}

// takeQueue returns the items of the input that waits, and empties the queue. The mutex is held.
func (r *steered) takeQueue() (items []ojson.Value) {
	for _, s := range r.queue {
		items = append(items, responses.InputItems(s.input)...)
	}
	r.queue = nil
	return items
}

// successor returns the turn of the response that goes on from that of a turn which has ended, because input for it was
// accepted; nil for none.
func (c *steering) successor(t *websocket.Turn) *websocket.Turn {
	c.mu.Lock()
	r := c.last[t]
	delete(c.last, t)
	if r == nil {
		c.mu.Unlock()
		return nil
	}
	r.x = nil
	queue := r.queue
	if len(queue) == 0 {
		c.mu.Unlock()
		return nil
	}
	r.settle()
	switch {
	case r.status == scenarios.ResponseCompleted && len(r.required) > 0:
		c.mu.Unlock()
		for _, s := range queue {
			r.sendEvent("response.steer.pending", ojson.M("steer", s.reference(r.id)), ojson.M("reason", ojson.String("waiting_for_required_input")),
				ojson.M("required_input", ojson.Array(r.required...)))
		}
		return nil
	}
	items := r.takeQueue()
	c.mu.Unlock()
	failed := func(code, message string) {
		for _, s := range queue {
			c.fail(r, r.id, s, apierror.Bad("", code, "%s", message))
		}
	}
	if r.status != scenarios.ResponseCompleted && r.status != scenarios.ResponseIncomplete {
		failed("response_not_active", fmt.Sprintf("The response '%s' is not active: its status is '%s'.", r.id, r.status))
		return nil
	}
	body, _ := ojson.Parse(t.Body) // it was answered
	body.Set("previous_response_id", ojson.String(r.id))
	body.Set("input", ojson.Array(items...))
	next := t.Successor(body.Append(nil))
	next.Refuse = func(object ojson.Value) { failed("successor_creation_failed", object.Get("message").Text()) }
	return next
}

// errReacts ends the playing of an answer whose rest is to be made anew.
var errReacts = errors.New("what follows depends on what the client has sent")

// reactingGate is the gate of an answer that waits for messages of the client.
type reactingGate struct {
	player.Gate
	x *exchange
}

// Pass implements [player.Gate].
func (g reactingGate) Pass(ctx context.Context, hold string, step int) error {
	if err := g.Gate.Pass(ctx, hold, step); err != nil {
		return err
	}
	asked := g.x.entry.Made.(*answer.Asked)
	_, message := g.x.gate.Passed()
	if g.x.reacted = asked.React(step, message, g.x.steered.isQueued()); g.x.reacted != nil {
		return errReacts
	}
	return nil
}

// goOn plays the rest of an answer that is made anew after each message that it depends on.
func (x *exchange) goOn(so *player.Report, gate player.Gate) *player.Report {
	for errors.Is(so.Err, errReacts) {
		asked, maker := x.reacted, x.server.catalogOf(x.entry.APIKey).maker
		asked.Context = x.ctx
		a, err := maker.Make(asked)
		asked.Context = nil
		if err != nil {
			so.Err = err
			x.fail(makingFailed(err))
			return so
		}
		x.made.Release()
		x.made, x.entry.Made = a, asked
		x.entry.Delivery.Planned, _, _ = a.CountFrames()
		if x.kept != nil {
			x.kept.Abandon()
			x.kept = x.server.store.Keep(stored.Made{Maker: maker, Asked: asked, ID: a.ID, Created: a.Created, Lane: x.lane})
			x.steered.remade(x.kept)
		}
		holds, _ := x.gate.Passed()
		so = player.Resume(x.ctx, a.Program, a.Program.AfterHold(holds), a.Values, x.sinkOf(a), gate, x.server.config.Speed, *so)
	}
	return so
}
