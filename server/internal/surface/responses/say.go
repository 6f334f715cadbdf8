package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// open writes the events that begin the stream, once.
func (s *speaker) open() {
	if s.opened {
		return
	}
	s.opened = true
	begun := snapshot{status: statusInProgress, usage: ojson.Null(), output: ojson.Array()}
	created := begun
	if s.queued() {
		created.status = statusQueued
	}
	s.emit("response.created", "", ojson.M("response", s.response(created)))
	if s.queued() {
		s.emit("response.queued", "", ojson.M("response", s.response(created)))
	}
	s.emit("response.in_progress", "", ojson.M("response", s.response(begun)))
}

// text writes a piece of the text of a message. An empty piece opens no message: on other APIs
// it comes beside a role.
func (s *speaker) text(piece ojson.Value) {
	if !s.saysText(piece, partText) {
		return
	}
	i, p := s.part(hosted.Message, partText)
	p.text.add(piece)
	logprobs := logprobsOf(s.group)
	p.logprobs = append(p.logprobs, logprobs...)
	u := s.emit("response.output_text.delta", kindContent,
		append(s.insidePart(i, p), ojson.M("delta", piece), ojson.M("logprobs", ojson.Array(logprobs...)))...)
	if len(logprobs) > 0 {
		u.Also = append(u.Also, kindLogprobs)
	}
}

// refusal writes a piece of a refusal, which has no log-probabilities here.
func (s *speaker) refusal(piece ojson.Value) {
	if !s.saysText(piece, partRefusal) {
		return
	}
	i, p := s.part(hosted.Message, partRefusal)
	p.text.add(piece)
	s.emit("response.refusal.delta", kindRefusal, append(s.insidePart(i, p), ojson.M("delta", piece))...)
}

// saysText reports whether a piece has an event: if it is not empty, or if a part of its kind
// is open.
func (s *speaker) saysText(piece ojson.Value, kind string) bool {
	s.open()
	if piece.IsNullOrAbsent() {
		return false
	}
	if script.Says(piece) {
		return true
	}
	i := s.current()
	return i != nil && len(i.parts) > 0 && i.parts[len(i.parts)-1].kind == kind
}

// finish closes the open items. A reason that is null or empty finishes nothing.
func (s *speaker) finish(reason ojson.Value) {
	if !script.Says(reason) {
		return
	}
	s.open()
	s.closing = s.options.FromMessage
	s.finished = reason.Text()
	if s.finished == "" { // a template, which only the request tells
		s.finished = statusCompleted
	}
	end := s.outcome()
	if end.status == statusFailed || end.status == statusCancelled {
		return // failed and cancelled answers leave their items open
	}
	if len(s.items) == 0 && end.status == statusCompleted && s.finished != "tool_calls" {
		s.part(hosted.Message, partText) // an empty answer has an empty message, unless it ends for calls
	}
	for _, i := range s.items {
		if i.isCall() {
			s.ends[i.call] = s.at - 1
		}
	}
	s.closeItems(s.at, end.status)
}

// terminate writes the last event of a finished answer, once. A cancelled stream has none.
func (s *speaker) terminate() {
	if s.finished == "" {
		return
	}
	end := s.outcome()
	s.finished, s.over = "", true
	if end.status == statusCancelled && s.options.Want.Stream {
		return
	}
	u := s.emit("response."+end.status, kindFinish, ojson.M("response", s.response(end)))
	u.Also = append(u.Also, kindUsage)
}

// fail writes an error in mid-stream: the event error, then response.failed. Items stay open.
func (s *speaker) fail(u compile.Unit, e *script.Error) {
	if e.Body != nil {
		u.Name = kindError
		s.units = append(s.units, u)
		s.failed = true
		return
	}
	if e.Event != "" {
		s.blank.Event.Event = nil // the name is for one of the events below
	}
	s.open()
	sent := s.emit(kindError, kindError, append(errorEvent(e), e.Beside.Members()...)...)
	if e.Event != "" {
		sent.Event.Event = &e.Event
	}
	s.failed, s.finished = true, ""
	end := nothingLeft(statusFailed)
	end.failure = failure(e.Object)
	if authored := s.options.Envelope.Response; authored != nil && !authored.Error.IsAbsent() {
		end.failure = authoredFailure(authored.Error)
	}
	s.emit("response.failed", "", ojson.M("response", s.response(end)))
}

// errorEvent returns the members of the event error: the error as one member, or, if it is flat
// as in the published schema, the members of the error except its type.
func errorEvent(e *script.Error) (members []ojson.Member) {
	if !e.Flat {
		return []ojson.Member{ojson.M("error", errorObject(e.Object))}
	}
	for _, m := range e.Object.Members() {
		if m.Name != "type" {
			members = append(members, m)
		}
	}
	return members
}

// errorObject returns an error with its members in the order of recordings. A value that is no
// object is returned as it is.
func errorObject(object ojson.Value) ojson.Value {
	if object.Kind() != ojson.ObjectKind {
		return object
	}
	v := ojson.Object()
	for _, name := range []string{"type", "code", "message", "param"} {
		v.Set(name, object.Get(name))
	}
	for _, m := range object.Members() {
		v.Set(m.Name, m.Value)
	}
	return v
}
