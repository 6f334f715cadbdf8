package realtime

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/invent"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// ErrInterrupted is the error of [Response.Send] for a response that the client has interrupted.
var ErrInterrupted = errors.New("the client has interrupted the response")

// Response is one response of a session: what the client asked for, and what was sent of it so far.
type Response struct {
	Body    []byte          // Body is the request, for [Surface.Read].
	Stopped context.Context // Stopped ends when the client interrupts the response.
	stop    context.CancelFunc

	session *Session
	eventID string // eventID is the id of the client event that asked; "" for none.
	id      string // id is the id of the response; "" until response.created was sent.
	rate    int    // rate is how many bytes of its sound take a second.
	created ojson.Value
	items   []*outputItem
	over    bool // over says that response.done was sent, or took its place.
	left    bool // left says that the client has interrupted the response.
}

// outputItem is an item of a response as the events so far tell it.
type outputItem struct {
	id, kind string
	item     ojson.Value // item is as in response.output_item.added or, once closed, as in response.output_item.done.
	text     strings.Builder
	sound    int // sound is how many bytes of sound were sent.
	tokens   int // tokens is how many tokens of sound that the author wrote were sent.
	part     bool
	spoken   bool
	closed   bool
}

// newResponse returns the response that a client asks for, with its request: the members of the session, those that the
// client gave over them, and the items of the conversation as input, unless the client gave others.
func (s *Session) newResponse(eventID string, given ojson.Value) (*Response, *apierror.Error) {
	body := ojson.Object(ojson.M("model", s.config.Get("model")), ojson.M("conversation_id", ojson.String(s.id)))
	for _, name := range []string{"output_modalities", "tools", "tool_choice", "max_output_tokens"} {
		body.Set(name, s.config.Get(name))
	}
	if s.instructed {
		body.Set("instructions", s.config.Get("instructions"))
	}
	body.Set("audio", ojson.Object(ojson.M("output", s.config.Get("audio").Get("output"))))
	body.Set("input", s.items.input())
	for _, m := range given.Members() {
		switch m.Name {
		case "input":
			list, err := s.resolved(m.Value)
			if err != nil {
				return nil, err
			}
			body.Set("input", list)
		case "audio":
			body.Set("audio", merged(body.Get("audio"), m.Value))
		default:
			body.Set(m.Name, m.Value)
		}
	}
	r := &Response{Body: body.Append(nil), session: s, eventID: eventID, rate: rateOf(body.Get("audio").Get("output"))}
	r.Stopped, r.stop = context.WithCancel(context.Background())
	return r, nil
}

// resolved returns an input with the items of the conversation in place of the references to them.
func (s *Session) resolved(input ojson.Value) (ojson.Value, *apierror.Error) {
	list := ojson.Array()
	for _, v := range input.Items() {
		if v.Get("type").Text() == "item_reference" {
			e := s.items.find(v.Get("id").Text())
			if e == nil {
				return list, noItem("item_reference_invalid_item_id", "referencing", v.Get("id").Text())
			}
			list.Push(e.item)
			continue
		}
		e, err := readClientItem(v, s.newID("item_"))
		if err != nil {
			return list, err
		}
		list.Push(e.item)
	}
	return list, nil
}

// endOfType returns the position behind the member type at the start of an event; 0 if it does not begin with that.
func endOfType(event []byte) int {
	const start = `{"type":"`
	if !bytes.HasPrefix(event, []byte(start)) {
		return 0
	}
	n := bytes.IndexByte(event[len(start):], '"')
	if n < 0 {
		return 0
	}
	return len(start) + n + 1
}

// Send sends an event of the response, and notes what it changes.
func (r *Response) Send(event []byte) error {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.left {
		return ErrInterrupted
	}
	if err := s.write(event); err != nil {
		return err
	}
	r.noteEvent(event)
	return nil
}

// noteEvent follows the events that were sent, so that the conversation has what the client heard.
func (r *Response) noteEvent(event []byte) {
	at := endOfType(event)
	if at == 0 {
		return
	}
	kind := string(event[len(`{"type":"`) : at-1])
	if kind == "response.output_audio.delta" { // long, and only its length counts
		if i := r.open(); i != nil {
			i.hearSound(event)
		}
		return
	}
	v, err := ojson.Parse(event)
	if err != nil {
		return
	}
	switch v = v.Detached(); kind {
	case "response.created":
		r.created = v.Get("response")
		r.id = r.created.Get("id").Text()
	case "response.output_item.added":
		r.items = append(r.items, &outputItem{id: v.Get("item").Get("id").Text(), kind: v.Get("item").Get("type").Text(), item: v.Get("item")})
	case "response.content_part.added":
		if i := r.find(v); i != nil {
			i.part, i.spoken = true, v.Get("part").Get("type").Text() == "audio"
		}
	case "response.output_text.delta", "response.output_audio_transcript.delta", "response.function_call_arguments.delta":
		if i := r.find(v); i != nil {
			i.text.WriteString(v.Get("delta").Text())
		}
	case "conversation.item.added", "conversation.item.done":
		r.join(v.Get("item"))
	case "response.output_item.done":
		if i := r.find(ojson.Object(ojson.M("item_id", v.Get("item").Get("id")))); i != nil {
			i.item, i.closed = v.Get("item"), true
		}
	case "response.done":
		r.finish()
	}
}

func (i *outputItem) hearSound(event []byte) {
	_, data, _ := bytes.Cut(event, []byte(`"delta":"`))
	n := max(0, bytes.IndexByte(data, '"'))
	i.sound += base64.StdEncoding.DecodedLen(n)
	if !isTone(data) { // whose tokens do not count, as those of the words do
		i.tokens += script.SoundTokens(n)
	}
}

func (r *Response) find(event ojson.Value) *outputItem {
	for _, i := range r.items {
		if i.id == event.Get("item_id").Text() {
			return i
		}
	}
	return nil
}

// open returns the latest item if it is not closed.
func (r *Response) open() *outputItem {
	if n := len(r.items); n > 0 && !r.items[n-1].closed {
		return r.items[n-1]
	}
	return nil
}

// join adds an item of the response to the conversation, or replaces it there.
func (r *Response) join(item ojson.Value) {
	items := &r.session.items
	e := items.find(item.Get("id").Text())
	if e == nil {
		if items.room(item.Size()) != nil {
			return
		}
		e = &entry{id: item.Get("id").Text(), item: item}
		items.insert(len(items.entries)-1, e)
		return
	}
	items.set(e, item)
	if i := r.find(ojson.Object(ojson.M("item_id", item.Get("id")))); i != nil && i.sound > 0 {
		e.lasts, r.session.spoken = lasts(i.sound, r.rate), true
	}
}

// finish makes the response no longer the active one. The time for which the user may be silent begins when the sound of the
// response has been played.
func (r *Response) finish() {
	r.over = true
	if r.session.active != r {
		return
	}
	r.session.active = nil
	sound := 0
	for _, i := range r.items {
		sound += i.sound
	}
	r.session.startIdle(lasts(sound, r.rate))
}

// End says that nothing more is sent. What waited for that goes on.
func (r *Response) End() {
	r.session.mu.Lock()
	defer r.session.mu.Unlock()
	r.stop()
	r.finish()
	r.session.running = slices.DeleteFunc(r.session.running, func(other *Response) bool { return other == r })
	r.session.catchUp()
}

// Said is called with what the sound of the client says, before the response is created: the transcript of the reply
// that was chosen. From then on the conversation has it, and the client is told if it wants transcripts.
func (r *Response) Said(text string) {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.items.entries {
		if !e.unheard {
			continue
		}
		e.unheard = false
		at, said := e.soundAt(), text
		if e.lasts == 0 {
			said = "" // nobody spoke
		}
		item := e.item.Clone()
		item.Put(ojson.Path{{Name: "content"}, {IsIndex: true, Index: at}, {Name: "transcript"}}, ojson.String(said))
		s.items.set(e, item)
		if s.config.Get("audio").Get("input").Get("transcription").IsNullOrAbsent() {
			continue
		}
		head := []ojson.Member{ojson.M("item_id", ojson.String(e.id)), ojson.M("content_index", ojson.Int(int64(at)))}
		if said != "" {
			s.send("conversation.item.input_audio_transcription.delta", append(head,
				ojson.M("delta", ojson.String(said)), ojson.M("obfuscation", ojson.String(invent.Text(s.rand, invent.Base62, max(0, 16-len([]rune(said)))))))...)
		}
		seconds := int64((e.lasts + time.Second - 1) / time.Second)
		s.send("conversation.item.input_audio_transcription.completed", append(head, ojson.M("transcript", ojson.String(said)),
			ojson.M("usage", ojson.Object(ojson.M("type", ojson.String("duration")), ojson.M("seconds", ojson.Int(seconds)))))...)
	}
}

// Refuse sends an error in place of an answer: an error of this server as an event, one of the service as a response that failed.
func (r *Response) Refuse(object ojson.Value) {
	s := r.session
	s.mu.Lock()
	defer s.mu.Unlock()
	code := object.Get("code").Text()
	if strings.HasPrefix(code, "fake_") {
		s.refuse(r.eventID, &apierror.Error{Type: object.Get("type").Text(), Code: code, Message: object.Get("message").Text(), Param: object.Get("param").Text()})
		return
	}
	r.create()
	r.done(statusFailed, failureDetails(object), ojson.Array(), usageObject(nil))
}

// create sends response.created if nothing was sent yet.
func (r *Response) create() {
	s := r.session
	if !r.created.IsAbsent() {
		return
	}
	r.id = s.newID("resp_")
	body, _ := ojson.Parse(r.Body) // it was made as an object
	conversation := ojson.String(s.id)
	if body.Get("conversation").Text() == "none" {
		conversation = ojson.Null()
	}
	r.created = ojson.Object(
		ojson.M("object", ojson.String("realtime.response")), ojson.M("id", ojson.String(r.id)), ojson.M("status", ojson.String(statusInProgress)),
		ojson.M("status_details", ojson.Null()), ojson.M("output", ojson.Array()), ojson.M("conversation_id", conversation),
		ojson.M("output_modalities", body.Get("output_modalities")), ojson.M("max_output_tokens", body.Get("max_output_tokens")),
		ojson.M("audio", body.Get("audio")), ojson.M("usage", ojson.Null()), ojson.M("metadata", body.Get("metadata").Or(ojson.Null())),
	)
	s.send("response.created", ojson.M("response", r.created))
}

func (r *Response) done(status string, details, output, usage ojson.Value) {
	v := r.created.Clone()
	v.Set("status", ojson.String(status))
	v.Set("status_details", details)
	v.Set("output", output)
	v.Set("usage", usage)
	r.session.send("response.done", ojson.M("response", v))
	r.finish()
}

// interrupt ends the response for a reason, with the events that close its open items. It
// reports whether the response was still active.
func (r *Response) interrupt(reason string) bool {
	if r.over || r.left {
		return false
	}
	r.left = true
	r.stop()
	r.create()
	output := ojson.Array()
	for n, i := range r.items {
		if !i.closed {
			r.closeEarly(n, i)
		}
		output.Push(i.item)
	}
	r.done(statusCancelled, ojson.Object(ojson.M("type", ojson.String(statusCancelled)), ojson.M("reason", ojson.String(reason))), output, r.usage())
	return true
}

// usage counts what was sent so far, as a whole answer is counted: nothing if no item was begun.
func (r *Response) usage() ojson.Value {
	if len(r.items) == 0 {
		return usageObject(nil)
	}
	var prompt, words, sound int64
	if req, err := (Surface{}).Read(nil, r.Body); err == nil {
		prompt = int64(req.PromptTokens)
	}
	for _, i := range r.items {
		words += int64(script.Tokens(i.text.String()))
		sound += int64(i.tokens)
	}
	return usageObject(&script.Usage{
		Prompt: ojson.Int(prompt), PromptText: ojson.Int(prompt), Completion: ojson.Int(words + sound), Total: ojson.Int(prompt + words + sound),
		CompletionText: ojson.Int(words), CompletionAudio: ojson.Int(sound),
	})
}

// closeEarly sends the events that close an item which is not complete.
func (r *Response) closeEarly(n int, i *outputItem) {
	s, text := r.session, ojson.String(i.text.String())
	event := func(kind string, members ...ojson.Member) {
		inside := []ojson.Member{ojson.M("response_id", ojson.String(r.id)), ojson.M("item_id", ojson.String(i.id)), ojson.M("output_index", ojson.Int(int64(n))), ojson.M("content_index", ojson.Int(0))}
		s.send(kind, append(inside, members...)...)
	}
	item := i.item.Clone()
	item.Set("status", ojson.String(statusIncomplete))
	if i.kind == itemCall {
		item.Set("arguments", text)
	} else if i.part {
		kind, words, said := "text", "response.output_text.done", ojson.M("text", text)
		if i.spoken {
			kind, words, said = "audio", "response.output_audio_transcript.done", ojson.M("transcript", text)
			event("response.output_audio.done")
		}
		event(words, said)
		event("response.content_part.done", ojson.M("part", ojson.Object(ojson.M("type", ojson.String(kind)), said)))
		item.Set("content", ojson.Array(ojson.Object(ojson.M("type", ojson.String("output_"+kind)), said)))
	}
	i.item, i.closed = item, true
	if e := s.items.find(i.id); e != nil {
		previous := ojson.Null()
		if at := s.items.index(i.id); at > 1 {
			previous = ojson.String(s.items.entries[at-1].id)
		}
		s.send("conversation.item.done", ojson.M("previous_item_id", previous), ojson.M("item", item))
		r.join(item)
	}
	s.send("response.output_item.done", ojson.M("response_id", ojson.String(r.id)), ojson.M("output_index", ojson.Int(int64(n))), ojson.M("item", item))
}
