package answers

import (
	"context"
	"net/http"
	"slices"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// prepare sends the requests before the one to show: those of earlier turns, and the
// earlier attempts. They are planned and not played, so that they take no time.
func prepare(ctx context.Context, fake *server.Server, r *Request) error {
	for range r.Turn - 1 {
		if err := nextTurn(ctx, fake, r); err != nil {
			return err
		}
	}
	for range r.Attempt - 1 {
		if _, err := plan(ctx, fake, *r); err != nil {
			return err
		}
	}
	return nil
}

// patience is how often a request of an earlier turn is sent if the answers are errors,
// as clients retry.
const patience = 10

// nextTurn sends the request without streaming, and appends to its messages the answer
// and the next input: results of the tools that the answer calls, or else a message of
// the user.
func nextTurn(ctx context.Context, fake *server.Server, r *Request) error {
	body, err := ojson.Parse(r.Body)
	messages := body.Get("messages")
	if err != nil || messages.Kind() != ojson.ArrayKind {
		return console.Misuse("--turn needs a request with messages, which is one to chat completions")
	}
	asked := *r
	asked.Body = unstreamed(body).Append(nil)
	var answer server.Plan
	for range patience {
		if answer, err = plan(ctx, fake, asked); err != nil {
			return err
		}
		if answer.Status < http.StatusBadRequest && answer.Status != 0 {
			break
		}
	}
	body.Set("messages", ojson.Array(append(slices.Clone(messages.Items()), goOn(answer)...)...))
	r.Body = body.Append(nil)
	return nil
}

// unstreamed returns a request body without the members that ask for a stream.
func unstreamed(body ojson.Value) ojson.Value {
	var rest []ojson.Member
	for _, m := range body.Members() {
		if m.Name != "stream" && m.Name != "stream_options" {
			rest = append(rest, m)
		}
	}
	return ojson.Object(rest...)
}

// goOn returns the messages that follow in the conversation: the answer, and the next
// input. An unreadable answer becomes a message with the text "…".
func goOn(answer server.Plan) []ojson.Value {
	said := ojson.Object(ojson.M("role", ojson.String("assistant")), ojson.M("content", ojson.String("…")))
	if v, err := ojson.Parse(bodyOf(answer)); err == nil {
		if choices := v.Get("choices").Items(); len(choices) > 0 && !choices[0].Get("message").IsAbsent() {
			said = choices[0].Get("message")
		}
	}
	list := []ojson.Value{said}
	for _, call := range said.Get("tool_calls").Items() {
		list = append(list, ojson.Object(ojson.M("role", ojson.String("tool")), ojson.M("tool_call_id", call.Get("id")), ojson.M("content", ojson.String("{}"))))
	}
	if len(list) == 1 {
		list = append(list, ojson.Object(ojson.M("role", ojson.String("user")), ojson.M("content", ojson.String("Go on."))))
	}
	return list
}
