package chat

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// legacyPlace is the number of a function_call, which has none.
const legacyPlace = -1

// Gather adds what a chunk says, or a whole answer.
func (on Surface) Gather(r *surface.Reading, _ string, v ojson.Value) {
	r.ID(v.Get("id"))
	r.Usage(v.Get("usage"))
	for _, choice := range v.Get("choices").Items() {
		index, _ := choice.Get("index").Int()
		c := r.Choice(int(index))
		if on.legacy {
			c.Text(choice.Get("text"))
			c.Finish(choice.Get("finish_reason"))
			continue
		}
		for _, m := range []ojson.Value{choice.Get(on.dialect().delta), choice.Get(on.dialect().message)} {
			c.Text(m.Get("content"))
			c.Refusal(m.Get("refusal"))
			for _, entry := range m.Get("tool_calls").Items() {
				kind := callKind(entry)
				body := entry.Get(string(kind))
				c.Call(entry.Get("index"), entry.Get("id"), body.Get("name"), body.Get(payload(kind)))
			}
			if f := m.Get("function_call"); f.Kind() == ojson.ObjectKind {
				c.Call(ojson.Int(legacyPlace), ojson.Value{}, f.Get("name"), f.Get(payload(script.LegacyCall)))
			}
		}
		c.Finish(choice.Get("finish_reason")) // after the text beside it, which comes before the end
	}
}

// callKind is the type of the call that an entry of tool_calls belongs to.
func callKind(entry ojson.Value) script.CallType {
	if !entry.Get("custom").IsAbsent() || entry.Get("type").Text() == string(script.CustomCall) {
		return script.CustomCall
	}
	return script.FunctionCall
}
