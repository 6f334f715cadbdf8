package wording

import (
	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// ResponseLayouts are the layouts of the Responses API, that of the request's path first.
var ResponseLayouts = []scenarios.Layout{"", scenarios.Layout202602, scenarios.Layout202510, scenarios.LayoutAzure, scenarios.Layout202503}

// Body is a body as a message, with the envelopes that may fit; nil if a message cannot
// express it.
func Body(v ojson.Value) (message *scenarios.Message, envelopes []scenarios.Envelope) {
	if v.Get("object").Text() == "response" {
		for _, layout := range ResponseLayouts {
			envelopes = append(envelopes, AnswerEnvelope(v, layout))
		}
		return Answer(v), envelopes
	}
	var all Said
	if v.Get("choices").Kind() != ojson.ArrayKind || !all.Add(v) {
		return nil, nil
	}
	for _, l := range scenarios.Layouts() {
		env := Envelope(v, l.Name)
		if v.Get("object").Text() == "chat.completion" {
			env.Object = scenarios.Opt[scenarios.Text]{}
		}
		envelopes = append(envelopes, env)
	}
	return all.Message(), envelopes
}
