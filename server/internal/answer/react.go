package answer

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/render"
)

// React returns what is asked after a message has ended the wait of a step; the message is Absent if the wait ended
// without one. The answer made from the result begins with the same frames, up to the wait. The result is nil if nothing
// behind the step depends on the message. Steers says that the message asks for another answer: the reply then ends at the step, unless it has
// finished, or has calls that the client answers.
func (a *Asked) React(step int, message ojson.Value, steers bool) *Asked {
	before := (*a.Reply.Stream)[:step+1]
	if u := before[step].Until; u == nil || len(u.Message) == 0 {
		return nil
	}
	sel, next := *a.Selection, *a
	sel.Heard = append(slices.Clip(sel.Heard), scenarios.Heard{Step: step, Message: message})
	next.Selection, next.program = &sel, nil
	if steers && !slices.ContainsFunc(before, a.goesOnAt) {
		reply, manner := *a.Reply, *a.Manner
		steps := append(slices.Clip(before), scenarios.Step{Finish: scenarios.Some(scenarios.Text{Source: "stop"})})
		reply.Stream = &steps
		manner.Envelope.Response = &scenarios.Response{
			Status: scenarios.ResponseIncomplete, IncompleteDetails: ojson.Object(ojson.M("reason", ojson.String("steered"))),
		}
		sel.Reply, sel.Manner, next.alone = &reply, &manner, true
		return &next
	}
	if !render.UsesMessage(a.Reply) {
		return nil
	}
	return &next
}

// goesOnAt reports whether an answer is not ended by a message that steers it after a step: because the step finishes
// it, or has a call that the client answers.
func (a *Asked) goesOnAt(st scenarios.Step) bool {
	asks := a.Surface.Info().AsksClient
	return st.Finish.Present || st.Call() != nil || len(st.Fragments) > 0 || st.ToolCalls != nil || st.Item != nil && asks != nil && asks(st.Item.Type())
}
