package responses

import (
	"cmp"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/model"
)

// queued reports whether the response begins with the status queued: one in the background, or
// one for which the envelope says so.
func (s *speaker) queued() bool {
	r := s.options.Envelope.Response
	return s.options.Want.Background || r != nil && r.Status == scenarios.ResponseQueued
}

// outcome returns how the response ends: as the envelope says, or else as the finish reason
// does.
func (s *speaker) outcome() snapshot {
	status, reason := byFinish(s.finished)
	authored := s.options.Envelope.Response
	status = cmp.Or(authored.Ends(), status)
	if status == statusFailed || status == statusCancelled {
		end := nothingLeft(status)
		if status == statusFailed {
			end.failure = authoredFailure(authored.Error)
		}
		return end
	}
	end := snapshot{status: status, usage: s.usage, output: s.output(), over: true}
	if status == statusIncomplete {
		end.details = ojson.Object(ojson.M("reason", ojson.String(cmp.Or(reason, reasonLength))))
		if authored != nil && !authored.IncompleteDetails.IsAbsent() {
			end.details = authored.IncompleteDetails
		}
	}
	return end
}

// nothingLeft returns the end of a response without output and usage.
func nothingLeft(status string) snapshot {
	return snapshot{status: status, usage: ojson.Null(), output: ojson.Array(), over: true}
}

// The reasons in incomplete_details.
const (
	reasonLength = "max_output_tokens"
	reasonFilter = "content_filter"
)

// byFinish returns the status of a response with this finish reason, and the reason why it is
// incomplete.
func byFinish(finish string) (status, reason string) {
	switch finish {
	case "length":
		return statusIncomplete, reasonLength
	case "content_filter":
		return statusIncomplete, reasonFilter
	}
	return statusCompleted, ""
}

// authoredFailure returns the error of a failed response as the author wrote it, with defaults
// for what is missing.
func authoredFailure(written ojson.Value) ojson.Value {
	code := orElse(written.Get("code"), ojson.String("server_error"))
	standard := apierror.Default(apierror.Given{Code: code.Text(), Model: model.Default})
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
	return ojson.Object(ojson.M("code", code), ojson.M("message", orElse(message, ojson.String(""))))
}
