package playing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/exit"
	"github.com/fakeopenai/fakeopenai/server"
)

// prepare makes the requests that come before the one to show: those of the turns
// before it, and its attempts before the last. They take no time.
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

// plan is what the fake would answer.
func plan(ctx context.Context, fake *server.Server, r Request) (answer server.Plan, err error) {
	request, err := r.HTTP(server.WithPlan(ctx, func(p server.Plan) { answer = p }))
	if err == nil {
		serveAborting(fake, newBodyWriter(Show{Out: io.Discard}), request)
	}
	return answer, err
}

// patience is how many times a turn is asked for again when it is answered with an
// error, as clients do.
const patience = 10

// nextTurn asks for the answer to a request in one piece, and goes on with the
// conversation: with results of the tools that the answer calls, or else with
// another message of the user.
func nextTurn(ctx context.Context, fake *server.Server, r *Request) error {
	var body map[string]json.RawMessage
	var messages []json.RawMessage
	if json.Unmarshal(r.Body, &body) != nil || json.Unmarshal(body["messages"], &messages) != nil {
		return exit.Misuse("--turn needs a request with messages, which is one to chat completions")
	}
	asked := *r
	asked.Body = inOnePiece(body)
	var answer server.Plan
	var err error
	for range patience {
		if answer, err = plan(ctx, fake, asked); err != nil {
			return err
		}
		if answer.Status < http.StatusBadRequest && answer.Status != 0 {
			break
		}
	}
	body["messages"] = encode(append(messages, goOn(answer)...))
	r.Body = encode(body)
	return nil
}

// inOnePiece is a request without what asks for a stream.
func inOnePiece(body map[string]json.RawMessage) []byte {
	whole := map[string]json.RawMessage{}
	for name, value := range body {
		if name != "stream" && name != "stream_options" {
			whole[name] = value
		}
	}
	return encode(whole)
}

// goOn is how a conversation goes on with an answer. One that cannot be read stands
// as a text.
func goOn(answer server.Plan) []json.RawMessage {
	var text bytes.Buffer
	for _, f := range answer.Frames {
		text.Write(f.Bytes)
	}
	var completion struct {
		Choices []struct{ Message json.RawMessage }
	}
	var calls struct {
		ToolCalls []struct{ ID string } `json:"tool_calls"`
	}
	said := json.RawMessage(`{"role":"assistant","content":"…"}`)
	if json.Unmarshal(text.Bytes(), &completion) == nil && len(completion.Choices) > 0 && completion.Choices[0].Message != nil {
		said = completion.Choices[0].Message
		_ = json.Unmarshal(said, &calls) // a message without calls is as good
	}
	list := []json.RawMessage{said}
	for _, call := range calls.ToolCalls {
		list = append(list, json.RawMessage(fmt.Sprintf(`{"role":"tool","tool_call_id":%s,"content":"{}"}`, encode(call.ID))))
	}
	if len(list) == 1 {
		list = append(list, json.RawMessage(`{"role":"user","content":"Go on."}`))
	}
	return list
}

// encode is JSON of what can always be said in it.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake in this package
	}
	return text
}
