package responses

import (
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface/responses/hosted"
)

// callStart opens a call, or goes on with it if it is open already.
func (s *speaker) callStart(c *script.CallStart) {
	if s.calls[c.Index] == nil {
		s.openCall(c.Index, c.Type, c.ID, c.Name)
	}
	if script.Says(c.Arguments) {
		s.callArguments(c.Index, c.Type, c.Arguments)
	}
}

func (s *speaker) openCall(index int, t script.CallType, id, name ojson.Value) {
	kind := hosted.Function
	if t == script.CustomCall {
		kind = hosted.Custom
	}
	s.calls[index] = s.openItem(kind, func(i *item) { i.call, i.callID, i.name = index, id, name })
}

// callArguments writes a piece of the arguments of a call. It opens a call without id and name
// if the script has not opened it.
func (s *speaker) callArguments(index int, t script.CallType, piece ojson.Value) {
	if piece.IsNullOrAbsent() {
		return
	}
	if s.calls[index] == nil {
		s.openCall(index, t, ojson.Value{}, ojson.Value{})
	}
	i := s.calls[index]
	i.arguments.add(piece)
	name := "response.function_call_arguments.delta"
	if i.kind == hosted.Custom {
		name = "response.custom_tool_call_input.delta"
	}
	s.emit(name, kindTool, append(s.inside(i), ojson.M("delta", piece))...)
}

// callFragment writes a fragment of a call that the author wrote member by member. The first
// fragment of a call opens it. One without an index belongs to the latest call, or opens one if
// it has an id.
func (s *speaker) callFragment(f *script.CallFragment) {
	t := script.FunctionCall
	if f.Custom {
		t = script.CustomCall
	}
	index, ok := f.Index.Int()
	if !ok {
		index = int64(s.latest)
		if script.Says(f.ID) {
			index = int64(len(s.calls))
		}
	}
	s.latest = int(index)
	s.callStart(&script.CallStart{Index: int(index), Type: t, ID: f.ID, Name: f.Name, Arguments: f.Arguments})
}
