package responses

import (
	"cmp"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// queued reports whether the response begins with the status queued: one in the background, or
// one for which the envelope says so.
func (s *speaker) queued() bool {
	r := s.Options.Envelope.Response
	return s.Options.Want.Background || r != nil && r.Status == scenarios.ResponseQueued
}

// outcome returns how the response ends: as the envelope says, or else as the finish reason
// does.
func (s *speaker) outcome() snapshot {
	status, reason := surface.StatusByFinish(s.finished)
	authored := s.Options.Envelope.Response
	status = cmp.Or(authored.Ends(), status)
	if status == statusFailed || status == statusCancelled {
		end := without(status)
		if status == statusFailed {
			end.failure = authoredFailure(authored.Error)
		}
		return end
	}
	end := snapshot{status: status, usage: s.usage, output: s.output(), over: true}
	if status == statusIncomplete {
		end.details = ojson.Object(ojson.M("reason", ojson.String(cmp.Or(reason, surface.ReasonLength))))
		if authored != nil && !authored.IncompleteDetails.IsAbsent() {
			end.details = authored.IncompleteDetails
		}
	}
	return end
}

// without returns a snapshot of a response without output and usage.
func without(status string) snapshot {
	return snapshot{status: status, usage: ojson.Null(), output: ojson.Array(), over: status == statusFailed || status == statusCancelled}
}

// finish closes the open items. A reason that is null or empty finishes nothing.
func (s *speaker) finish(reason ojson.Value) {
	if !script.Says(reason) {
		return
	}
	s.open()
	s.Closing = s.Options.FromMessage
	s.finished = reason.Text()
	if s.finished == "" { // a template, which only the request tells
		s.finished = statusCompleted
	}
	end := s.outcome()
	if end.status == statusFailed || end.status == statusCancelled {
		return // failed and cancelled answers leave their items open
	}
	if len(s.items) == 0 && end.status == statusCompleted && s.finished != "tool_calls" {
		s.part(answerText) // an empty answer has an empty message, unless it ends for calls
	}
	for call := range s.calls {
		s.Ends[call] = s.At - 1
	}
	s.closeItems(s.At, end.status)
}

// terminate writes the last event of a finished answer, once. A cancelled stream has none.
func (s *speaker) terminate() {
	if s.finished == "" {
		return
	}
	end := s.outcome()
	s.finished, s.over = "", true
	if end.status == statusCancelled && s.Options.Want.Stream {
		return
	}
	u := s.answer(end.status, kindFinish, end)
	u.Also = append(u.Also, kindUsage)
}

// fail writes an error in mid-stream: the event error, then response.failed. Items stay open.
func (s *speaker) fail(u compile.Unit, e *script.Error) {
	if e.Body != nil {
		u.Name = kindError
		s.Units = append(s.Units, u)
		s.failed = true
		return
	}
	if e.Event != "" {
		s.Blank.Event.Event = nil // the name is for one of the events below
	}
	s.open()
	sent := s.emit(kindError, kindError, append(errorEvent(e), e.Beside.Members()...)...)
	if e.Event != "" {
		sent.Event.Event = &e.Event
	}
	s.failed, s.finished = true, ""
	end := without(statusFailed)
	end.failure = failure(e.Object)
	if authored := s.Options.Envelope.Response; authored != nil && !authored.Error.IsAbsent() {
		end.failure = authoredFailure(authored.Error)
	}
	s.answer("failed", "", end)
}

// errorEvent returns the members of the event error: the error as one member, or, if it is flat
// as in the published schema, the members of the error except its type. Members have the order of
// recordings.
func errorEvent(e *script.Error) (members []ojson.Member) {
	if !e.Flat {
		return []ojson.Member{ojson.M("error", e.Object.First("type", "code", "message", "param"))}
	}
	for _, m := range e.Object.Members() {
		if m.Name != "type" {
			members = append(members, m)
		}
	}
	return members
}

// authoredFailure returns the error of a failed response as the author wrote it, with defaults
// for what is missing.
func authoredFailure(written ojson.Value) ojson.Value {
	code := written.Get("code").Or(ojson.String("server_error"))
	standard := apierror.Default(apierror.Given{Code: code.Text(), Model: surface.DefaultModel})
	v := ojson.Object(ojson.M("code", code), ojson.M("message", ojson.String(standard.Message)))
	v.SetAll(written.Members())
	return v
}

// failure returns the error of a response that failed by an error in mid-stream: its code, or
// else its type, and its message.
func failure(object ojson.Value) ojson.Value {
	code := object.Get("code")
	if code.IsNullOrAbsent() {
		code = object.Get("type")
	}
	if code.IsNullOrAbsent() {
		code = ojson.String("server_error")
	}
	message := object.Get("message")
	if object.Kind() == ojson.StringKind {
		message = object
	}
	return ojson.Object(ojson.M("code", code), ojson.M("message", message.Or(ojson.String(""))))
}
