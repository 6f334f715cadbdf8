package recording

import (
	"bytes"
	"net/http"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server"
)

// bodyScenario turns an answer in one piece into a scenario: an error, a message, steps or, if
// none of these gives the same bytes, the literal body.
func bodyScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, error) {
	body := x.bodyBytes()
	if at := x.cameAt(len(body) - 1).Round(precision); at > 0 { // The server sends the body at once.
		base.Wire.HeaderDelay = &at
	}
	if sc, own := sayingScenario(x, base); sc != nil {
		into := &sc.Wire.Headers
		if len(sc.Replies) > 0 && sc.Replies[0].Error != nil {
			into = &sc.Replies[0].Error.Headers
		}
		*into = headersOf(x, own)
		if answer, err := replay(sc, x); err == nil && bytes.Equal(bodyIn(answer), body) { // Not all can be written as YAML.
			return sc, nil
		}
	}
	base.Wire.Body, base.End = literalBody(x, body), endOf(x)
	base.Wire.ContentType, base.Wire.Status = unusual(x, http.DetectContentType(body))
	answer, err := replay(&base, x)
	if err != nil {
		return nil, err
	}
	if base.Wire.Headers = headersOf(x, answer.Header); len(base.Wire.Headers) > 0 {
		_, err = replay(&base, x) // The language may refuse a header.
	}
	return &base, err
}

// sayingScenario is the error, message or stream that gives the same body, and the header that the server
// sends with it by itself; nil if there is none.
func sayingScenario(x *Exchange, base scenarios.Scenario) (*scenarios.Scenario, http.Header) {
	body := x.bodyBytes()
	v, err := ojson.Parse(body)
	if err != nil || x.Ending != EndedComplete || len(body) > longestSaid || isWide(v) {
		return nil, nil
	}
	if x.Status == http.StatusOK {
		base.Wire.ContentType, _ = unusual(x, "application/json")
	}
	list := sayings(x, v, base)
	if len(body) > abridgedFrom && len(list) > 1 {
		abridgement, short := *x, v.Clone()
		for _, name := range []string{"choices", "output"} {
			short.Set(name, abridged(short.Get(name)))
		}
		abridgement.Pieces = []Piece{{Data: short.Append(nil)}}
		sc, _ := firstGiving(&abridgement, short, sayings(&abridgement, short, base))
		list = slices.DeleteFunc(list, func(other scenarios.Scenario) bool {
			return sc == nil || other.Envelope.Layout != sc.Envelope.Layout || (other.Replies[0].Stream == nil) != (sc.Replies[0].Stream == nil)
		})
	}
	sc, answer := firstGiving(x, v, list)
	if sc == nil {
		return nil, nil
	}
	for _, style := range append([]*scenarios.JSONStyle{nil}, bodyStyles()...) {
		if style != nil {
			if string(encoder(style).Append(nil, v)) != strings.TrimSpace(string(body)) {
				continue
			}
			sc.Wire.JSONStyle = style
			if answer, err = rehearse(sc, x); err != nil {
				continue
			}
		}
		if bytes.Equal(bodyIn(answer), body) {
			return sc, answer.Header
		}
	}
	return nil, nil
}

// abridgedFrom is the length, in bytes, from which a body is abridged, fewest how many characters of its
// texts and how many values of its lists are left then: as many as an answer has choices.
const abridgedFrom, fewest = 16 << 10, 128

// abridged is a part of an answer with the beginnings of its texts and lists, to find quickly what gives
// such an answer. Texts with log-probabilities stay, because these spell the text.
func abridged(v ojson.Value) ojson.Value {
	switch v.Kind() {
	case ojson.StringKind:
		if text := []rune(v.Text()); len(text) > fewest {
			return ojson.String(string(text[:fewest]))
		}
	case ojson.ArrayKind:
		var items []ojson.Value
		for _, item := range v.Items()[:min(len(v.Items()), fewest)] {
			items = append(items, abridged(item))
		}
		return ojson.Array(items...)
	case ojson.ObjectKind:
		if len(v.Get("logprobs").Items()) > 0 || v.Get("logprobs").Kind() == ojson.ObjectKind {
			return v
		}
		var members []ojson.Member
		for _, m := range v.Members() {
			members = append(members, ojson.M(m.Name, abridged(m.Value)))
		}
		return ojson.Object(members...)
	}
	return v
}

// sayings are the scenarios with an error, a message or steps that may give a body.
func sayings(x *Exchange, v ojson.Value, base scenarios.Scenario) (list []scenarios.Scenario) {
	add := func(reply scenarios.Reply, env scenarios.Envelope) {
		sc := base
		sc.Replies, sc.Envelope = []scenarios.Reply{reply}, env
		list = append(list, sc)
	}
	surface := x.surface()
	switch {
	case x.Status >= http.StatusBadRequest && v.Get("error").Kind() == ojson.ObjectKind:
		e := errorOf(v)
		e.Status = x.Status
		add(scenarios.Reply{Error: &e}, scenarios.Envelope{})
		return list
	case !streams(surface):
		base.Wire.Body = &scenarios.Body{JSON: v}
		base.Wire.ContentType, base.Wire.Status = unusual(x, "application/json")
		return []scenarios.Scenario{base}
	case x.Status != http.StatusOK || asked(x).Stream:
		return nil
	}
	message, steps := MessageOf(v), answerSteps(v)
	for _, name := range layoutsOn(surface) {
		if message != nil {
			add(scenarios.Reply{Message: message}, answerEnvelope(v, name))
		}
	}
	for _, name := range layoutsOn(surface) {
		if v.Get("object").Text() == "response" {
			add(scenarios.Reply{Stream: &steps}, answerEnvelope(v, name))
		}
	}
	return list
}

// mostBodyEdits is how many edits an answer in one piece may have. Each takes time for each event of an
// answer, and a body with more is easier to read as it is.
const mostBodyEdits = 100

// firstGiving is the first scenario in a list that gives the values of the recorded body, if need be with
// edits of the envelope, and the answer that it gives; nil if none does.
func firstGiving(x *Exchange, want ojson.Value, list []scenarios.Scenario) (*scenarios.Scenario, *server.Plan) {
	for range 2 {
		var edited []scenarios.Scenario
		for _, sc := range list {
			answer, err := rehearse(&sc, x)
			if err != nil || answer.Status != x.Status {
				continue
			}
			got, err := ojson.Parse(bodyIn(answer))
			if err == nil && ojson.Equal(got, want) {
				return &sc, answer
			}
			if edits, ok := editsBetween(got, want); err == nil && ok && len(edits) <= mostBodyEdits && want.Get("object").Text() == "response" {
				for _, e := range edits {
					inside := edit{append(ojson.Path{{Name: "response"}}, e.Path...), e.Value}
					inside = ofWholeMember(inside, ojson.Object(ojson.M("response", want)))
					p := ofAnswer(inside.Path, ojson.Object(ojson.M("response", got)))
					addEdit(&sc.Envelope.Omit, &sc.Envelope.Set, p, inside.Value)
				}
				edited = append(edited, sc)
			}
		}
		list = edited
	}
	return nil, nil
}
