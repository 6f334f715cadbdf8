package recording

import (
	"bytes"
	"net/http"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// bodyScenario turns an answer in one piece into a scenario: an error, a message, steps or, if
// none of these gives the same bytes, the literal body.
func bodyScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, error) {
	body := x.bodyBytes()
	if at := x.cameAt(len(body) - 1).Round(precision); at > 0 { // The server sends the body at once.
		base.Wire.HeaderDelay = &at
	}
	sc, own := sayingScenario(x, base)
	if sc == nil {
		text := literal(string(body))
		sc, base.Wire.Body, base.End = &base, &text, endOf(x)
		base.Wire.ContentType, base.Wire.Status = unusual(x, "text/plain; charset=utf-8")
		answer, err := replay(sc, x)
		if err != nil {
			return nil, err
		}
		own = answer.Header
	}
	into := &sc.Wire.Headers
	if len(sc.Replies) > 0 && sc.Replies[0].Error != nil {
		into = &sc.Replies[0].Error.Headers
	}
	*into = headersOf(x, own)
	_, err := replay(sc, x) // The language may refuse a header.
	return sc, err
}

// sayingScenario is the error, message or stream that gives the same body, and the header that the server
// sends with it by itself; nil if there is none.
func sayingScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, http.Header) {
	body := x.bodyBytes()
	v, err := ojson.Parse(body)
	if err != nil || x.Ending != EndedComplete {
		return nil, nil
	}
	replies, envelopes := sayings(x, v)
	if x.Status == http.StatusOK {
		base.Wire.ContentType, _ = unusual(x, "application/json")
	}
	for _, style := range append([]*scenarios.JSONStyle{nil}, bodyStyles()...) {
		if style != nil && string(encoder(style).Append(nil, v)) != strings.TrimSpace(string(body)) {
			continue
		}
		var list []scenarios.Scenario
		for _, reply := range replies {
			for _, env := range envelopes {
				sc := base
				sc.Replies, sc.Envelope, sc.Wire.JSONStyle = []scenarios.Reply{reply}, env, style
				list = append(list, sc)
			}
		}
		sc, header, edited := firstGiving(x, v, list)
		if sc == nil {
			sc, header, _ = firstGiving(x, v, edited)
		}
		if sc != nil {
			return sc, header
		}
	}
	return nil, nil
}

// sayings are the error, the message or the steps that may give a body, and the envelopes with
// which they may.
func sayings(x *Exchange, v ojson.Value) (replies []scenarios.Reply, envelopes []scenarios.Envelope) {
	switch {
	case x.Status >= http.StatusBadRequest && v.Get("error").Kind() == ojson.ObjectKind:
		e := errorOf(v)
		e.Status = x.Status
		return []scenarios.Reply{{Error: &e}}, make([]scenarios.Envelope, 1)
	case x.Status != http.StatusOK || asked(x).Stream:
		return nil, nil
	}
	surface, _ := SurfaceOf(x.Path)
	if message := MessageOf(v); message != nil {
		replies = append(replies, scenarios.Reply{Message: message})
	}
	if v.Get("object").Text() == "response" {
		steps := answerSteps(v)
		replies = append(replies, scenarios.Reply{Stream: &steps})
	}
	for _, name := range layoutsOn(surface) {
		envelopes = append(envelopes, answerEnvelope(v, name))
	}
	return replies, envelopes
}

// firstGiving is the first scenario in a list that gives the recorded body, and the header that
// the server sends with it by itself. If none does, edited are those of the list that may give it
// with edits of the envelope.
func firstGiving(x *Exchange, want ojson.Value, list []scenarios.Scenario) (sc *scenarios.Scenario, header http.Header, edited []scenarios.Scenario) {
	for _, sc := range list {
		answer, err := replay(&sc, x)
		if err != nil || answer.Status != x.Status {
			continue
		}
		if bytes.Equal(bodyIn(answer), x.bodyBytes()) {
			return &sc, answer.Header, nil
		}
		got, err := ojson.Parse(bodyIn(answer))
		if edits, ok := editsBetween(got, want); err == nil && ok && want.Get("object").Text() == "response" {
			for _, e := range edits {
				inside := edit{append(ojson.Path{{Name: "response"}}, e.Path...), e.Value}
				inside = ofWholeMember(inside, ojson.Object(ojson.M("response", want)))
				p := ofAnswer(inside.Path, ojson.Object(ojson.M("response", got)))
				addEdit(&sc.Envelope.Omit, &sc.Envelope.Set, p, inside.Value)
			}
			edited = append(edited, sc)
		}
	}
	return nil, nil, edited
}
