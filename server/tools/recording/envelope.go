package recording

import (
	"cmp"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// envelopeMembers are the members that all chunks have from the envelope.
var envelopeMembers = []string{"id", "object", "created", "model", "service_tier", "system_fingerprint"}

// chatEnvelope is the envelope of a stream in a layout, derived from its first chunk.
func chatEnvelope(first ojson.Value, layout scenarios.Layout) scenarios.Envelope {
	env := scenarios.Envelope{Layout: layout, ID: textOf(first.Get("id")), Model: textOf(first.Get("model"))}
	if object := first.Get("object"); object.Text() != "chat.completion.chunk" && object.Text() != "text_completion" {
		env.Object = textOf(object)
	}
	env.SystemFingerprint, env.ServiceTier = textOf(first.Get("system_fingerprint")), textOf(first.Get("service_tier"))
	created(&env, first.Get("created"))
	return env
}

// lastSecond is the end of the year 9999, the latest creation time that an envelope can have. Some servers
// send milliseconds.
const lastSecond = 253402300799

// created sets the creation time of an envelope, if that can have it.
func created(env *scenarios.Envelope, at ojson.Value) {
	n, isWhole := at.Int()
	switch {
	case at.IsNull():
		env.Created = scenarios.NullOf[int64]()
	case isWhole && n <= lastSecond:
		env.Created = scenarios.Some(n)
	case !isWhole && !at.IsAbsent():
		env.CreatedAs = at
	}
}

// responseEnvelope is the envelope of a stream of the Responses API in a layout, derived
// from its events. Padded says that the request wants obfuscation.
func responseEnvelope(events []ojson.Value, layout scenarios.Layout, padded bool) scenarios.Envelope {
	env := scenarios.Envelope{Layout: layout}
	deltas, obfuscated := 0, false
	for i, e := range events {
		if response := e.Get("response"); !env.ID.Present && response.Kind() == ojson.ObjectKind {
			env = chatEnvelope(response, layout)
			created(&env, response.Get("created_at"))
			env.ServiceTier, env.SystemFingerprint = scenarios.Opt[scenarios.Text]{}, textOf(response.Get("system_fingerprint"))
			if env.Object.Value.Source == "response" {
				env.Object = scenarios.Opt[scenarios.Text]{}
			}
		}
		switch name := strings.TrimPrefix(e.Get("type").Text(), "response."); name {
		case "output_item.added":
			if id := e.Get("item").Get("id").Text(); id != "" {
				env.ItemIDs = append(env.ItemIDs, id)
			}
		case "queued":
			env.Response = &scenarios.Response{Status: scenarios.ResponseQueued}
		case "failed", "incomplete":
			if outcome := outcomeOf(e.Get("response"), i > 0 && events[i-1].Get("type").Text() == "error"); outcome != nil {
				env.Response = outcome
			}
		}
		if e.Get("delta").Kind() == ojson.StringKind {
			deltas++
		}
		obfuscated = obfuscated || !e.Get("obfuscation").IsAbsent()
	}
	if padded && deltas > 0 && !obfuscated && layout != scenarios.Layout202503 {
		no := false
		env.Obfuscation = &no
	}
	return env
}

// outcomeOf is the final status of a response; nil if the finish step, or an error event
// before the end, implies it.
func outcomeOf(response ojson.Value, afterError bool) *scenarios.Response {
	details := response.Get("incomplete_details")
	switch reason := details.Get("reason").Text(); {
	case afterError:
		return nil
	case response.Get("status").Text() == scenarios.ResponseFailed && response.Get("error").Kind() == ojson.ObjectKind:
		return &scenarios.Response{Error: response.Get("error")}
	case details.Kind() == ojson.ObjectKind && reason != "content_filter" && reason != "max_output_tokens":
		return &scenarios.Response{Status: scenarios.ResponseIncomplete, IncompleteDetails: details}
	}
	return nil
}

// answerEnvelope is the envelope of an answer in one piece, in a layout.
func answerEnvelope(v ojson.Value, layout scenarios.Layout) scenarios.Envelope {
	if v.Get("object").Text() != "response" {
		env := chatEnvelope(v, layout)
		if v.Get("object").Text() == "chat.completion" {
			env.Object = scenarios.Opt[scenarios.Text]{}
		}
		return env
	}
	env := responseEnvelope([]ojson.Value{ojson.Object(ojson.M("response", v))}, layout, false)
	for _, item := range v.Get("output").Items() {
		if id := item.Get("id").Text(); id != "" {
			env.ItemIDs = append(env.ItemIDs, id)
		}
	}
	env.Response = outcomeOf(v, false)
	return env
}

// chatNames are the names of the scenario language, which are those of chat completions, for
// the members of the usage of a response.
var chatNames = map[string]string{
	"input_tokens": "prompt_tokens", "output_tokens": "completion_tokens",
	"input_tokens_details": "prompt_tokens_details", "output_tokens_details": "completion_tokens_details",
}

// sentDetails are the details that the server sends by itself, by the member that holds them.
var sentDetails = map[string][]string{
	"input_tokens_details":      {"cached_tokens", "cache_write_tokens"},
	"output_tokens_details":     {"reasoning_tokens"},
	"prompt_tokens_details":     {"cached_tokens", "audio_tokens"},
	"completion_tokens_details": {"reasoning_tokens", "audio_tokens", "accepted_prediction_tokens", "rejected_prediction_tokens"},
}

// usageOf is a recorded usage without members that the server fills in; null if there is none.
func usageOf(told ojson.Value) *scenarios.Usage {
	if told.Kind() != ojson.ObjectKind {
		return &scenarios.Usage{Null: true}
	}
	object := ojson.Object()
	var sum int64
	for _, m := range told.Members() {
		n, _ := m.Value.Int()
		name, value := cmp.Or(chatNames[m.Name], m.Name), m.Value
		switch name {
		case "prompt_tokens", "completion_tokens":
			sum += n
		case "total_tokens":
			if n == sum {
				continue
			}
		case "prompt_tokens_details", "completion_tokens_details":
			value = ojson.Object(slices.DeleteFunc(slices.Clone(value.Members()), func(d ojson.Member) bool {
				return d.Value.Text() == "0" && slices.Contains(sentDetails[m.Name], d.Name)
			})...)
			if len(value.Members()) == 0 {
				continue
			}
		}
		object.Set(name, value)
	}
	return &scenarios.Usage{Object: object}
}
