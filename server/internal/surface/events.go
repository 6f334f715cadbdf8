package surface

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
)

// This file is for APIs whose streams are events of several types.

// IsOfChat reports whether a path names a place that only chunks of chat completions have.
func IsOfChat(_ *script.Group, p ojson.Path) bool {
	switch p[0].Name {
	case "choices", "usage", "id", "object", "created", "model", "system_fingerprint", "service_tier", "finish_reason":
		return true
	case "delta":
		return len(p) > 1
	case "logprobs":
		return len(p) > 1 && !p[1].IsIndex
	}
	return false
}

// EditEvents applies what the step of a group sets, omits and adds to the events that the surface has said for it.
func (o *Options) EditEvents(g *script.Group, said []compile.Unit) {
	edit := g.Edit
	if edit == nil {
		return
	}
	one := *g
	for i := range said {
		u := &said[i]
		if u.JSON.IsAbsent() {
			continue
		}
		one.Edit = &script.Edit{Omit: edit.Omit}
		for _, a := range edit.Set {
			if isPlaceIn(said, i, a.Path.Path) {
				one.Edit.Set = append(one.Edit.Set, a)
			}
		}
		u.JSON.SetAll(edit.Extra.Members())
		u.JSON = o.Amend(u.JSON, &one, func(p ojson.Path) ojson.Path { return p })
	}
}

// isPlaceIn reports whether a value is set in the event at i: if the event has the place; or,
// if no event has it, the object around the place; or, if no event has that either, if it is
// the last event.
func isPlaceIn(said []compile.Unit, i int, p ojson.Path) bool {
	for _, p := range []ojson.Path{p, p[:len(p)-1]} {
		has := func(u compile.Unit) bool { return len(p) > 0 && !u.JSON.Find(p).IsAbsent() }
		if slices.ContainsFunc(said, has) {
			return has(said[i])
		}
	}
	return i == len(said)-1
}

// The reasons why a response is incomplete.
const (
	ReasonLength = "max_output_tokens"
	ReasonFilter = "content_filter"
)

// StatusByFinish returns the status of a response with this finish reason, and the reason why it is incomplete.
func StatusByFinish(finish string) (status, reason string) {
	switch finish {
	case "length":
		return "incomplete", ReasonLength
	case "content_filter":
		return "incomplete", ReasonFilter
	}
	return "completed", ""
}
