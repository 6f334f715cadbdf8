package recording

import (
	"bytes"
	"net/http"
	"slices"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// asMessage is the stream as a message; ok says that the message sends the same events
// in the same layout, except for the values of obfuscation and the places where texts
// are cut.
func (s *stream) asMessage() (sc *scenarios.Scenario, ok bool) {
	if s.exchange.Ending != EndedComplete || s.base.Wire.Format != "" {
		return nil, false
	}
	message := s.said()
	want, ok := s.uncut(s.frames)
	if message == nil || !ok {
		return nil, false
	}
	made := s.base
	made.Envelope.Obfuscations = nil
	made.Replies = []scenarios.Reply{{Message: message}}
	answer, err := s.how.replay(&made, s.exchange)
	if err != nil || answer.status != s.exchange.Status {
		return nil, false
	}
	frames := framesOf(&Exchange{Pieces: []Piece{{Data: answer.body()}}})
	if got, ok := s.uncut(frames); !ok || !slices.Equal(got, want) {
		return nil, false
	}
	s.paceMessage(&made)
	return &made, true
}

// said is the message that the events of the stream add up to; nil if there is none.
func (s *stream) said() *scenarios.Message {
	var all said
	for i := range s.frames[:len(s.frames)-s.done] {
		v := s.frames[i].value
		switch {
		case v.IsAbsent():
			return nil
		case s.isResponses() && i == len(s.frames)-s.done-1:
			return messageInResponse(v.Get("response"))
		case s.isResponses():
		case v.Get("choices").Kind() != ojson.ArrayKind || !all.add(v):
			return nil
		}
	}
	return all.message()
}

// paceMessage sets the pace of the message: the first and the last chunk leave when they
// came, the others at equal distances.
func (s *stream) paceMessage(sc *scenarios.Scenario) {
	if at := s.exchange.HeaderAt.Round(precision); at > 0 {
		sc.Wire.HeaderDelay = &at
	}
	gaps := s.gaps()[:len(s.frames)-s.done]
	var rest time.Duration
	for _, gap := range gaps[1:] {
		rest += gap
	}
	second := time.Second
	sc.Pace.Every = &second // The length of the answer then tells how many pauses it has.
	answer, err := s.how.replay(sc, s.exchange)
	sc.Pace.Every = nil
	if err == nil {
		pauses := (answer.frames[len(answer.frames)-1].at - answer.frames[0].at) / second
		if every := (rest / max(1, pauses)).Round(precision); every > 0 {
			sc.Pace.Every = &every
		}
	}
	if gaps[0] > 0 {
		sc.Pace.First = &scenarios.First{Mean: gaps[0]}
	}
}

// uncut are the events of a stream without the values of obfuscation and the sequence
// numbers, and with the pieces of a text joined. It is not ok if the JSON of an event is
// in another style than the stream's, or if a sequence number is not the next one.
func (s *stream) uncut(frames []frame) (events []string, ok bool) {
	style := ojson.Style{}
	if s.base.Wire.JSONStyle != nil {
		style = encoder(s.base.Wire.JSONStyle)
	}
	shells := make([]string, 0, len(frames))
	var texts []string
	for i := range frames {
		f := &frames[i]
		shell, text := string(f.Raw), ""
		if v := f.value; !v.IsAbsent() {
			if string(style.Append(nil, v)) != f.data {
				return nil, false
			}
			if n, numbered := v.Get("sequence_number").Int(); numbered && n != int64(i) {
				return nil, false
			}
			v, text = withoutText(v)
			before, after, _ := bytes.Cut(f.Raw, []byte(f.data))
			shell = string(before) + v.String() + string(after)
		}
		if n := len(shells); n > 0 && text != "" && shells[n-1] == shell {
			texts[n-1] += text
			continue
		}
		shells, texts = append(shells, shell), append(texts, text)
	}
	for i := range shells {
		events = append(events, shells[i]+texts[i])
	}
	return events, true
}

// bodyMessage is an answer in one piece as a message; ok says that the message gives the
// same bytes.
func (how Writing) bodyMessage(x *Exchange, base scenarios.Scenario) (sc *scenarios.Scenario, ok bool) {
	body := x.bodyBytes()
	v, err := ojson.Parse(body)
	if err != nil || x.Status != http.StatusOK || x.Ending != EndedComplete || asksForStream(x) {
		return nil, false
	}
	message, envelopes := messageInBody(v, base.When.Surface)
	if message == nil {
		return nil, false
	}
	base.Replies = []scenarios.Reply{{Message: message}}
	for _, style := range append([]*scenarios.JSONStyle{nil}, bodyStyles()...) {
		if style != nil && string(encoder(style).Append(nil, v)) != string(bytes.TrimSpace(body)) {
			continue
		}
		for try := range 2 * len(envelopes) { // First all layouts without edits, then all with edits.
			base.Wire.JSONStyle, base.Envelope = style, envelopes[try%len(envelopes)]
			if how.givesBody(&base, x, v, try >= len(envelopes)) {
				base.Wire.HeaderDelay = x.wholeAt(len(body))
				return &base, true
			}
		}
	}
	return nil, false
}

// givesBody reports whether a scenario gives the recorded body. On responses it may add
// edits to the envelope.
func (how Writing) givesBody(sc *scenarios.Scenario, x *Exchange, want ojson.Value, mayEdit bool) bool {
	if mayEdit && want.Get("object").Text() != "response" {
		return false // It was tried without edits before.
	}
	for edited := !mayEdit; ; edited = true {
		answer, err := how.replay(sc, x)
		if err != nil || answer.status != x.Status {
			return false
		}
		if bytes.Equal(answer.body(), x.bodyBytes()) {
			return true
		}
		got, err := ojson.Parse(answer.body())
		edits, ok := editsBetween(got, want)
		if edited || err != nil || !ok || len(edits) == 0 {
			return false
		}
		for _, e := range edits {
			inside := append(ojson.Path{{Name: "response"}}, e.Path...)
			p := ofAnswer(inside, ojson.Object(ojson.M("response", got)))
			addEdit(&sc.Envelope.Omit, &sc.Envelope.Set, p, e.Value)
		}
	}
}

// messageInBody is a body as a message, with the envelopes that may fit; nil if a message cannot
// express it.
func messageInBody(v ojson.Value, surface string) (message *scenarios.Message, envelopes []scenarios.Envelope) {
	if v.Get("object").Text() == "response" {
		for _, name := range layoutsOn(surface) {
			envelopes = append(envelopes, answerEnvelope(v, name))
		}
		return messageInResponse(v), envelopes
	}
	var all said
	if v.Get("choices").Kind() != ojson.ArrayKind || !all.add(v) {
		return nil, nil
	}
	for _, name := range layoutsOn(surface) {
		env := chatEnvelope(v, name)
		if v.Get("object").Text() == "chat.completion" {
			env.Object = scenarios.Opt[scenarios.Text]{}
		}
		envelopes = append(envelopes, env)
	}
	return all.message(), envelopes
}
