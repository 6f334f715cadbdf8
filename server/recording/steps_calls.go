package recording

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// callParts finds the runs of steps that send a tool call in fragments, each with the one step
// that may send the same. There is one step for each chunk; steps without a fragment of a
// call may be zero.
func callParts(steps []scenarios.Step) (calls []part) {
	next := map[int]int{} // next is the index of the next call by choice.
	for i := 0; i < len(steps); i++ {
		first := fragmentOf(&steps[i])
		if first == nil {
			continue
		}
		index, choice := first.Index.Value, steps[i].Choice
		if st, n := callFrom(steps[i:], first, next[choice]); n > 0 {
			calls = append(calls, part{i, i + n, typed, st})
			i += n - 1
		}
		next[choice] = max(next[choice], index+1)
	}
	return calls
}

// fragmentOf is the fragment of a call in a step; nil if there is none, or several.
func fragmentOf(st *scenarios.Step) *scenarios.CallFragment {
	if len(st.Fragments) != 1 || !st.Fragments[0].Index.Present || st.Fragments[0].Index.Null {
		return nil
	}
	return &st.Fragments[0]
}

// callFrom is the call that the first step opens, with the fragments in the steps
// directly after it, and the number of all these steps; 0 if it opens none.
func callFrom(steps []scenarios.Step, first *scenarios.CallFragment, next int) (st scenarios.Step, n int) {
	text := argumentsOf(first)
	kind := first.Type.Value.Source
	st = steps[0]
	plain := st.Extra.IsAbsent() && st.Logprobs == nil && !st.Finish.Present && st.Usage == nil && st.Wire == nil
	if !plain || !first.ID.Present || !first.Name.Present || !text.Present || text.Null || kind != "function" && kind != "custom" {
		return st, 0
	}
	var pieces []string
	for n = 1; n < len(steps) && text.Value.Source == "" && goesOn(&steps[n], &st, first); n++ {
		pieces = append(pieces, argumentsOf(fragmentOf(&steps[n])).Value.Source)
	}
	call := &scenarios.ToolCall{ID: first.ID, Name: first.Name}
	if index := first.Index.Value; index != next {
		call.Index = &index
	}
	st.Fragments, st.Pieces = nil, cutInto(call, pieces)
	if whole := text.Value.Source; whole != "" {
		call.Arguments.Text, st.Pieces = text, scenarios.Pieces{Present: true}
	}
	if st.ToolCall = call; kind == "custom" {
		st.ToolCall, st.CustomTool = nil, call
	}
	return st, n
}

// argumentsOf is the arguments, or the input, of a fragment.
func argumentsOf(f *scenarios.CallFragment) scenarios.Opt[scenarios.Text] {
	if f.Input.Present {
		return f.Input
	}
	return f.Arguments.Text
}

// goesOn reports whether a step sends only further arguments of a call.
func goesOn(st, opening *scenarios.Step, first *scenarios.CallFragment) bool {
	f := fragmentOf(st)
	if f == nil || f.Index != first.Index || st.Choice != opening.Choice || f.ID.Present || f.Type.Present || f.Name.Present {
		return false
	}
	text := argumentsOf(f)
	rest := *st
	rest.Fragments, rest.Extra = nil, ojson.Value{}
	return text.Present && !text.Null && f.Input.Present == first.Input.Present && isEmpty(&rest) &&
		st.Extra.IsAbsent() && st.Logprobs == nil && st.Usage == nil && st.Wire == nil
}
