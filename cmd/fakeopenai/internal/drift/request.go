package drift

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/playing"
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// planReply is what a reply of a scenario sends to a request, whatever its conditions.
func planReply(ctx context.Context, s *scenarios.Scenario, i int, body []byte) (server.Plan, error) {
	alone := s.Clone()
	alone.Extends, alone.Limits = "", scenarios.Limits{}
	alone.When = withCaptures(s.When, s.Replies[i].When)
	reply := alone.Replies[i]
	reply.When, reply.Times = scenarios.When{}, 0
	alone.Replies = []scenarios.Reply{reply}
	set, err := scenarios.NewSet(alone)
	if err != nil {
		return server.Plan{}, err
	}
	config := server.Config{Scenarios: set.Over(nil), Seed: 1, Created: 1, Speed: 1}
	return playing.Plan(ctx, config, playing.Request{Path: playing.SurfaceOf("", s).Path, Scenario: s.Name, Body: body})
}

// withCaptures are the conditions of a scenario, and those of a reply that capture what
// the reply may use. A scenario that is asked for by name answers whether they hold or not.
func withCaptures(w, reply scenarios.When) scenarios.When {
	w.User, w.System, w.Messages = cmp.Or(w.User, reply.User), cmp.Or(w.System, reply.System), cmp.Or(w.Messages, reply.Messages)
	w.ToolResults = append(slices.Clone(w.ToolResults), reply.ToolResults...)
	w.Header = append(slices.Clone(w.Header), reply.Header...)
	w.Body = append(slices.Clone(w.Body), reply.Body...)
	return w
}

// requestFor is a request that asks in the way that a scenario and its reply name: for
// a model, for a stream or not, and with the members of the body that they ask for as
// they are. Conditions on the whole body are the request itself.
func requestFor(s *scenarios.Scenario, i int) []byte {
	body, err := ojson.Parse([]byte(playing.SurfaceOf("", s).Example))
	if err != nil {
		panic(err) // a mistake in the surface
	}
	both := []scenarios.When{s.When, s.Replies[i].When}
	if slices.ContainsFunc(both, func(w scenarios.When) bool { return slices.ContainsFunc(w.Body, isInput) }) {
		body = ojson.Object()
	}
	for _, w := range both {
		if w.Model != "" && !strings.ContainsAny(w.Model, `*?[\`) {
			body.Set("model", ojson.String(w.Model))
		}
		for _, b := range w.Body {
			if b.Equals != nil && len(b.Path.Path) == 1 {
				body.Set(b.Path.Path[0].Name, *b.Equals)
			}
		}
		if w.Stream != nil && !*w.Stream {
			body = unstreamed(body)
		}
	}
	return body.Append(nil)
}

// isInput reports whether a condition asks for all that an answer is asked for.
func isInput(b scenarios.BodyMatch) bool {
	return b.Equals != nil && len(b.Path.Path) == 1 && slices.Contains([]string{"messages", "input", "prompt"}, b.Path.Path[0].Name)
}

// unstreamed is a request that asks for no stream.
func unstreamed(body ojson.Value) ojson.Value {
	var rest []ojson.Member
	for _, m := range body.Members() {
		if m.Name != "stream" && m.Name != "stream_options" {
			rest = append(rest, m)
		}
	}
	return ojson.Object(rest...)
}

// inOnePiece is a request that asks for the same in one piece; nil if it does anyway.
func inOnePiece(request []byte) []byte {
	body, err := ojson.Parse(request)
	if err != nil || body.Get("stream").IsAbsent() {
		return nil
	}
	return unstreamed(body).Append(nil)
}
