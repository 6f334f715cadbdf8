package responses

import (
	"iter"
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Stores reports whether the request lets its response be stored.
func Stores(req *scenarios.Request) bool {
	store, isBool := req.Body.Get("store").Bool()
	return store || !isBool
}

// InBackground reports whether the request wants its response to be made even if the client
// leaves.
func InBackground(req *scenarios.Request) bool {
	background, _ := req.Body.Get("background").Bool()
	return background
}

// Previous returns the previous_response_id, or "".
func Previous(req *scenarios.Request) string { return req.Body.Get("previous_response_id").Text() }

// Conversation returns the id of the request's conversation, or "".
func Conversation(req *scenarios.Request) string {
	v := req.Body.Get("conversation")
	if v.Kind() == ojson.ObjectKind {
		v = v.Get("id")
	}
	return v.Text()
}

// IsReference reports whether an item of an input is a reference to a kept item. A reference
// may have no type.
func IsReference(item ojson.Value) bool {
	kind := item.Get("type")
	return kind.Text() == itemReference || kind.IsNullOrAbsent() && item.Get("role").IsNullOrAbsent() && !item.Get("id").IsNullOrAbsent()
}

// References returns the ids in the item references of the input.
func References(req *scenarios.Request) iter.Seq[string] {
	return func(yield func(string) bool) {
		for _, item := range req.Body.Get("input").Items() {
			if IsReference(item) && !yield(item.Get("id").Text()) {
				return
			}
		}
	}
}

// resolved returns the items of the input, with known items in the place of their references.
func resolved(req *scenarios.Request) []ojson.Value {
	items := slices.Clone(req.Body.Get("input").Items())
	for i, item := range items {
		if referred, ok := req.Referred[item.Get("id").Text()]; ok && IsReference(item) {
			items[i] = referred
		}
	}
	return items
}
