package chat

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// Path is the path of the API below /v1. Those of stored completions begin with it.
const Path = "/chat/completions"

// stores reports whether a request asks for its completion to be stored.
func stores(req *scenarios.Request) bool {
	store, _ := req.Body.Get("store").Bool()
	return store
}

// Stored is a completion as the service shows it later: with members of its request, and of usage and messages only
// those that are recorded, or say something. RequestID is the id of the request.
func Stored(completion ojson.Value, req *scenarios.Request, requestID string, metadata ojson.Value) ojson.Value {
	v, asked := pickMembers(completion, "object", "id", "model", "created"), req.Body
	v.Set("request_id", ojson.String(requestID))
	v.SetAll(pickMembers(asked, "tool_choice").Members())
	v.Set("usage", pickMembers(completion.Get("usage"), "total_tokens", "completion_tokens", "prompt_tokens"))
	sum := sha256.Sum256([]byte(v.Get("id").Text()))
	v.Set("seed", valueOr(asked.Get("seed"), ojson.Int(int64(binary.BigEndian.Uint64(sum[:])))))
	for _, m := range [][2]string{{"top_p", "1.0"}, {"temperature", "1.0"}, {"presence_penalty", "0.0"}, {"frequency_penalty", "0.0"}} {
		v.Set(m[0], valueOr(asked.Get(m[0]), ojson.Raw(m[1])))
	}
	v.Set("system_fingerprint", valueOr(completion.Get("system_fingerprint"), ojson.Null()))
	v.Set("input_user", valueOr(asked.Get("user"), ojson.Null()))
	v.Set("service_tier", completion.Get("service_tier"))
	v.SetAll(pickMembers(asked, "tools").Members())
	v.Set("metadata", valueOr(metadata, ojson.Object()))
	var choices []ojson.Value
	for _, said := range completion.Get("choices").Items() {
		choice, message := pickMembers(said, "index", "message", "finish_reason", "logprobs"), pickMembers(said.Get("message"), "content", "role", "tool_calls", "function_call")
		for _, m := range said.Get("message").Members() {
			if message.Get(m.Name).IsAbsent() && !m.Value.IsNull() && (m.Value.Kind() != ojson.ArrayKind || len(m.Value.Items()) > 0) {
				message.Set(m.Name, m.Value)
			}
		}
		choice.Set("message", message)
		choices = append(choices, choice)
	}
	v.Set("choices", ojson.Array(choices...))
	v.SetAll(pickMembers(asked, "response_format").Members())
	return v
}

// StoredMessages are the messages of the request for a stored completion, as the service lists them.
func StoredMessages(req *scenarios.Request, id string) (list []ojson.Value) {
	for i, m := range req.Body.Get("messages").Items() {
		v := ojson.Object(ojson.M("id", ojson.String(fmt.Sprintf("%s-%d", id, i))))
		v.SetAll(pickMembers(m, "role", "content", "content_parts", "name").Members())
		if parts := m.Get("content"); parts.Kind() == ojson.ArrayKind {
			v.Set("content", ojson.Null())
			v.Set("content_parts", parts)
		}
		v.SetMissing(m.Members())
		list = append(list, v)
	}
	return list
}

// pickMembers returns an object with the named members of another object; members that it does not have are null.
func pickMembers(of ojson.Value, names ...string) ojson.Value {
	v := ojson.Object()
	for _, name := range names {
		v.Set(name, of.Get(name).Or(ojson.Null()))
	}
	return v
}

// valueOr returns v or, if v is null or absent, otherwise.
func valueOr(v, otherwise ojson.Value) ojson.Value {
	if v.IsNullOrAbsent() {
		return otherwise
	}
	return v
}
