package ask

import (
	"slices"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

// Stores reports whether the request lets its answer be kept.
func Stores(req *scenarios.Request) bool {
	store, isBool := req.Body.Get("store").Bool()
	return store || !isBool
}

// InBackground reports whether the request wants its answer to be made whether or not
// the client stays.
func InBackground(req *scenarios.Request) bool {
	background, _ := req.Body.Get("background").Bool()
	return background
}

// Previous is the id of the answer that the request goes on from, or "".
func Previous(req *scenarios.Request) string { return req.Body.Get("previous_response_id").Text() }

// Conversation is the id of the conversation that the request belongs to, or "".
func Conversation(req *scenarios.Request) string {
	v := req.Body.Get("conversation")
	if v.Kind() == ojson.ObjectKind {
		v = v.Get("id")
	}
	return v.Text()
}

// Continue puts items before those of the request: what scenarios look at is then as
// if the request held them itself. It must be called before anything else looks.
// Referred are the items that its references name.
func Continue(req *scenarios.Request, before []ojson.Value, referred map[string]ojson.Value) {
	req.Before, req.Referred = before, referred
	// The request was read before without an error, and the items are those of requests
	// and answers that were, too.
	readInput(new(request.Reader), req)
}

// IsReference reports whether an item of an input stands for one that is kept. It may
// leave its type out.
func IsReference(item ojson.Value) bool {
	kind := item.Get("type")
	return kind.Text() == itemReference || kind.IsNullOrAbsent() && item.Get("role").IsNullOrAbsent() && !item.Get("id").IsNullOrAbsent()
}

// References are the ids of the items that the input refers to.
func References(req *scenarios.Request) (ids []string) {
	for _, item := range req.Body.Get("input").Items() {
		if IsReference(item) {
			ids = append(ids, item.Get("id").Text())
		}
	}
	return ids
}

// resolved are the items of the input, with those that are known in the place of the
// references to them.
func resolved(req *scenarios.Request) []ojson.Value {
	items := slices.Clone(req.Body.Get("input").Items())
	for i, item := range items {
		if referred, ok := req.Referred[item.Get("id").Text()]; ok && IsReference(item) {
			items[i] = referred
		}
	}
	return items
}

// readState checks the types of the members that name what the server keeps.
func readState(r *request.Reader, req *scenarios.Request) {
	r.Boolean(req.Body.Get("store"), request.At("store"), true)
	r.Boolean(req.Body.Get("background"), request.At("background"), false)
	v := req.Body.Get("conversation")
	if v.Kind() == ojson.ObjectKind {
		r.Text(v.Get("id"), request.At("conversation.id"))
	} else if !v.IsNullOrAbsent() && v.Kind() != ojson.StringKind {
		r.Fail(request.InvalidType("conversation", "one of a string or object", v))
	}
}
