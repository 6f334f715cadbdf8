package answers

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"

	"github.com/fakeopenai/fakeopenai/cmd/fakeopenai/internal/console"
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

// plan returns what the fake would answer, and counts as a request to it.
func plan(ctx context.Context, fake *server.Server, r Request) (answer server.Plan, err error) {
	request, err := r.HTTP(server.WithPlan(ctx, func(p server.Plan) { answer = p }))
	if err == nil {
		serveAborting(fake, newBodyWriter(Show{Out: io.Discard}), request)
	}
	return answer, err
}

// patience is how often a request of an earlier turn is sent if the answers are errors,
// as clients retry.
const patience = 10

// nextTurn sends the request without streaming, and appends to its messages the answer
// and the next input: results of the tools that the answer calls, or else a message of
// the user.
func nextTurn(ctx context.Context, fake *server.Server, r *Request) error {
	var body map[string]json.RawMessage
	var messages []json.RawMessage
	if json.Unmarshal(r.Body, &body) != nil || json.Unmarshal(body["messages"], &messages) != nil {
		return console.Misuse("--turn needs a request with messages, which is one to chat completions")
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

// inOnePiece returns the request body without the members that ask for a stream.
func inOnePiece(body map[string]json.RawMessage) []byte {
	whole := map[string]json.RawMessage{}
	for name, value := range body {
		if name != "stream" && name != "stream_options" {
			whole[name] = value
		}
	}
	return encode(whole)
}

// goOn returns the messages that follow in the conversation: the answer, and the next
// input. An unreadable answer becomes a message with the text "…".
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
		_ = json.Unmarshal(said, &calls) // an error leaves no calls
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

// encode returns v as JSON. V must be a value that JSON can hold.
func encode(v any) []byte {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err) // a mistake of the programmer
	}
	return text
}
