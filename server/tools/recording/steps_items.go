package recording

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses"
)

// itemOf is the item with these members, for a step.
func itemOf(members ojson.Value) *scenarios.Item {
	item := new(scenarios.Item)
	t := responses.ItemNamed(members.Get("type").Text())
	for _, m := range members.Members() {
		item.Members = append(item.Members, scenarios.ItemMember{Name: m.Name, Value: m.Value, Foreign: !t.Has(m.Name)})
	}
	return item
}

// hostedItem is the step for an item with these events, of which the first adds it and
// the last closes it. Members that the server sends by itself are left out.
func hostedItem(t *responses.ItemType, events []ojson.Value) (st scenarios.Step) {
	done := events[len(events)-1].Get("item")
	members := ojson.Object(ojson.M("type", done.Get("type")))
	for _, m := range done.Members() {
		if m.Name != "id" && (m.Name != "status" || !t.IsKnown() || m.Value.Text() != "completed") {
			members.Set(m.Name, m.Value)
		}
	}
	var images []ojson.Value
	var pieces []string
	for _, e := range events {
		if image := e.Get("partial_image_b64"); !image.IsAbsent() {
			images = append(images, image)
		}
		switch delta := e.Get("delta"); delta.Kind() {
		case ojson.StringKind:
			pieces = append(pieces, delta.Text())
		case ojson.ObjectKind: // The texts have names.
			pieces = append(pieces, delta.Members()[0].Value.Text())
		}
	}
	if len(images) > 0 {
		members.Set("partial_images", ojson.Array(images...))
	}
	st.Item = itemOf(members)
	if !cutByDefault(pieces, t.Streamed(members)) {
		st.Pieces = written(pieces)
	}
	return st
}

// cutByDefault reports whether the service cuts the texts of an item into these pieces.
func cutByDefault(pieces []string, texts []responses.StreamedText) bool {
	var want []string
	for _, text := range texts {
		if text.Whole {
			want = append(want, text.Value.Text())
		} else {
			want = append(want, script.Cut(text.Value.Text(), scenarios.Cut{})...)
		}
	}
	return slices.Equal(want, pieces)
}

func written(pieces []string) scenarios.Pieces {
	p := scenarios.Pieces{Present: true}
	for _, piece := range pieces {
		p.Texts = append(p.Texts, literal(piece))
	}
	return p
}

// cutInto sets the arguments of a call from their pieces, and returns how they are cut.
func cutInto(call *scenarios.ToolCall, pieces []string) scenarios.Pieces {
	whole := strings.Join(pieces, "")
	if len(pieces) == 0 {
		return scenarios.Pieces{}
	}
	call.Arguments.Text = scenarios.Some(literal(whole))
	if slices.Equal(pieces, script.CutArguments(whole)) {
		return scenarios.Pieces{}
	}
	if slices.Equal(pieces, script.CutEvenly(whole, len(pieces))) {
		return scenarios.Pieces{Present: true, Count: len(pieces)}
	}
	call.Arguments.Text = scenarios.Opt[scenarios.Text]{} // The pieces contain the arguments.
	return written(pieces)
}

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
