package recording

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// answerSteps are the steps that may give a response in one piece: those of the events in which
// its output would come. A step of a piece has the whole text.
func answerSteps(response ojson.Value) (steps []scenarios.Step) {
	events := []ojson.Value{event("created")}
	for _, item := range response.Get("output").Items() {
		added := event("output_item.added", ojson.M("item", item))
		events = append(append(events, added), itemEvents(item)...)
		events = append(events, event("output_item.done", ojson.M("item", item)))
	}
	end := event(response.Get("status").Text(), ojson.M("response", response))
	for _, p := range withCalls(responseParts(append(events, end))) {
		p.step.Pieces = scenarios.Pieces{}
		steps = append(steps, p.step)
	}
	return steps
}

// itemEvents are the events that fill an item. Items of the service's own tools are whole.
func itemEvents(item ojson.Value) (list []ojson.Value) {
	delta := func(name string, text ojson.Value, more ...ojson.Member) {
		list = append(list, event(name+".delta", append([]ojson.Member{ojson.M("delta", text)}, more...)...))
	}
	switch item.Get("type").Text() {
	case responses.Message:
		for i, part := range item.Get("content").Items() {
			list = append(list, event("content_part.added", ojson.M("content_index", ojson.Int(int64(i))), ojson.M("part", part)))
			if refusal := part.Get("refusal"); !refusal.IsAbsent() {
				delta("refusal", refusal)
			} else {
				delta("output_text", part.Get("text"), ojson.M("logprobs", part.Get("logprobs")))
			}
			for _, a := range part.Get("annotations").Items() {
				list = append(list, event("output_text.annotation.added", ojson.M("annotation", a)))
			}
		}
	case responses.Reasoning:
		for i, part := range item.Get("summary").Items() {
			list = append(list, event("reasoning_summary_part.added", ojson.M("summary_index", ojson.Int(int64(i)))))
			delta("reasoning_summary_text", part.Get("text"))
		}
		for _, part := range item.Get("content").Items() {
			delta("reasoning_text", part.Get("text"))
		}
	case responses.Function:
		delta("function_call_arguments", item.Get("arguments"))
	case responses.Custom:
		delta("custom_tool_call_input", item.Get("input"))
	}
	return list
}

// event is an event of the Responses API.
func event(name string, members ...ojson.Member) ojson.Value {
	return ojson.Object(append([]ojson.Member{ojson.M("type", ojson.String("response."+name))}, members...)...)
}
