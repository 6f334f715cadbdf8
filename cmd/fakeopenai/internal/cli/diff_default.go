package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
	"github.com/fakeopenai/fakeopenai/server/tools/recording"
)

// errNoMessage says why an answer has no default to compare it with.
var errNoMessage = errors.New("no message says what it says")

// withDefaultReply returns a scenario whose reply i is what the server sends by default for the same
// request: a message with the same texts, calls and finish, or an error with the same status and
// code. Nothing is said of envelope, pace, wire, damage and end.
func withDefaultReply(ctx context.Context, s *scenarios.Scenario, i int, request []byte) (*scenarios.Scenario, error) {
	reply, err := defaultReply(ctx, s, i, request)
	if err != nil {
		return nil, err
	}
	d := plain(s, i)
	reply.When = s.Replies[i].When
	d.Wire.Body, d.Replies[i] = nil, reply
	return d, nil
}

func defaultReply(ctx context.Context, s *scenarios.Scenario, i int, request []byte) (reply scenarios.Reply, err error) {
	if e := s.Replies[i].Error; e != nil {
		return scenarios.Reply{Error: &scenarios.APIError{Status: e.Status, Code: e.Code, RetryAfter: e.RetryAfter}}, nil
	}
	if whole := askedInOnePiece(request); whole != nil {
		request = whole
	}
	plan, err := planReply(ctx, plain(s, i), i, request)
	if err != nil {
		return reply, err
	}
	var body []byte
	for _, f := range plan.Frames {
		body = append(body, f.Bytes...)
	}
	answer, err := ojson.Parse(body)
	if reply.Message = recording.MessageOf(withoutLogprobs(answer)); err != nil || reply.Message == nil {
		return reply, errNoMessage
	}
	return reply, nil
}

// withoutLogprobs returns an answer without its log-probabilities, which the server invents for
// requests that ask for them.
func withoutLogprobs(answer ojson.Value) ojson.Value {
	return answer.Replaced(func(v ojson.Value) (ojson.Value, bool) {
		if v.Get("logprobs").IsAbsent() {
			return v, false
		}
		return without(v, "logprobs"), true
	})
}

// plain returns a scenario without what it says of envelope, pace, wire, damage and end. Only
// a body in place of the answer stays.
func plain(s *scenarios.Scenario, i int) *scenarios.Scenario {
	body := s.Replies[i].Wire.Body
	if body == nil {
		body = s.Wire.Body
	}
	s = s.Clone()
	s.Manner, s.Replies[i].Manner = scenarios.Manner{}, scenarios.Manner{}
	s.Wire.Body = body
	return s
}

// withoutUsage returns a request that does not ask for usage in the stream, if the answer of
// reply i to it has none.
func withoutUsage(ctx context.Context, s *scenarios.Scenario, i int, request []byte) ([]byte, error) {
	body, err := ojson.Parse(request)
	if err != nil {
		return nil, err
	}
	answer, err := planReply(ctx, s, i, request)
	if err != nil || slices.ContainsFunc(answer.Frames, func(f server.PlannedFrame) bool { return f.Kind == "usage" }) {
		return request, err
	}
	return without(body, "stream_options").Append(nil), nil
}
