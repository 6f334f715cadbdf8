package wording

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// OfAnswer is a path to a member of the answer as the envelope may say it: from there
// on, where that is no member of events, too.
func OfAnswer(p ojson.Path, event ojson.Value) ojson.Path {
	name := p[1].Name
	if event.Get("response").Get(name).IsAbsent() || slices.Contains([]string{"text", "error", "conversation", "system_fingerprint"}, name) {
		return p
	}
	return p[1:]
}

// Add adds an edit, and reports whether the place was not edited before.
func Add(omit *[]scenarios.Path, set *[]scenarios.Assignment, p ojson.Path, v ojson.Value) bool {
	same := func(other scenarios.Path) bool { return other.String() == p.String() }
	if slices.ContainsFunc(*set, func(a scenarios.Assignment) bool { return same(a.Path) }) || slices.ContainsFunc(*omit, same) {
		return false
	}
	if v.IsAbsent() {
		*omit = append(slices.Clip(*omit), scenarios.Path{Path: p})
	} else {
		*set = append(slices.Clip(*set), scenarios.Assignment{Path: scenarios.Path{Path: p}, Value: v})
	}
	return true
}

// Behind is a path behind the type of the event that it is in alone.
func Behind(kind string, p ojson.Path) ojson.Path {
	var long ojson.Path
	for word := range strings.SplitSeq(kind, ".") {
		long = append(long, ojson.PathElement{Name: word})
	}
	return append(long, p...)
}

// InChoice is a path into a chunk, as it is written: places in its choice are named
// without it.
func InChoice(p ojson.Path) ojson.Path {
	if len(p) > 2 && p[0].Name == "choices" && slices.Contains([]string{"delta", "finish_reason", "logprobs"}, p[2].Name) {
		return p[2:]
	}
	return p
}

// Outside is an edit of a whole member of the answer, where it is inside of one that
// repeats the request: what that is, only the request tells.
func Outside(e Edit, want ojson.Value) Edit {
	if len(e.Path) > 2 && e.Path[0].Name == "response" && e.Path[1].Name != "output" && e.Path[1].Name != "usage" {
		p := e.Path[:2:2]
		return Edit{Path: p, Value: want.Find(p)}
	}
	return e
}
