package recording

import "github.com/fakeopenai/fakeopenai/scenarios"

// withCalls are the parts of a stream, in which one part with the whole call replaces those that
// send its fragments directly after each other.
func withCalls(parts []part) (list []part) {
	next := map[int]int{} // next is the index of the next call by choice.
	for len(parts) > 0 {
		p, n := parts[0], 1
		if first := fragmentOf(&p.step); first != nil {
			choice := p.step.Choice
			if call, length := callFrom(parts, first, next[choice]); length > 0 {
				p, n = part{p.first, parts[length-1].end, typed, call}, length
			}
			next[choice] = max(next[choice], first.Index.Value+1)
		}
		list, parts = append(list, p), parts[n:]
	}
	return list
}

// fragmentOf is the fragment of a call in a step; nil if there is none, or several.
func fragmentOf(st *scenarios.Step) *scenarios.CallFragment {
	if len(st.Fragments) != 1 || !st.Fragments[0].Index.Present || st.Fragments[0].Index.Null {
		return nil
	}
	return &st.Fragments[0]
}

// callFrom is the step for the call that the first part opens, with the fragments in the parts
// directly after it, and the number of all these parts; 0 if it opens none.
func callFrom(parts []part, first *scenarios.CallFragment, next int) (st scenarios.Step, n int) {
	text := argumentsOf(first)
	kind := first.Type.Value.Source
	st = parts[0].step
	if !hasOnlyDelta(&st) || st.Finish.Present || !first.ID.Present || !first.Name.Present || !text.Present || text.Null || kind != "function" && kind != "custom" {
		return st, 0
	}
	var pieces []string
	for n = 1; n < len(parts) && text.Value.Source == "" && goesOn(&parts[n].step, &st, first); n++ {
		pieces = append(pieces, argumentsOf(fragmentOf(&parts[n].step)).Value.Source)
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
	rest.Fragments = nil
	return text.Present && !text.Null && f.Input.Present == first.Input.Present && hasOnlyDelta(st) && isEmpty(&rest)
}

// hasOnlyDelta reports whether a step has nothing beside the contents of its delta.
func hasOnlyDelta(st *scenarios.Step) bool {
	return st.Extra.IsAbsent() && st.Logprobs == nil && st.Usage == nil && st.Wire == nil
}
