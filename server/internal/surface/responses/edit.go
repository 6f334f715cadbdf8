package responses

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// isOfAnswer reports whether a path of the envelope begins with a member of the response object
// and names it without "response". Events have members text and error of their own, which such a
// path means.
func isOfAnswer(p ojson.Path) bool {
	name := p[0].Name
	return name == "billing" || memberNamed(name) != nil && name != "text" && name != "error"
}

// inEvent returns a function that maps a path of the envelope to the places in an event of this
// type: a member of the response object is inside "response", and a path that begins with the
// type of an event is about that type alone.
func inEvent(eventType string) func(ojson.Path) []ojson.Path {
	return func(p ojson.Path) []ojson.Path {
		inside, of := behind(p, eventType)
		if isOfAnswer(inside) && (!of || isSnapshot(eventType)) {
			return []ojson.Path{append(ojson.Path{{Name: "response"}}, inside...)}
		}
		return []ojson.Path{inside}
	}
}

// behind returns the path without the event type that it begins with, and true; or the whole
// path and false.
func behind(p ojson.Path, eventType string) (inside ojson.Path, of bool) {
	words := strings.Split(eventType, ".")
	if len(words) < 2 || len(p) <= len(words) {
		return p, false
	}
	for i, word := range words {
		if p[i].IsIndex || p[i].Name != word {
			return p, false
		}
	}
	return p[len(words):], true
}

// isSnapshot reports whether events of this type have a response object.
func isSnapshot(eventType string) bool {
	return slices.Contains([]string{"created", "queued", "in_progress", statusCompleted, statusIncomplete, statusFailed, statusCancelled}, strings.TrimPrefix(eventType, "response."))
}

// inAnswer maps a path of the envelope to the places in the body of an answer in one piece.
func inAnswer(p ojson.Path) []ojson.Path {
	switch {
	case p[0].Name == "response" && len(p) > 1:
		return []ojson.Path{p[1:]}
	case isOfAnswer(p):
		return []ojson.Path{p}
	}
	return nil
}
