package recording

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// responseLayouts are the layouts of the Responses API, that of the request's path first.
var responseLayouts = []scenarios.Layout{"", scenarios.Layout202602, scenarios.Layout202510, scenarios.LayoutAzure, scenarios.Layout202503}

// messageInBody is a body as a message, with the envelopes that may fit; nil if a message cannot
// express it.
func messageInBody(v ojson.Value) (message *scenarios.Message, envelopes []scenarios.Envelope) {
	if v.Get("object").Text() == "response" {
		for _, layout := range responseLayouts {
			envelopes = append(envelopes, answerEnvelope(v, layout))
		}
		return messageInResponse(v), envelopes
	}
	var all said
	if v.Get("choices").Kind() != ojson.ArrayKind || !all.add(v) {
		return nil, nil
	}
	for _, l := range scenarios.Layouts() {
		env := chatEnvelope(v, l.Name)
		if v.Get("object").Text() == "chat.completion" {
			env.Object = scenarios.Opt[scenarios.Text]{}
		}
		envelopes = append(envelopes, env)
	}
	return all.message(), envelopes
}
