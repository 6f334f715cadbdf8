package realtime

import (
	"bytes"
	"encoding/base64"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// Host is what a session needs of the server.
type Host struct {
	// Write sends an event to the client. It may block while the client is slow.
	Write func(event []byte) error
	// Respond answers a request for a response in a goroutine of its own, with [Response.Send], and then calls
	// [Response.End].
	Respond func(*Response)
	Seed    [32]byte // Seed is what the ids of the session are drawn from.
	Now     func() time.Time
}

// Lasting is how long a session of the real service lasts.
const Lasting = time.Hour

// The bounds of what waits for the end of a response, of the responses that are being said beside each other, and of the
// settings.
const (
	mostPending      = 256     // mostPending is the most client events that wait.
	mostPendingBytes = 8 << 20 // mostPendingBytes is the most memory that these take.
	mostResponses    = 16
	mostSettings     = 1 << 20 // mostSettings is the most memory that the settings of a session take.
)

// Session is the state of one connection: its settings, its conversation, the sound that came, and the response that is
// being said. Receive must not be called concurrently; the methods of its responses may be called at the same time.
type Session struct {
	host *Host

	mu         sync.Mutex // mu guards the fields below, and is held while an event is written, so that events keep their order.
	rand       *rand.Rand
	config     ojson.Value
	instructed bool // instructed says that the client gave instructions.
	spoken     bool // spoken says that the conversation has sound of the assistant, so that the voice cannot change.
	id         string
	items      conversation
	heard      listener
	active     *Response   // active is the response of the conversation that is being said; nil for none.
	running    []*Response // running are all responses that have not ended, active or out of band.
	closed     bool        // closed says that the session is over: no further response begins.
	idle       *time.Timer // idle asks for a response when the user says nothing; nil before the first.

	pending      []ojson.Value // pending are the client events that wait for the end of the active response.
	pendingBytes int           // pendingBytes is about how much memory they take.
}

// Refuse sends the error for a session that does not begin.
func Refuse(host *Host, wrong *apierror.Error) {
	s := &Session{host: host, rand: rand.New(rand.NewChaCha8(host.Seed))}
	s.refuse("", wrong)
}

// NewSession begins a session with a model, and sends session.created. Given are the settings of a client secret; Absent
// for none.
func NewSession(host *Host, model string, given ojson.Value) *Session {
	s := &Session{host: host, rand: rand.New(rand.NewChaCha8(host.Seed)), instructed: given.Get("instructions").Text() != ""}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.id = s.newID("conv_")
	s.config = newConfig(s.newID("sess_"), model, host.Now().Add(Lasting).Unix())
	if !given.IsNullOrAbsent() {
		s.config = merged(s.config, withoutFixed(given))
	}
	s.heard.expect(s.inputRate())
	s.send("session.created", ojson.M("session", s.config))
	return s
}

// Config returns the session object of a client secret for these settings, as the client gave them, or the error for
// one that is wrong.
func Config(seed [32]byte, now time.Time, given ojson.Value) (ojson.Value, *apierror.Error) {
	ids := idsAt(now.Unix(), rand.New(rand.NewChaCha8(seed)))
	model := given.Get("model").Text()
	if model == "" {
		model = defaultModel
	}
	config := newConfig(ids("sess_"), model, 0)
	if given.IsNullOrAbsent() {
		return config, nil
	}
	if err := checkUpdate(given); err != nil {
		return config, err
	}
	return merged(config, given), nil
}

// withoutFixed returns settings without the members that never change.
func withoutFixed(given ojson.Value) ojson.Value {
	update := given.Detached()
	for _, fixed := range []string{"object", "id", "expires_at", "model"} {
		update.Remove(ojson.Path{{Name: fixed}})
	}
	return update
}

func (s *Session) newID(prefix string) string {
	return idsAt(s.host.Now().Unix(), s.rand)(prefix)
}

// send writes an event of the session.
func (s *Session) send(kind string, members ...ojson.Member) {
	event := ojson.Object(append([]ojson.Member{ojson.M("type", ojson.String(kind))}, members...)...)
	_ = s.write(event.Append(nil)) // an error ends the connection, which others notice
}

// write writes an event with an id. One that has an id, or does not begin with its type, stays as it is.
func (s *Session) write(event []byte) error {
	if at := endOfType(event); at > 0 && !bytes.HasPrefix(event[at:], []byte(`,"event_id":`)) {
		withID := append(make([]byte, 0, len(event)+len(`,"event_id":"event_"`)+32), event[:at]...)
		withID = append(withID, `,"event_id":"`+s.newID("event_")+`"`...)
		event = append(withID, event[at:]...)
	}
	return s.host.Write(event)
}

// Refuse sends the error of a request of the client, as an event. EventID is that of the event that is refused.
func (s *Session) refuse(eventID string, e *apierror.Error) {
	s.send("error", ojson.M("error", errorObject(eventID, e)))
}

func errorObject(eventID string, e *apierror.Error) ojson.Value {
	orNull := func(text string) ojson.Value {
		if text == "" {
			return ojson.Null()
		}
		return ojson.String(text)
	}
	kind := e.Type
	if kind == "" {
		kind = apierror.InvalidRequest
	}
	return ojson.Object(
		ojson.M("type", ojson.String(kind)), ojson.M("code", orNull(e.Code)), ojson.M("message", ojson.String(e.Message)),
		ojson.M("param", orNull(e.Param)), ojson.M("event_id", orNull(eventID)),
	)
}

// clientEvents are the types of client events, in the order in which the service lists them, with what each does.
var clientEvents = []clientEvent{
	{"session.update", (*Session).update, waitsNever},
	{"input_audio_buffer.append", (*Session).appendSound, waitsNever},
	{"input_audio_buffer.commit", (*Session).commit, waitsNever},
	{"input_audio_buffer.clear", (*Session).clear, waitsNever},
	{"conversation.item.create", (*Session).createItem, waitsForResponse},
	{"conversation.item.truncate", (*Session).truncateItem, waitsNever},
	{"conversation.item.delete", (*Session).deleteItem, waitsBehindOthers},
	{"conversation.item.retrieve", (*Session).retrieveItem, waitsBehindOthers},
	{"response.create", (*Session).createResponse, waitsBehindOthers},
	{"response.cancel", (*Session).cancel, waitsNever},
}

type clientEvent struct {
	name  string
	does  func(*Session, ojson.Value) *apierror.Error
	waits waits
}

// waits says when a client event waits: for the end of the response that is being said, or only behind events that wait.
type waits int

const (
	waitsNever waits = iota
	waitsBehindOthers
	waitsForResponse
)

func namesOfClientEvents() (names []string) {
	for _, e := range clientEvents {
		names = append(names, e.name)
	}
	return names
}

// Knows reports whether the API has client events of a type.
func Knows(kind string) bool { return slices.Contains(namesOfClientEvents(), kind) }

// Receive takes a message of the client. Text says that it came as text.
func (s *Session) Receive(message []byte, text bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !text {
		s.refuse("", apierror.Bad("", "invalid_event", "Expected a text WebSocket message; binary frames are not supported."))
		return
	}
	event, err := request.ReadObject("event", message)
	if err != nil {
		s.refuse("", apierror.Bad("", "invalid_json", "Invalid event: failed to parse JSON value. %v", err))
		return
	}
	s.handle(event)
}

// handle does what a client event asks for. An event that must wait for the end of the active response is kept until
// then, and so are events behind it, so that the conversation changes in the client's order.
func (s *Session) handle(event ojson.Value) {
	eventID, kind := event.Get("event_id").Text(), event.Get("type")
	if kind.IsNullOrAbsent() {
		s.refuse(eventID, missing("type"))
		return
	}
	i := slices.IndexFunc(clientEvents, func(e clientEvent) bool { return e.name == kind.Text() })
	if i < 0 {
		s.refuse(eventID, request.NotOneOf("type", kind.Text(), namesOfClientEvents()))
		return
	}
	does, waits := clientEvents[i].does, clientEvents[i].waits
	if waits == waitsForResponse && s.active != nil || waits != waitsNever && len(s.pending) > 0 {
		does = (*Session).wait
	}
	if err := does(s, event); err != nil {
		s.refuse(eventID, err)
	}
}

// wait keeps a client event until the active response has ended.
func (s *Session) wait(event ojson.Value) *apierror.Error {
	event = event.Detached()
	if len(s.pending) >= mostPending || s.pendingBytes+event.Size() > mostPendingBytes {
		return apierror.Bad("", apierror.CodeTurns, "Too many events wait for the end of the response: at most %d, and %d bytes. Wait for response.done.", mostPending, mostPendingBytes)
	}
	s.pending, s.pendingBytes = append(s.pending, event), s.pendingBytes+event.Size()
	return nil
}

// catchUp does what waited for the end of a response.
func (s *Session) catchUp() {
	for len(s.pending) > 0 && s.active == nil && !s.closed {
		next, rest := s.pending[0], s.pending[1:]
		s.pending, s.pendingBytes = nil, s.pendingBytes-next.Size() // while nothing waits, it is done at once
		s.handle(next)
		s.pending = rest
	}
}

func (s *Session) update(event ojson.Value) *apierror.Error {
	given := event.Get("session")
	if err := checkUpdate(given); err != nil {
		return err
	}
	if voice := given.Get("audio").Get("output").Get("voice"); s.spoken && !voice.IsAbsent() && !ojson.Same(voice, s.config.Get("audio").Get("output").Get("voice")) {
		return apierror.Bad("", "cannot_update_voice", "Cannot update a conversation's voice if assistant audio is present.")
	}
	config := merged(s.config, withoutFixed(given))
	if err := checkSize(config); err != nil {
		return err
	}
	if text := given.Get("instructions"); !text.IsAbsent() {
		s.instructed = text.Text() != ""
	}
	s.config = config
	s.heard.expect(s.inputRate())
	s.send("session.updated", ojson.M("session", s.config))
	return nil
}

// checkUpdate returns the error for settings that the service refuses, or that are not played.
func checkUpdate(given ojson.Value) *apierror.Error {
	switch kind := given.Get("type"); {
	case kind.IsNullOrAbsent():
		return missing("session.type")
	case kind.Text() == "transcription":
		return apierror.Bad("", "invalid_value", "Passing a transcription session update event to a realtime session is not allowed.")
	case kind.Text() == "translation":
		return notPlayed("translation sessions")
	}
	if err := request.CheckValue("session", given, sessionMembers()); err != nil {
		return err
	}
	return checkSize(given)
}

// checkSize returns the error for settings that take more memory than a session may hold.
func checkSize(settings ojson.Value) *apierror.Error {
	if settings.Size() > mostSettings {
		return apierror.Bad("session", apierror.CodeBodyTooLarge, "The settings of the session are too large: this server keeps at most %d bytes of them.", mostSettings)
	}
	return nil
}

func (s *Session) createItem(event ojson.Value) *apierror.Error {
	e, err := readClientItem(event.Get("item"), s.newID("item_"))
	if err == nil {
		err = s.items.room(e.size())
	}
	if err != nil {
		return err
	}
	e.lasts = lasts(base64.StdEncoding.DecodedLen(len(e.audio)), s.inputRate())
	behind, previous := len(s.items.entries)-1, s.items.last()
	switch after := event.Get("previous_item_id").Text(); after {
	case "":
	case "root":
		behind, previous = -1, ojson.Null()
	default:
		if behind = s.items.index(after); behind < 0 {
			return apierror.Bad("previous_item_id", "item_create_invalid_previous_item_id", "Error creating item: the previous item with id '%s' does not exist.", after)
		}
		previous = ojson.String(after)
	}
	s.join(behind, previous, e)
	return nil
}

// join adds an item to the conversation, and says so.
func (s *Session) join(behind int, previous ojson.Value, e *entry) {
	s.items.insert(behind, e)
	for _, name := range []string{"added", "done"} {
		s.send("conversation.item."+name, ojson.M("previous_item_id", previous), ojson.M("item", e.item))
	}
}

// noItem is the error for an item that is not there. Doing is what was to be done with it.
func noItem(code, doing, id string) *apierror.Error {
	return apierror.Bad("", code, "Error %s item: the item with id '%s' does not exist.", doing, id)
}

func (s *Session) retrieveItem(event ojson.Value) *apierror.Error {
	e := s.items.find(event.Get("item_id").Text())
	if e == nil {
		return noItem("item_retrieve_invalid_item_id", "retrieving", event.Get("item_id").Text())
	}
	s.send("conversation.item.retrieved", ojson.M("item", e.retrieved()))
	return nil
}

func (s *Session) deleteItem(event ojson.Value) *apierror.Error {
	i := s.items.index(event.Get("item_id").Text())
	if i < 0 {
		return noItem("item_delete_invalid_item_id", "deleting", event.Get("item_id").Text())
	}
	s.items.remove(i)
	s.send("conversation.item.deleted", ojson.M("item_id", event.Get("item_id")))
	return nil
}

// truncateItem drops the words of a message of which the client has played only a part.
func (s *Session) truncateItem(event ojson.Value) *apierror.Error {
	e := s.items.find(event.Get("item_id").Text())
	if e == nil {
		return noItem("item_truncate_invalid_item_id", "truncating", event.Get("item_id").Text())
	}
	if e.lasts == 0 || e.item.Get("role").Text() != "assistant" {
		return apierror.Bad("", "unsupported_content_type", "Only model output audio messages can be truncated")
	}
	end, ok := event.Get("audio_end_ms").Int()
	switch has := e.lasts.Milliseconds(); {
	case !ok || end < 0:
		return request.InvalidType("audio_end_ms", "an integer", event.Get("audio_end_ms"))
	case end > has:
		return apierror.Bad("", "invalid_value", "Audio content of %dms is already shorter than %dms", has, end)
	}
	e.lasts = time.Duration(end) * time.Millisecond
	part := ojson.Object(ojson.M("type", ojson.String("output_audio")))
	item := e.item.Clone()
	item.Set("content", ojson.Array(part))
	s.items.set(e, item)
	s.send("conversation.item.truncated", ojson.M("item_id", event.Get("item_id")),
		ojson.M("content_index", event.Get("content_index").Or(ojson.Int(0))), ojson.M("audio_end_ms", event.Get("audio_end_ms")))
	return nil
}

func (s *Session) createResponse(event ojson.Value) *apierror.Error {
	given := event.Get("response")
	if !given.IsNullOrAbsent() {
		if err := request.CheckValue("response", given, responseMembers); err != nil {
			return err
		}
	}
	outOfBand := given.Get("conversation").Text() == "none"
	if s.active != nil && !outOfBand {
		return apierror.Bad("", "conversation_already_has_active_response",
			"Conversation already has an active response in progress: %s. Wait until the response is finished before creating a new one.", s.active.id)
	}
	if len(s.running) >= mostResponses {
		return apierror.Bad("", apierror.CodeTurns, "Too many responses are in progress: at most %d at a time.", mostResponses)
	}
	r, err := s.newResponse(event.Get("event_id").Text(), given)
	if err != nil {
		return err
	}
	s.running = append(s.running, r)
	if !outOfBand {
		s.active = r
	}
	s.host.Respond(r)
	return nil
}

// cancel stops the response that is being said, or the one that the client names, which may be out of band.
func (s *Session) cancel(event ojson.Value) *apierror.Error {
	r, id := s.active, event.Get("response_id").Text()
	if i := slices.IndexFunc(s.running, func(r *Response) bool { return id != "" && r.id == id }); i >= 0 {
		r = s.running[i]
	} else if id != "" {
		r = nil
	}
	if r == nil || !r.interrupt("client_cancelled") {
		return apierror.Bad("", "response_cancel_not_active", "Cancellation failed: no active response found")
	}
	return nil
}

// Close ends the active response, because the session is over.
func (s *Session) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed, s.pending = true, nil
	s.stopIdle()
}
