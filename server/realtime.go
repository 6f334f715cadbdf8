package server

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/lru"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/realtime"
	"github.com/fakeopenai/fakeopenai/server/internal/websocket"
)

// RealtimePath is where realtime sessions begin.
const RealtimePath = "/v1" + realtime.Path

// RealtimeProtocol is the WebSocket subprotocol that clients of realtime sessions offer, if any.
var RealtimeProtocol = realtime.Surface{}.Info().Name

// Close codes of the Realtime API.
const (
	closeUnauthorized = 3000
	closeBadRequest   = 4000
)

// pingEvery is how often the service pings the client of a realtime session.
const pingEvery = 20 * time.Second

// realtime begins a realtime session. Like the service, it refuses wrong requests only after the handshake.
func (s *Server) realtime(x *exchange) {
	switch {
	case !wantsUpgrade(x.r):
		x.fail(upgradeRequired("Upgrade Required: " + x.r.URL.Path + " is for WebSocket connections."))
	case !s.answersUpgrade(x, realtime.Surface{}):
		s.accept(x, (*Server).holdSession)
	}
}

// holdSession holds a realtime session on the connection of an exchange, or refuses it.
func (s *Server) holdSession(x *exchange) {
	defer s.sessions.leave()
	session := websocket.NewSession(x.r.Context(), x.upgraded, s.config.BodyTimeout)
	session.Number = s.upgrades.Add(1)
	key, given := s.secrets.use(x.entry.APIKey)
	if wrong, code := s.refusesSession(x.r, key); wrong != nil {
		x.entry.Status, x.entry.Problem = http.StatusSwitchingProtocols, wrong.Message
		refused := &realtimeMode{session: session}
		realtime.Refuse(refused.host(s), wrong)
		reason := wrong.Type
		if wrong.Code != "" {
			reason += "." + wrong.Code
		}
		x.finish()
		_ = x.upgraded.Close(code, reason)
		return
	}
	handshake := x.r
	if key != x.entry.APIKey {
		handshake = x.r.Clone(x.r.Context())
		handshake.Header.Set("Authorization", "Bearer "+key)
	}
	mode := &realtimeMode{server: s, handshake: handshake, session: session}
	model := x.r.URL.Query().Get("model")
	if model == "" {
		model = given.Get("model").Text()
	}
	mode.realtime = realtime.NewSession(mode.host(s), model, given)
	stop := mode.ping()
	defer stop()
	session.Run(s.serving, mode)
}

// refusesSession returns the error for a session that the service refuses, and the code of the close frame after it; nil
// if it does not refuse it.
func (s *Server) refusesSession(r *http.Request, key string) (wrong *apierror.Error, code int) {
	query, offered := r.URL.Query(), strings.Join(r.Header.Values("Sec-WebSocket-Protocol"), ",")
	model, intent := query.Get("model"), query.Get("intent")
	known := len(s.config.APIKeys) == 0 || slices.Contains(s.config.APIKeys, key)
	switch {
	case strings.Contains(r.Header.Get("OpenAI-Beta"), "realtime=v1"), strings.Contains(offered, "openai-beta.realtime-v1"):
		return apierror.Bad("", "beta_api_shape_disabled", "The Realtime Beta API is no longer supported. Please use /v1/realtime for the GA API."), closeBadRequest
	case key == "" && !known:
		return apierror.Bad("", "", "Missing bearer or basic authentication in header"), closeUnauthorized
	case !known:
		return apierror.WrongKey(key), closeUnauthorized
	case query.Has("call_id"):
		return apierror.Bad("", apierror.CodeNotPlayed, "This fake does not play sideband connections to calls (call_id): it has no WebRTC and no SIP."), closeBadRequest
	case intent == "transcription", intent == "translation":
		return apierror.Bad("", apierror.CodeNotPlayed, "This fake does not play %s sessions: connect with ?model=gpt-realtime.", intent), closeBadRequest
	case intent != "" && intent != "conversation":
		return apierror.Bad("", "invalid_intent", "Invalid intent %q", intent), closeBadRequest
	case model == "" && !strings.HasPrefix(request.APIKey(r.Header), secretPrefix):
		return apierror.Bad("", "missing_model", "You must provide a model parameter, for example: wss://%s%s?model=gpt-realtime", r.Host, r.URL.Path), closeBadRequest
	case s.config.Strict && model != "" && !strings.Contains(model, RealtimeProtocol) && !s.catalogOf(key).hasModel(model):
		return apierror.Bad("", "invalid_model", "Model %q is not supported in realtime mode.", model), closeBadRequest
	}
	return nil, 0
}

type realtimeMode struct {
	server    *Server
	handshake *http.Request
	session   *websocket.Session
	realtime  *realtime.Session
	turns     int64 // turns counts the responses; only Respond changes it.
	all       sync.WaitGroup
}

// host is what the session needs of the server. Its ids follow from the server's seed and from how many sessions came
// before.
func (m *realtimeMode) host(s *Server) *realtime.Host {
	sum := sha256.Sum256(fmt.Appendf(nil, "realtime %d %d", s.config.Seed, s.begun.Add(1)))
	return &realtime.Host{
		Seed: sum, Now: func() time.Time { return s.clock(time.Now()) }, Respond: m.respond,
		Write: func(event []byte) error { return m.session.Conn.WriteMessage(m.session.Ctx, utf8.Valid(event), event) },
	}
}

// Receive implements [websocket.Mode].
func (m *realtimeMode) Receive(message []byte, text bool) {
	hear, known := func() bool { return false }, true
	if m.server.holds.Listens(m.session) {
		if v, err := request.ReadObject("event", message); err == nil {
			hear = func() bool { return m.server.holds.Hear(m.session, v.Detached()) }
			known = realtime.Knows(v.Get("type").Text())
		}
	}
	if !known && hear() {
		return // the scenario knows it
	}
	m.realtime.Receive(message, text)
	if known {
		hear()
	}
}

// End implements [websocket.Mode].
func (m *realtimeMode) End() { m.realtime.Close() }

// Late implements [websocket.Mode]: a message that takes too long ends the session.
func (m *realtimeMode) Late() {
	m.session.Finish(&websocket.Closing{Code: closeBadRequest, Reason: "a message took longer to arrive than this server waits"})
}

// Aged implements [websocket.Mode].
func (m *realtimeMode) Aged() *websocket.Closing {
	return &websocket.Closing{Code: websocket.CloseGoingAway, Reason: "Your session hit the maximum duration of 60 minutes."}
}

// Wait implements [websocket.Mode].
func (m *realtimeMode) Wait() { m.all.Wait() }

// ping pings the client until the function that it returns is called.
func (m *realtimeMode) ping() (stop func()) {
	var next *time.Timer
	next = time.AfterFunc(pingEvery, func() {
		if m.session.Conn.Ping(m.session.Ctx) == nil && !m.session.IsOver() {
			next.Reset(pingEvery)
		}
	})
	return func() { next.Stop() }
}

// respond answers a request for a response as one over HTTP, in a goroutine of its own.
func (m *realtimeMode) respond(r *realtime.Response) {
	m.turns++
	t := m.session.NewTurn(m.turns, r.Body)
	t.Send, t.Refuse, t.Chosen, t.Stopped = r.Send, r.Refuse, r.Said, r.Stopped
	m.all.Go(func() {
		defer r.End()
		m.server.active.enter()
		defer m.server.active.leave()
		if err := m.server.takeTurn(m.handshake, t, nil, realtime.Surface{}, nil); err != nil {
			m.session.Finish(err)
		}
	})
}

// secretPrefix begins the keys that clientSecret gives.
const secretPrefix = "ek_"

// mostSecrets is how many of them a server remembers, and mostSecretBytes how much memory their settings take.
const (
	mostSecrets     = 1000
	mostSecretBytes = 32 << 20
)

// secrets are the keys for realtime sessions that were given, each with the API key that asked for it.
type secrets struct {
	mu   sync.Mutex // mu guards the map.
	list *lru.Map[string, secretKey]
}

// secretKey is what a key for a realtime session stands for.
type secretKey struct {
	apiKey  string
	session ojson.Value // session is the settings that the client gave.
	until   time.Time
}

// use returns the API key for which a key stands, which is itself if it was not given by this server or is too old, and
// the settings of the session.
func (s *secrets) use(key string) (apiKey string, session ojson.Value) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found, ok := s.list.Get(key); ok && time.Now().Before(found.until) {
		return found.apiKey, found.session
	}
	return key, ojson.Value{}
}

func (s *secrets) add(key string, k secretKey) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list.Put(key, k)
	bytes := 0
	for _, kept := range s.list.All() {
		bytes += kept.session.Size()
	}
	for old, kept := range s.list.All() { // the oldest first
		if bytes <= mostSecretBytes {
			break
		}
		bytes -= kept.session.Size()
		s.list.Delete(old)
	}
}

// clientSecret answers POST /v1/realtime/client_secrets with a key for a realtime session.
func (s *Server) clientSecret(x *exchange) {
	body, e := x.readBody()
	if e != nil {
		x.fail(e)
		return
	}
	x.entry.Body = body
	x.requestIDText() // draws x.requestID
	given := ojson.Object()
	if len(body) > 0 {
		var err error
		if given, err = request.ReadObject("request body", body); err != nil {
			x.fail(badRequest(err))
			return
		}
	}
	const least, usual, most = 10, 600, 7200
	seconds := int64(usual)
	if v := given.Get("expires_after").Get("seconds"); !v.IsNullOrAbsent() {
		if err := request.CheckValue("expires_after.seconds", v, request.Integer(least, most)); err != nil {
			x.fail(badRequest(err))
			return
		}
		seconds, _ = v.Int()
	}
	now := s.clock(x.entry.Time)
	session, wrong := realtime.Config(sha256.Sum256(x.requestID[:]), now, given.Get("session"))
	if wrong != nil {
		x.fail(badRequest(wrong))
		return
	}
	key := secretPrefix + hex.EncodeToString(x.requestID[:])
	s.secrets.add(key, secretKey{x.entry.APIKey, given.Get("session").Detached(), time.Now().Add(time.Duration(seconds) * time.Second)})
	x.replyJSON(ojson.Object(
		ojson.M("value", ojson.String(key)), ojson.M("expires_at", ojson.Int(now.Unix()+seconds)), ojson.M("session", session)))
}
