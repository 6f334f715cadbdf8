package scenarios

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// This file holds, for each word that says how an answer is sent, what it needs to have an
// effect. A word whose needs are not met in any reply that has it is a mistake.

// A carrier is a reply, with the words of its own and those that it has from its scenario.
type carrier struct {
	struck   bool // struck says that a fault is laid over the reply.
	scenario *Scenario
	reply    *Reply
	index    int // index is the reply's position in the scenario.
	*Manner
	under []*Manner // under are the manners that words of the reply or of its scenario are laid over.
}

// A need is something that a word has an effect on.
type need struct {
	noun string // noun completes "It needs ..."; "" for an answer, which goes without saying.
	// lacks returns why a reply does not have it, in words; "" if it has it.
	lacks func(*carrier) string
}

// An effect is a word of a manner or a message, and what it needs.
type effect struct {
	section, word string
	written       func(*carrier) bool
	needs         []need
	instead       string // instead is the hint where the last of the needs is not met; "" is to leave the word out.
}

// Needs returns what a word of the language needs to have an effect, such as "a stream of
// events"; "" if it needs no more than an answer.
func Needs(section, word string) string {
	for _, e := range effects() {
		if e.section == section && e.word == word {
			var nouns []string
			for _, n := range e.needs {
				if n.noun != "" {
					nouns = append(nouns, n.noun)
				}
			}
			return strings.Join(nouns, ", and ")
		}
	}
	return ""
}

// effects is the table of the words and their needs, by sections.
var effects = sync.OnceValue(func() []effect { return slices.Concat(wireEffects, envelopeEffects, paceEffects, otherEffects) })

var wireEffects = []effect{
	{"wire", "newline", func(c *carrier) bool { return c.Wire.Newline != "" || c.Wire.Newlines[0] != "" }, []need{events}, ""},
	{"wire", "bom", func(c *carrier) bool { return c.Wire.BOM != nil }, []need{events}, ""},
	{"wire", "space", func(c *carrier) bool { return c.Wire.Space != nil }, []need{events}, ""},
	{"wire", "split", func(c *carrier) bool { return c.Wire.Split != nil }, []need{someJSON, lineEnds}, ""},
	{"wire", "coalesce", func(c *carrier) bool { return c.Wire.Coalesce > 0 }, []need{aStream, undripped, apart}, "write every: 20ms in pace, or leave it out"},
	{"wire", "multiline_data", func(c *carrier) bool { return c.Wire.MultilineData != nil || c.Wire.DataLines > 0 }, []need{events}, ""},
	{"wire", "comments_between", func(c *carrier) bool { return c.Wire.CommentsBetween != nil }, []need{events}, ""},
	{"wire", "event_name", func(c *carrier) bool { return c.Wire.EventName.Present }, []need{events, named}, ""},
	{"wire", "ids", func(c *carrier) bool { return c.Wire.IDs != nil }, []need{events}, ""},
	{"wire", "retry", func(c *carrier) bool { return c.Wire.Retry != nil }, []need{events}, ""},
	{"wire", "final_blank", func(c *carrier) bool { return c.Wire.FinalBlank != nil }, []need{aStream, notCut}, ""},
	{"wire", "done", func(c *carrier) bool { return c.Wire.Done != nil }, []need{events, aLastEvent, noOwnDone, doneMark}, ""},
	{"wire", "json_style", func(c *carrier) bool { return c.Wire.JSONStyle != nil }, []need{someJSON}, ""},
	{"wire", "gzip", func(c *carrier) bool { return c.Wire.Gzip != "" }, []need{aResponse}, ""},
	{"wire", "gzip_forced", func(c *carrier) bool { return c.Wire.GzipForced }, []need{aResponse, compression}, "write gzip: flush beside it, or leave it out"},
	{"wire", "connection", func(c *carrier) bool { return c.Wire.Connection != "" }, []need{aResponse, anOpenConnection}, "leave it out; headers: { Connection: keep-alive } sends that field alone"},
	{"wire", "length", func(c *carrier) bool { return c.Wire.Length != "" }, []need{aResponse}, ""},
	{"wire", "drip", func(c *carrier) bool { return c.Wire.Drip > 0 }, []need{aResponse}, ""},
	{"wire", "content_type", func(c *carrier) bool { return c.Wire.ContentType != nil }, []need{aResponse}, ""},
	{"wire", "headers", func(c *carrier) bool { return len(c.Wire.Headers) > 0 }, []need{aResponse}, ""},
	{"wire", "status", func(c *carrier) bool { return c.Wire.Status != 0 }, []need{aResponse, noError}, "write status in error"},
	{"wire", "format", func(c *carrier) bool { return c.Wire.Format != "" }, []need{anAnswer, ownFormat}, ""},
	{"wire", "body", func(c *carrier) bool { return c.Wire.Body != nil }, []need{aResponse, noError}, "write body in error"},
	{"wire", "on_shutdown", func(c *carrier) bool { return len(c.Wire.OnShutdown) > 0 }, []need{aStream, uncompressed}, "leave one of them out"},
}

var envelopeEffects = []effect{
	{"envelope", "id", func(c *carrier) bool { return c.Envelope.ID.Present }, []need{anEnvelope, untouched("id")}, ""},
	{"envelope", "object", func(c *carrier) bool { return c.Envelope.Object.Present }, []need{anEnvelope, untouched("object")}, ""},
	{"envelope", "created", func(c *carrier) bool {
		return c.Envelope.Created.Present || c.Envelope.CreatedPerChunk || !c.Envelope.CreatedAs.IsAbsent()
	}, []need{anEnvelope, untouched("created"), chunkByChunk}, ""},
	{"envelope", "model", func(c *carrier) bool { return c.Envelope.Model.Present }, []need{anEnvelope, untouched("model")}, ""},
	{"envelope", "system_fingerprint", func(c *carrier) bool { return c.Envelope.SystemFingerprint.Present }, []need{anEnvelope, untouched("system_fingerprint")}, ""},
	{"envelope", "service_tier", func(c *carrier) bool { return c.Envelope.ServiceTier.Present }, []need{anEnvelope, untouched("service_tier")}, ""},
	{"envelope", "layout", func(c *carrier) bool { return c.Envelope.Layout != "" }, []need{anEnvelope, ownLayout}, ""},
	{"envelope", "obfuscation", func(c *carrier) bool { return c.Envelope.Obfuscation != nil || c.Envelope.Obfuscations != nil },
		[]need{aStream, onSurface(DefaultSurface, surfaceResponses), padded, untouched("obfuscation")}, ""},
	{"envelope", "usage_null", func(c *carrier) bool { return c.Envelope.UsageNull != nil }, []need{aStream, onSurface(DefaultSurface, surfaceCompletions), untouched("usage")}, ""},
	{"envelope", "sequence_number", func(c *carrier) bool { return c.Envelope.SequenceNumber != nil }, []need{aStream, onSurface(surfaceResponses), numbered}, ""},
	{"envelope", "item_ids", func(c *carrier) bool { return c.Envelope.ItemIDs != nil }, []need{anEnvelope, onSurface(surfaceResponses)}, ""},
	{"envelope", "order", func(c *carrier) bool { return len(c.Envelope.Order) > 0 }, []need{aStream, onSurface(DefaultSurface, surfaceCompletions)}, ""},
	{"envelope", "omit", func(c *carrier) bool { return len(c.Envelope.Omit) > 0 }, []need{anEnvelope}, ""},
	{"envelope", "set", func(c *carrier) bool { return len(c.Envelope.Set) > 0 }, []need{anEnvelope}, ""},
	{"envelope", "response", func(c *carrier) bool { return c.Envelope.Response != nil }, []need{anEnvelope, onSurface(surfaceResponses)}, ""},
	{"envelope", "extra", func(c *carrier) bool { return !c.Envelope.Extra.IsAbsent() }, []need{anEnvelope}, ""},
}

const delayInstead = "leave it out; wire: { header_delay: 2s } delays what is sent at once"

var paceEffects = []effect{
	{"pace", "first", func(c *carrier) bool { return c.Pace.First != nil }, []need{anAnswer}, delayInstead},
	{"pace", "every", func(c *carrier) bool { return c.Pace.Every != nil }, []need{anAnswer}, delayInstead},
	{"pace", "jitter", func(c *carrier) bool { return c.Pace.Jitter != nil }, []need{anAnswer}, delayInstead},
	{"pace", "distribution", func(c *carrier) bool { return c.Pace.Distribution != "" }, []need{anAnswer, pauses}, "write every: 20ms beside it"},
	{"pace", "recorded", func(c *carrier) bool { return c.Pace.Recorded != nil }, []need{anAnswer}, delayInstead},
	{"pace", "per", func(c *carrier) bool { return c.Pace.Per != "" }, []need{anAnswer, onSurface(surfaceResponses), pauses}, "write every: 20ms beside it"},
	{"pace", "burst", func(c *carrier) bool { return c.Pace.Burst != nil }, []need{anAnswer, pauses}, "write every: 20ms beside it"},
	{"pace", "speed", func(c *carrier) bool { return c.Pace.Speed != 0 }, []need{anAnswer, anyPause}, ""},
}

var otherEffects = []effect{
	{"reply", "message", func(c *carrier) bool { return c.says((*Message).saysSomething) }, []need{noFixedBody}, ""},
	{"reply", "stream", func(c *carrier) bool { return c.reply.Stream != nil && len(*c.reply.Stream) > 0 }, []need{noFixedBody}, ""},
	{"scenario", "check_history", func(c *carrier) bool { return c.scenario.CheckHistory != nil && *c.scenario.CheckHistory }, []need{onSurface(DefaultSurface, surfaceResponses)}, ""},
	{"reply", "damage", func(c *carrier) bool { return len(c.Damage) > 0 }, []need{aResponse}, ""},
	{"end", "close", func(c *carrier) bool { return c.End.Kind == EndClose && !c.End.SaysCode() }, []need{aDone}, "leave end out"},
	{"end", "code of close", func(c *carrier) bool { return c.End.SaysCode() }, []need{onSurface(surfaceResponses, surfaceRealtime)}, "leave code and reason out: only WebSocket connections have close frames"},
	{"cut", "after", func(c *carrier) bool { return c.End.Kind == EndCut && c.End.All }, []need{chunkedBody}, "leave one of them out"},
	{"message", "content", func(c *carrier) bool {
		return c.says(func(m *Message) bool { return m.Content.Present && !m.Content.Null })
	}, []need{noAudio}, ""},
	{"message", "fake", func(c *carrier) bool { return c.says(func(m *Message) bool { return m.Fake != nil }) }, []need{noAudio}, ""},
	{"message", "refusal", func(c *carrier) bool {
		return c.says(func(m *Message) bool { return m.Refusal.Present && !m.Refusal.Null })
	}, []need{noAudio}, ""},
	{"message", "tool_calls", func(c *carrier) bool { return c.says(func(m *Message) bool { return len(m.ToolCalls) > 0 }) }, []need{noAudio}, ""},
	{"message", "annotations", func(c *carrier) bool { return c.says(func(m *Message) bool { return m.Annotations != nil }) }, []need{noAudio, aList}, ""},
	{"message", "logprobs", func(c *carrier) bool {
		return c.says(func(m *Message) bool { return m.Logprobs != nil && m.Logprobs.isOfTokens() })
	}, []need{noAudio, aTokenText}, ""},
	{"message", "by", func(c *carrier) bool { return c.says(func(m *Message) bool { return m.By != Cut{} }) }, []need{aText}, ""},
	{"step", "done", func(c *carrier) bool { return c.lastDone() != nil && c.Wire.Format != "ndjson" }, []need{aLastEvent}, "leave it out, or end after it with after: all"},
	{"step", "done: false", steps("done: false"), []need{onSurface(DefaultSurface, surfaceCompletions)}, "leave it out"},
	{"step", "done", func(c *carrier) bool { return c.lastDone() != nil && c.Wire.Format == "ndjson" }, []need{aDoneMark}, "leave it out"},
	{"step", "next", func(c *carrier) bool { return c.step(beginsPart) != nil }, []need{textBefore}, ""},
	{"step", "next of reasoning", func(c *carrier) bool { return c.firstReasoning() != nil }, []need{reasoningBefore}, ""},
	{"step", "extra of a role", steps("extra of a role"), []need{onSurface(DefaultSurface, surfaceResponses)}, "leave it out: the surface sends no role"},
	{"step", "wire of a role", steps("wire of a role"), []need{onSurface(DefaultSurface, surfaceResponses)}, "leave it out: the surface sends no role"},
	{"step", "when_asked", steps("when_asked"), []need{usageOnRequest}, "leave it out: responses always have usage"},
	{"step", "wire", steps("wire"), []need{layout}, ""},
	{"step", "comment", steps("comment"), []need{aStream}, ""},
	{"step", "raw", steps("raw"), []need{aStream}, ""},
	{"step", "event", steps("event"), []need{aStream}, ""},
	{"tool call", "later", func(c *carrier) bool { return c.call(repeats) != nil }, []need{onSurface(DefaultSurface)}, ""},
	{"tool call", "index", func(c *carrier) bool { return c.call(isNumbered) != nil }, []need{onSurface(DefaultSurface)}, ""},
	{"reasoning", "field", func(c *carrier) bool {
		return c.says(func(m *Message) bool { return m.Reasoning != nil && m.Reasoning.Field != "" })
	}, []need{onSurface(DefaultSurface)}, ""},
}

// wordPlaces tell where a word stands that a carrier has, by its section and name, or by the section of all its words.
var wordPlaces = map[string]func(c *carrier, word string) diag.Pos{
	"wire":      func(c *carrier, word string) diag.Pos { return c.Wire.At[word] },
	"envelope":  func(c *carrier, word string) diag.Pos { return c.Envelope.At[word] },
	"pace":      func(c *carrier, word string) diag.Pos { return c.Pace.At[word] },
	"message":   func(c *carrier, word string) diag.Pos { return c.reply.Message.At[word] },
	"reasoning": func(c *carrier, _ string) diag.Pos { return c.reply.Message.Reasoning.Pos },
	"cut":       func(c *carrier, _ string) diag.Pos { return c.End.Pos },
	"end":       func(c *carrier, _ string) diag.Pos { return c.End.Pos },

	"scenario.check_history": func(c *carrier, _ string) diag.Pos { return c.scenario.CheckHistoryPos },
	"reply.message":          func(c *carrier, _ string) diag.Pos { return c.reply.Message.Pos },
	"reply.stream":           func(c *carrier, _ string) diag.Pos { return c.reply.Pos },
	"reply.damage":           func(c *carrier, _ string) diag.Pos { return c.Damage[0].Pos },
	"step.done":              func(c *carrier, _ string) diag.Pos { return c.lastDone().Pos },
	"step.next":              func(c *carrier, _ string) diag.Pos { return cmp.Or(c.firstPart(), c.step(beginsPart)).Pos },
	"step.next of reasoning": func(c *carrier, _ string) diag.Pos { return c.firstReasoning().Pos },
	"step.wire":              func(c *carrier, _ string) diag.Pos { return c.step(hasWire).Wire.Pos },
	"tool call.later":        func(c *carrier, _ string) diag.Pos { return c.call(repeats).Later.Pos },
	"tool call.index":        func(c *carrier, _ string) diag.Pos { return c.call(isNumbered).Pos },
}

// at is where a word stands; the zero position if the scenario was made in Go.
func (c *carrier) at(e *effect) diag.Pos {
	for _, key := range []string{e.section + "." + e.word, e.section} {
		if place := wordPlaces[key]; place != nil {
			return place(c, e.word)
		}
	}
	return c.step(stepWords[e.word]).Pos
}

// A place identifies a word: by its position or, if it was made in Go, by its scenario.
type place struct {
	pos      diag.Pos
	scenario string
	word     string
}

// CheckEffects finds words that have no effect in any reply that has them. After the check of
// the server it finds more: see [Reply.RefusedOn].
func (set *Set) CheckEffects() diag.List {
	var found []place
	problems := map[place]diag.Problem{}
	for _, e := range set.all() {
		for i := range e.replies {
			c := &carrier{scenario: e.scenario, reply: &e.scenario.Replies[i], index: i, Manner: e.replies[i].manner, under: e.replies[i].under}
			for k := range effects() {
				of := &effects()[k]
				if !of.written(c) {
					continue
				}
				at := place{pos: c.at(of), word: of.section + "." + of.word}
				if at.pos.Line == 0 {
					at.scenario = set.origin(e.scenario, of)
				}
				why, hint := of.lacks(c)
				if why != "" && of.undoes(c) {
					why = ""
				}
				if _, known := problems[at]; !known {
					found = append(found, at)
					problems[at] = c.problem(of, at, why, hint)
				}
				if why == "" {
					problems[at] = diag.Problem{}
				}
			}
		}
	}
	var list diag.List
	for _, at := range found {
		if p := problems[at]; p.Message != "" {
			list = append(list, p)
		}
	}
	return append(list, set.overridden()...)
}

// overridden finds words of a scenario's manner that none of its replies takes over, because each
// says its own.
func (set *Set) overridden() (list diag.List) {
	left := map[diag.Pos]bool{} // left has the places of the words in the manners that are played
	for _, e := range set.all() {
		for i := range e.replies {
			e.replies[i].manner.eachWord(func(_ string, pos diag.Pos) { left[pos] = true })
		}
	}
	for _, e := range set.all() {
		if len(e.replies) == 0 {
			continue
		}
		e.scenario.Manner.eachWord(func(word string, pos diag.Pos) {
			joined := slices.Contains([]string{"headers", "omit", "set", "extra"}, word) // those of both are sent
			if pos.Line > 0 && !left[pos] && !joined {
				list = append(list, diag.Problem{Pos: pos, Message: word + " has no effect here: each reply says its own", Hint: "leave it out"})
			}
		})
	}
	return list
}

func (m *Manner) eachWord(visit func(word string, pos diag.Pos)) {
	for _, section := range []Places{m.Wire.At, m.Envelope.At, m.Pace.At} {
		for word, pos := range section {
			visit(word, pos)
		}
	}
	visit("end", m.End.Pos)
}

// undoes reports whether the word takes the place of another value under it that would have an effect in the reply.
func (e *effect) undoes(c *carrier) bool {
	return slices.ContainsFunc(c.under, func(under *Manner) bool {
		lower := *c
		lower.Manner = under
		if !e.written(&lower) || reflect.DeepEqual(e.value(under), e.value(c.Manner)) {
			return false
		}
		why, _ := e.lacks(&lower)
		return why == ""
	})
}

// LeaveOutIdle leaves out the words of the scenario, which has one reply and extends no other, that have no effect: words
// that took back inherited ones.
func (s *Scenario) LeaveOutIdle() {
	c := &carrier{scenario: s, reply: &s.Replies[0], Manner: &s.Manner}
	for i := range effects() {
		e := &effects()[i]
		field := e.field(&s.Manner)
		if !field.IsValid() || !e.written(c) {
			continue
		}
		if why, _ := e.lacks(c); why != "" {
			field.SetZero()
		}
	}
}

// field is where a manner has the word; the zero Value if the word is in none of the sections of a manner.
func (e *effect) field(m *Manner) (none reflect.Value) {
	section, ok := map[string]any{"wire": &m.Wire, "envelope": &m.Envelope, "pace": &m.Pace}[e.section]
	if !ok {
		return none
	}
	name := strings.ReplaceAll(e.word, "_", "")
	return reflect.ValueOf(section).Elem().FieldByNameFunc(func(field string) bool { return strings.EqualFold(field, name) })
}

func (e *effect) value(m *Manner) any {
	field := e.field(m)
	if !field.IsValid() {
		return nil
	}
	return field.Interface()
}

// lacks returns why the word has no effect in a reply, and what to do; "" if it has one.
func (e *effect) lacks(c *carrier) (why, hint string) {
	for i, n := range e.needs {
		if why = n.lacks(c); why == "" {
			continue
		}
		if i == len(e.needs)-1 {
			hint = e.instead
		}
		return strings.TrimPrefix("it needs "+n.noun+", and ", "it needs , and ") + why, cmp.Or(hint, "leave it out")
	}
	return "", ""
}

func (c *carrier) problem(e *effect, at place, why, hint string) diag.Problem {
	p := diag.Problem{Pos: at.pos, Message: fmt.Sprintf("%s has no effect here: %s", e.word, why), Hint: hint}
	if at.pos.Line == 0 {
		p.Message = fmt.Sprintf("scenario %q, reply %d: %s", c.scenario.Name, c.index+1, p.Message)
	}
	return p
}

// origin is the name of the scenario that wrote a word which was made in Go: s, or one that it
// extends.
func (set *Set) origin(s *Scenario, of *effect) string {
	for base := set.entry(s.Extends); base != nil; base = set.entry(s.Extends) {
		if !of.written(&carrier{scenario: base.scenario, reply: new(Reply), Manner: &base.scenario.Manner}) {
			break
		}
		s = base.scenario
	}
	return s.Name
}
