package stored

import (
	"context"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// Responses and items that are invented for unknown ids, where [Limits.AnyID] is set.

// unknown returns an invented response object with the queried id, this status and no output.
func unknown(q *Query, status string) ojson.Value {
	null, none := ojson.Null(), ojson.Int(0)
	details := func(member string) ojson.Value { return ojson.Object(ojson.M(member, none)) }
	usage := ojson.Object(
		ojson.M("input_tokens", none), ojson.M("input_tokens_details", ojson.Object(ojson.M("cached_tokens", none), ojson.M("cache_write_tokens", none))),
		ojson.M("output_tokens", none), ojson.M("output_tokens_details", details("reasoning_tokens")), ojson.M("total_tokens", none))
	completed := ojson.Int(q.Now)
	if status != "completed" {
		usage, completed = null, null
	}
	return ojson.Object(
		ojson.M("id", ojson.String(q.ID)), ojson.M("object", ojson.String("response")), ojson.M("created_at", ojson.Int(q.Now)),
		ojson.M("status", ojson.String(status)), ojson.M("background", ojson.Bool(status == "cancelled")), ojson.M("completed_at", completed),
		ojson.M("error", null), ojson.M("incomplete_details", null), ojson.M("instructions", null), ojson.M("max_output_tokens", null),
		ojson.M("max_tool_calls", null), ojson.M("model", ojson.String("gpt-4o-2024-08-06")), ojson.M("output", ojson.Array()),
		ojson.M("parallel_tool_calls", ojson.Bool(true)), ojson.M("previous_response_id", null),
		ojson.M("reasoning", ojson.Object(ojson.M("effort", null), ojson.M("summary", null))), ojson.M("service_tier", ojson.String("default")),
		ojson.M("store", ojson.Bool(true)), ojson.M("temperature", ojson.Number("1.0")),
		ojson.M("text", ojson.Object(ojson.M("format", ojson.Object(ojson.M("type", ojson.String("text")))))),
		ojson.M("tool_choice", ojson.String("auto")), ojson.M("tools", ojson.Array()), ojson.M("top_p", ojson.Number("1.0")),
		ojson.M("truncation", ojson.String("disabled")), ojson.M("usage", usage), ojson.M("metadata", ojson.Object()),
	)
}

// invented returns an invented response: as an object, or as the events after a sequence
// number.
func invented(q *Query, stream bool, after int64) Result {
	if !stream {
		return Result{JSON: unknown(q, "completed")}
	}
	p := new(Replay)
	for n, e := range []struct{ kind, status string }{
		{"response.created", "in_progress"}, {"response.in_progress", "in_progress"}, {"response.completed", "completed"},
	} {
		if int64(n) > after {
			v := ojson.Object(ojson.M("type", ojson.String(e.kind)), ojson.M("response", unknown(q, e.status)), ojson.M("sequence_number", ojson.Int(int64(n))))
			p.invented = append(p.invented, sse.Framing{}.Append(nil, &sse.Event{Event: &e.kind, Data: v.Append(nil)}))
		}
	}
	return Result{Replay: p}
}

// nextInvented returns the bytes of the next invented event; nil at the end.
func (p *Replay) nextInvented(ctx context.Context) ([]byte, error) {
	if len(p.invented) == 0 {
		return nil, ctx.Err()
	}
	e := p.invented[0]
	p.invented = p.invented[1:]
	return e, ctx.Err()
}

// unknownItem returns an invented item: a message of the user with an empty text.
func unknownItem(id string) ojson.Value {
	part := ojson.Object(ojson.M("type", ojson.String("input_text")), ojson.M("text", ojson.String("")))
	return ojson.Object(
		ojson.M("id", ojson.String(id)), ojson.M("type", ojson.String("message")), ojson.M("status", ojson.String("completed")),
		ojson.M("content", ojson.Array(part)), ojson.M("role", ojson.String("user")))
}
