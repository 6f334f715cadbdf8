package responses

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// ofChat reports whether a path names a place that only the chunks of chat
// completions have.
func ofChat(p scenarios.Path) bool {
	switch p.Path[0].Name {
	case "choices", "usage", "id", "object", "created", "model", "system_fingerprint", "service_tier", "finish_reason":
		return true
	case "delta":
		return len(p.Path) > 1
	case "logprobs":
		return len(p.Path) > 1 && !p.Path[1].IsIndex
	}
	return false
}

// edit changes what the step says in the events of the group.
func (s *speaker) edit() {
	edit := s.group.Edit
	if edit == nil {
		return
	}
	for i := s.began; i < len(s.units); i++ {
		u := &s.units[i]
		if u.JSON.IsAbsent() {
			continue
		}
		if len(edit.Extra.Members()) > 0 {
			u.JSON = u.JSON.Clone()
		}
		for _, m := range edit.Extra.Members() {
			u.JSON.Set(m.Name, m.Value)
		}
		u.JSON = s.options.Amend(u.JSON, s.group, Surface{}.Complete)
	}
}

// ofAnswer are the members of an answer, beside those that repeat the request, by
// which the envelope means the answer and not the events that bring it.
var ofAnswer = []string{
	"id", "object", "created_at", "status", "completed_at", "incomplete_details", "model", "output", "service_tier", "usage", "billing",
}

// isOfAnswer reports whether a path begins with a member of an answer. Text is one of
// events, too, and means these.
func isOfAnswer(p ojson.Path) bool {
	name := p[0].Name
	for _, echo := range echoes {
		if echo.name == name && name != "text" {
			return true
		}
	}
	return slices.Contains(ofAnswer, name)
}

// inEvent are the places that a path of the envelope means in an event: those of an
// answer are in its snapshots.
func inEvent(p ojson.Path) []ojson.Path {
	if isOfAnswer(p) {
		return []ojson.Path{append(ojson.Path{{Name: "response"}}, p...)}
	}
	return []ojson.Path{p}
}

// inAnswer are the places that a path of the envelope means in a whole answer.
func inAnswer(p ojson.Path) []ojson.Path {
	switch {
	case p[0].Name == "response" && len(p) > 1:
		return []ojson.Path{p[1:]}
	case isOfAnswer(p):
		return []ojson.Path{p}
	}
	return nil
}
