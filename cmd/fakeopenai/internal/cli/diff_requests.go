package cli

import (
	"context"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// planReply returns the answer of one reply of a scenario to a request, whatever the
// conditions of the reply.
func planReply(ctx context.Context, s *scenarios.Scenario, i int, body []byte) (server.Plan, error) {
	alone := s.Clone()
	alone.Extends, alone.Limits = "", scenarios.Limits{}
	reply := alone.Replies[i]
	reply.When, reply.Times, reply.Chance = scenarios.When{}, 1, nil
	// The others stay, because what the scenario says of all replies may need one of them.
	alone.Replies = append([]scenarios.Reply{reply}, slices.Delete(alone.Replies, i, i+1)...)
	set, err := scenarios.NewSet(alone)
	if err != nil {
		return server.Plan{}, err
	}
	on := surfaceOf("", alone)
	config := server.Config{Scenarios: set.Over(nil), Seed: 1, Created: 1, Speed: 1}
	return planRequested(ctx, config, playRequest{Method: on.Method, Path: on.Path, Scenario: s.Name, Body: body})
}

// requestFor makes a request body that meets the conditions of a scenario and its reply
// on the model, on streaming, and on members of the body with exact values. If they have the exact messages, input or
// prompt, nothing is taken from the example.
func requestFor(s *scenarios.Scenario, i int) []byte {
	body, err := ojson.Parse([]byte(surfaceOf("", s).Example))
	if err != nil {
		panic(err) // the example of a surface is always JSON
	}
	both := []scenarios.When{s.When, s.Replies[i].When}
	if slices.ContainsFunc(both, func(w scenarios.When) bool { return slices.ContainsFunc(w.Body, isInput) }) {
		body = ojson.Object()
	}
	for _, w := range both {
		if models := w.NamedModels(); len(models) > 0 {
			body.Set("model", ojson.String(models[0]))
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

// isInput reports whether a condition gives the exact messages, input or prompt.
func isInput(b scenarios.BodyMatch) bool {
	return b.Equals != nil && len(b.Path.Path) == 1 && slices.Contains([]string{"messages", "input", "prompt"}, b.Path.Path[0].Name)
}

// askedInOnePiece returns the request for an answer in one piece; nil if it is one already.
func askedInOnePiece(request []byte) []byte {
	body, err := ojson.Parse(request)
	if err != nil || body.Get("stream").IsAbsent() {
		return nil
	}
	return unstreamed(body).Append(nil)
}

// unstreamed returns a request body without the members that ask for a stream.
func unstreamed(body ojson.Value) ojson.Value { return without(body, "stream", "stream_options") }

// without returns a JSON object without some members.
func without(object ojson.Value, names ...string) ojson.Value {
	var rest []ojson.Member
	for _, m := range object.Members() {
		if !slices.Contains(names, m.Name) {
			rest = append(rest, m)
		}
	}
	return ojson.Object(rest...)
}
