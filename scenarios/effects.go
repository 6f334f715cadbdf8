package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/diag"
)

// This file holds, for each word that says how an answer is sent, what it needs to have an
// effect. A word whose needs are not met in any reply that has it is a mistake.

// A carrier is a reply, with the words of its own and those that it has from its scenario.
type carrier struct {
	scenario *Scenario
	reply    *Reply
	index    int // index is the reply's position in the scenario.
	*Manner
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
	instead       string // instead is the hint; "" is to leave the word out.
}

// Needs returns what a word of the language needs to have an effect, such as "a stream of
// events"; "" if it needs no more than an answer.
func Needs(section, word string) string {
	for _, e := range effects {
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

// lacksAnswer returns what is sent in place of an answer that a surface speaks.
func (c *carrier) lacksAnswer() string {
	switch {
	case c.reply.Error != nil:
		return "an error is sent instead"
	case c.Wire.Body != nil:
		return "the body of wire is sent instead"
	}
	return c.lacksResponse()
}

func (c *carrier) lacksResponse() string {
	if c.End.Kind == EndRefuse && c.End.Chance == nil {
		return "end: refuse sends nothing"
	}
	return ""
}

func (c *carrier) lacksStream() string {
	asked := c.reply.When.Stream
	if asked == nil {
		asked = c.scenario.When.Stream
	}
	switch why := c.lacksAnswer(); {
	case why != "":
		return why
	case c.Wire.Format == "json":
		return "format: json sends the answer in one piece"
	case c.Wire.Format == "" && asked != nil && !*asked:
		return "requests with stream: false get the answer in one piece"
	}
	return ""
}

func (c *carrier) lacksEvents() string {
	if why := c.lacksStream(); why != "" || c.Wire.Format != "ndjson" {
		return why
	}
	return "format: ndjson sends lines of JSON"
}

// on is the surface on which alone the reply is given; "" is any.
func (c *carrier) on() string {
	switch {
	case c.reply.When.Surface != "":
		return c.reply.When.Surface
	case c.scenario.When.Surface != "":
		return c.scenario.When.Surface
	case c.reply.HasItem():
		return surfaceResponses
	}
	return ""
}

// The needs of several words.
var (
	aResponse = need{"", (*carrier).lacksResponse}
	anAnswer  = need{"", (*carrier).lacksAnswer}
	aStream   = need{"a stream", (*carrier).lacksStream}
	events    = need{"a stream of events", (*carrier).lacksEvents}
	someJSON  = need{"", func(c *carrier) string {
		if e := c.reply.Error; e != nil && e.Body != nil {
			return "the body of the error is sent as it is"
		}
		if c.reply.Error == nil && c.Wire.Body != nil {
			return "the body of wire is sent as it is"
		}
		return c.lacksResponse()
	}}
	aLastEvent = need{"an end behind it", func(c *carrier) string {
		e := &c.End
		early := e.Kind == EndClose || e.Kind == EndCut || e.Kind == EndReset || e.Kind == EndStall || e.Kind == EndLinger && e.Inside != nil && *e.Inside
		placed := e.All || e.Byte != nil || e.InsideRune || e.After != nil && (*e.After < 0 || *e.After >= c.leastFrames())
		if early && !placed && e.Chance == nil {
			return fmt.Sprintf("end: %s comes before it", e.Kind)
		}
		return ""
	}}
	anOpenConnection = need{"a connection that stays open", func(c *carrier) string {
		switch {
		case c.Wire.Connection == "close": // as a header field
		case c.Wire.Length == "close":
			return "length: close closes it"
		case c.End.Chance == nil && slices.Contains([]EndKind{EndCut, EndReset, EndStall}, c.End.Kind):
			return fmt.Sprintf("end: %s closes it", c.End.Kind)
		}
		return ""
	}}
	pauses = need{"pauses between chunks: every, recorded or tokens_per_second", func(c *carrier) string {
		if p := &c.Pace; p.Every == nil && p.Recorded == nil && p.TokensPerSecond == 0 {
			return "the pace has none"
		}
		return ""
	}}
)

// The needs of one word each.
var (
	noError = need{"", func(c *carrier) string {
		if c.reply.Error != nil {
			return "the error says it"
		}
		return ""
	}}
	noFixedBody = need{"", func(c *carrier) string {
		if c.Wire.Body != nil {
			return "the body of wire is sent instead"
		}
		return ""
	}}
	chunkByChunk = need{"", func(c *carrier) string {
		w, e := &c.Wire, &c.End
		if c.Envelope.CreatedPerChunk && (w.Split != nil || w.Gzip != "" || w.Drip > 0 || len(c.Damage) > 0 || e.Kind == EndCut || e.Byte != nil || e.Chance != nil || e.Inside != nil || e.InsideRune) {
			return "per_chunk needs chunks that are made as they are sent; split, gzip, drip, damage and an end inside an event need all bytes before"
		}
		return ""
	}}
	aDone = need{"", func(c *carrier) string {
		if e := &c.End; e.Kind == EndClose && e.After == nil && e.Byte == nil && e.Inside == nil && !e.InsideRune && c.reply.Stream != nil && c.Wire.Format == "ndjson" {
			return "format: ndjson sends none"
		}
		return ""
	}}
	compression = need{"gzip", func(c *carrier) string {
		if c.Wire.Gzip == "" {
			return "nothing compresses"
		}
		return ""
	}}
	uncompressed = need{"a stream that is not compressed", func(c *carrier) string {
		if c.Wire.Gzip != "" {
			return "gzip compresses it"
		}
		return ""
	}}
	notCut = need{"an end that is no cut", func(c *carrier) string {
		if c.End.Kind == EndCut {
			return aLastEvent.lacks(c)
		}
		return ""
	}}
	noOwnDone = need{"a stream without a step done", func(c *carrier) string {
		if c.hasStep(func(st *Step) bool { return st.Done != nil }) {
			return "the stream has one"
		}
		return ""
	}}
	named = need{"", func(c *carrier) string {
		if c.Wire.EventName.Null {
			return onSurface(surfaceResponses).lacks(c)
		}
		return ""
	}}
	doneMark = need{"", func(c *carrier) string {
		if *c.Wire.Done == 0 {
			return onSurface(DefaultSurface, surfaceCompletions).lacks(c)
		}
		return ""
	}}
	lineEnds = need{"", func(c *carrier) string {
		n := c.Wire.Newlines
		written := func(st *Step) bool {
			return st.Raw != nil || st.Wire != nil && (st.Wire.Newline != "" || st.Wire.Newlines != nil)
		}
		if c.Wire.Split.By != "crlf" || c.Wire.Newline == "crlf" || c.Wire.Newline == "mixed" || c.hasStep(written) ||
			n != nil && slices.Contains([]string{n.Comment, n.Event, n.ID, n.Retry, n.Data, n.Blank}, "crlf") {
			return ""
		}
		return "split: crlf needs lines that end in CR LF; write newline: crlf beside it"
	}}
	ownLayout = need{"a surface that has the layout", func(c *carrier) string {
		on := c.on()
		if on == "" || on != surfaceCompletions && c.Envelope.Layout.IsOn(on) {
			return ""
		}
		why := fmt.Sprintf("the reply is for %s alone, which has no layout %s", on, c.Envelope.Layout)
		if on == surfaceCompletions {
			return why
		}
		for i, known := range slices.DeleteFunc(Layouts(), func(l LayoutInfo) bool { return !l.Name.IsOn(on) }) {
			why += []string{", but ", ", "}[min(i, 1)] + string(known.Name)
		}
		return why
	}}
	padded = need{"a layout with that member", func(c *carrier) string {
		if l := c.Envelope.Layout; slices.Contains([]Layout{LayoutSearch, Layout2024, LayoutMinimal, Layout202503}, l) {
			return fmt.Sprintf("the layout %s has none", l)
		}
		return ""
	}}
	numbered = need{"a layout with that member", func(c *carrier) string {
		if c.Envelope.Layout == Layout202503 {
			return fmt.Sprintf("the layout %s has none", Layout202503)
		}
		return ""
	}}
	usageSent = need{"an end that comes after usage", func(c *carrier) string {
		if c.End.Kind == EndReset || c.End.Kind == EndStall {
			return aLastEvent.lacks(c)
		}
		return ""
	}}
	aChange = need{"", func(c *carrier) string {
		for _, d := range c.Damage {
			same := d.Op == "swap" || d.Op == "move"
			if same && len(d.Frames.Any) == 0 && d.Frames.Position == d.With.Position && d.Frames.Kind == d.With.Kind {
				return d.Op + " names the same frame twice"
			}
			if last := len(d.From.Path) - 1; d.Op == "rename" && last >= 0 && !d.From.Path[last].IsIndex && d.From.Path[last].Name == d.To {
				return "rename gives the member the name that it has"
			}
		}
		return ""
	}}
	chunkedBody = need{"", func(c *carrier) string {
		if c.Wire.Length == "close" {
			return "with length: close the body ends where the connection does"
		}
		return ""
	}}
	aText = need{"a text", func(c *carrier) string {
		if m := c.reply.Message; !m.Content.Present && m.Fake == nil && !m.Refusal.Present && m.Reasoning == nil && m.Audio == nil && m.Choices == nil {
			return "the message has none"
		}
		return ""
	}}
	aTokenText = need{"a text", func(c *carrier) string {
		if m := c.reply.Message; !m.Content.Present && m.Fake == nil && !m.Refusal.Present {
			return "the message has none"
		}
		return ""
	}}
	noAudio = need{"a message without audio", func(c *carrier) string {
		if c.reply.Message.Audio != nil {
			return "beside audio its transcript is all that is said"
		}
		return ""
	}}
)

// onSurface is the need of words that only some surfaces have.
func onSurface(names ...string) need {
	return need{"the surface " + strings.Join(names, " or "), func(c *carrier) string {
		if on := c.on(); on != "" && !slices.Contains(names, on) {
			return "the reply is for " + on + " alone"
		}
		return ""
	}}
}

// untouched is the need of a member of the envelope that omit and set leave alone.
func untouched(member string) need {
	return need{"", func(c *carrier) string {
		is := func(p Path) bool { return p.String() == member }
		switch {
		case slices.ContainsFunc(c.Envelope.Set, func(a Assignment) bool { return is(a.Path) }):
			return "set overwrites it"
		case slices.ContainsFunc(c.Envelope.Omit, func(p Path) bool { return is(p) && !p.Undoes }):
			return "omit takes it out"
		}
		return ""
	}}
}

// leastFrames is how many frames come before [DONE] at least.
func (c *carrier) leastFrames() int {
	switch {
	case len(c.Damage) > 0:
		return 0
	case c.reply.Stream == nil:
		return 2 // of a message: one that begins it, and its finish
	}
	n := 0
	for _, st := range *c.reply.Stream {
		if st.Wait == nil && st.Hold == "" && st.Done == nil {
			n++
		}
	}
	return n
}

// hasStep reports whether a step of the reply's stream is so.
func (c *carrier) hasStep(is func(*Step) bool) bool {
	if c.reply.Stream == nil {
		return false
	}
	for i := range *c.reply.Stream {
		if is(&(*c.reply.Stream)[i]) {
			return true
		}
	}
	return false
}

// effects is the table of the words and their needs, by sections.
var effects = slices.Concat(wireEffects, envelopeEffects, paceEffects, otherEffects)

var wireEffects = []effect{
	{"wire", "newline", func(c *carrier) bool { return c.Wire.Newline != "" || c.Wire.Newlines != nil }, []need{events}, ""},
	{"wire", "bom", func(c *carrier) bool { return c.Wire.BOM != nil }, []need{events}, ""},
	{"wire", "space", func(c *carrier) bool { return c.Wire.Space != nil }, []need{events}, ""},
	{"wire", "split", func(c *carrier) bool { return c.Wire.Split != nil }, []need{someJSON, lineEnds}, ""},
	{"wire", "coalesce", func(c *carrier) bool { return c.Wire.Coalesce > 0 }, []need{aStream}, ""},
	{"wire", "multiline_data", func(c *carrier) bool { return c.Wire.MultilineData != nil || c.Wire.DataLines > 0 }, []need{events}, ""},
	{"wire", "comments_between", func(c *carrier) bool { return c.Wire.CommentsBetween != nil }, []need{events}, ""},
	{"wire", "event_name", func(c *carrier) bool { return c.Wire.EventName.Present }, []need{events, named}, ""},
	{"wire", "ids", func(c *carrier) bool { return c.Wire.IDs != nil }, []need{events}, ""},
	{"wire", "unknown_id", func(c *carrier) bool { return c.Wire.UnknownID != nil }, []need{events}, ""},
	{"wire", "retry", func(c *carrier) bool { return c.Wire.Retry != nil }, []need{events}, ""},
	{"wire", "final_blank", func(c *carrier) bool { return c.Wire.FinalBlank != nil }, []need{aStream, notCut}, ""},
	{"wire", "final_newline", func(c *carrier) bool { return c.Wire.FinalNewline != nil }, []need{aStream}, ""},
	{"wire", "done", func(c *carrier) bool { return c.Wire.Done != nil }, []need{events, aLastEvent, noOwnDone, doneMark}, ""},
	{"wire", "after_done", func(c *carrier) bool { return c.Wire.AfterDone != nil }, []need{aStream, aLastEvent}, ""},
	{"wire", "json_style", func(c *carrier) bool { return c.Wire.JSONStyle != nil }, []need{someJSON}, ""},
	{"wire", "gzip", func(c *carrier) bool { return c.Wire.Gzip != "" }, []need{aResponse}, ""},
	{"wire", "gzip_forced", func(c *carrier) bool { return c.Wire.GzipForced }, []need{aResponse, compression}, "write gzip: flush beside it, or leave it out"},
	{"wire", "connection", func(c *carrier) bool { return c.Wire.Connection != "" }, []need{aResponse, anOpenConnection}, ""},
	{"wire", "length", func(c *carrier) bool { return c.Wire.Length != "" }, []need{aResponse}, ""},
	{"wire", "drip", func(c *carrier) bool { return c.Wire.Drip > 0 }, []need{aResponse}, ""},
	{"wire", "content_type", func(c *carrier) bool { return c.Wire.ContentType != nil }, []need{aResponse}, ""},
	{"wire", "headers", func(c *carrier) bool { return len(c.Wire.Headers) > 0 }, []need{aResponse}, ""},
	{"wire", "status", func(c *carrier) bool { return c.Wire.Status != 0 }, []need{aResponse, noError}, "write status in error"},
	{"wire", "format", func(c *carrier) bool { return c.Wire.Format != "" }, []need{anAnswer}, ""},
	{"wire", "body", func(c *carrier) bool { return c.Wire.Body != nil }, []need{aResponse, noError}, "write body in error"},
	{"wire", "on_shutdown", func(c *carrier) bool { return len(c.Wire.OnShutdown) > 0 }, []need{aStream, uncompressed}, "leave one of them out"},
}

var envelopeEffects = []effect{
	{"envelope", "id", func(c *carrier) bool { return c.Envelope.ID.Present }, []need{anAnswer, untouched("id")}, ""},
	{"envelope", "object", func(c *carrier) bool { return c.Envelope.Object.Present }, []need{anAnswer, untouched("object")}, ""},
	{"envelope", "created", func(c *carrier) bool {
		return c.Envelope.Created.Present || c.Envelope.CreatedPerChunk || !c.Envelope.CreatedAs.IsAbsent()
	}, []need{anAnswer, untouched("created"), chunkByChunk}, ""},
	{"envelope", "model", func(c *carrier) bool { return c.Envelope.Model.Present }, []need{anAnswer, untouched("model")}, ""},
	{"envelope", "system_fingerprint", func(c *carrier) bool { return c.Envelope.SystemFingerprint.Present }, []need{anAnswer, untouched("system_fingerprint")}, ""},
	{"envelope", "service_tier", func(c *carrier) bool { return c.Envelope.ServiceTier.Present }, []need{anAnswer, untouched("service_tier")}, ""},
	{"envelope", "layout", func(c *carrier) bool { return c.Envelope.Layout != "" }, []need{anAnswer, ownLayout}, ""},
	{"envelope", "obfuscation", func(c *carrier) bool { return c.Envelope.Obfuscation != nil || c.Envelope.Obfuscations != nil },
		[]need{aStream, onSurface(DefaultSurface, surfaceResponses), padded, untouched("obfuscation")}, ""},
	{"envelope", "usage_details", func(c *carrier) bool { return c.Envelope.UsageDetails != nil }, []need{anAnswer, onSurface(DefaultSurface, surfaceResponses), usageSent}, ""},
	{"envelope", "usage_null", func(c *carrier) bool { return c.Envelope.UsageNull != nil }, []need{aStream, onSurface(DefaultSurface, surfaceCompletions), untouched("usage")}, ""},
	{"envelope", "sequence_number", func(c *carrier) bool { return c.Envelope.SequenceNumber != nil }, []need{aStream, onSurface(surfaceResponses), numbered}, ""},
	{"envelope", "item_ids", func(c *carrier) bool { return c.Envelope.ItemIDs != nil }, []need{anAnswer, onSurface(surfaceResponses)}, ""},
	{"envelope", "omit", func(c *carrier) bool { return len(c.Envelope.Omit) > 0 }, []need{anAnswer}, ""},
	{"envelope", "set", func(c *carrier) bool { return len(c.Envelope.Set) > 0 }, []need{anAnswer}, ""},
	{"envelope", "response", func(c *carrier) bool { return c.Envelope.Response != nil }, []need{anAnswer, onSurface(surfaceResponses)}, ""},
	{"envelope", "extra", func(c *carrier) bool { return !c.Envelope.Extra.IsAbsent() }, []need{anAnswer}, ""},
}

const delayInstead = "leave it out; wire: { header_delay: 2s } delays what is sent at once"

var paceEffects = []effect{
	{"pace", "first", func(c *carrier) bool { return c.Pace.First != nil }, []need{anAnswer}, delayInstead},
	{"pace", "every", func(c *carrier) bool { return c.Pace.Every != nil }, []need{anAnswer}, delayInstead},
	{"pace", "jitter", func(c *carrier) bool { return c.Pace.Jitter != nil }, []need{anAnswer}, delayInstead},
	{"pace", "distribution", func(c *carrier) bool { return c.Pace.Distribution != "" }, []need{anAnswer, pauses}, "write every: 20ms or tokens_per_second: 50 beside it"},
	{"pace", "recorded", func(c *carrier) bool { return c.Pace.Recorded != nil }, []need{anAnswer}, delayInstead},
	{"pace", "per", func(c *carrier) bool { return c.Pace.Per != "" }, []need{anAnswer, onSurface(surfaceResponses), pauses}, "write every: 20ms or tokens_per_second: 50 beside it"},
	{"pace", "tokens_per_second", func(c *carrier) bool { return c.Pace.TokensPerSecond != 0 }, []need{anAnswer}, delayInstead},
	{"pace", "burst", func(c *carrier) bool { return c.Pace.Burst != nil }, []need{anAnswer, pauses}, "write every: 20ms or tokens_per_second: 50 beside it"},
	{"pace", "speed", func(c *carrier) bool { return c.Pace.Speed != 0 }, []need{anAnswer}, delayInstead},
}

var otherEffects = []effect{
	{"reply", "message", func(c *carrier) bool { return c.says((*Message).saysSomething) }, []need{noFixedBody}, ""},
	{"reply", "stream", func(c *carrier) bool { return c.reply.Stream != nil && len(*c.reply.Stream) > 0 }, []need{noFixedBody}, ""},
	{"reply", "damage", func(c *carrier) bool { return len(c.Damage) > 0 }, []need{aResponse, aChange}, ""},
	{"end", "close", func(c *carrier) bool { return c.End.Kind == EndClose }, []need{aDone}, "leave end out"},
	{"cut", "after", func(c *carrier) bool { return c.End.Kind == EndCut && c.End.All }, []need{chunkedBody}, "leave one of them out"},
	{"message", "content", func(c *carrier) bool {
		return c.says(func(m *Message) bool { return m.Content.Present && !m.Content.Null })
	}, []need{noAudio}, ""},
	{"message", "fake", func(c *carrier) bool { return c.says(func(m *Message) bool { return m.Fake != nil }) }, []need{noAudio}, ""},
	{"message", "refusal", func(c *carrier) bool {
		return c.says(func(m *Message) bool { return m.Refusal.Present && !m.Refusal.Null })
	}, []need{noAudio}, ""},
	{"message", "tool_calls", func(c *carrier) bool { return c.says(func(m *Message) bool { return len(m.ToolCalls) > 0 }) }, []need{noAudio}, ""},
	{"message", "annotations", func(c *carrier) bool { return c.says(func(m *Message) bool { return m.Annotations != nil }) }, []need{noAudio}, ""},
	{"message", "logprobs", func(c *carrier) bool {
		return c.says(func(m *Message) bool { return m.Logprobs != nil && m.Logprobs.Generate })
	}, []need{noAudio, aTokenText}, ""},
	{"message", "by", func(c *carrier) bool { return c.says(func(m *Message) bool { return m.By != Cut{} }) }, []need{aText}, ""},
	{"step", "done", func(c *carrier) bool { return c.lastDone() != nil }, []need{aLastEvent}, "leave it out, or end after it with after: all"},
}

// saysSomething reports whether a message is more than what stands for one beside a fixed body.
func (m *Message) saysSomething() bool {
	return m.Content.Value.Source != "" || m.Content.Value.Bytes > 0 || m.Fake != nil || m.Refusal.Present || len(m.ToolCalls) > 0
}

// says reports whether the message of the reply is so.
func (c *carrier) says(is func(*Message) bool) bool {
	return c.reply.Message != nil && is(c.reply.Message)
}

// lastDone returns the last step of the stream if it sends [DONE].
func (c *carrier) lastDone() *Step {
	if c.reply.Stream == nil || len(*c.reply.Stream) == 0 {
		return nil
	}
	if st := &(*c.reply.Stream)[len(*c.reply.Stream)-1]; st.Done != nil && *st.Done {
		return st
	}
	return nil
}

// at is where a word stands; the zero position if the scenario was made in Go.
func (c *carrier) at(e *effect) diag.Pos {
	switch e.section {
	case "wire":
		return c.Wire.At[e.word]
	case "envelope":
		return c.Envelope.At[e.word]
	case "pace":
		return c.Pace.At[e.word]
	case "message":
		return c.reply.Message.At[e.word]
	case "cut", "end":
		return c.End.Pos
	case "step":
		return c.lastDone().Pos
	}
	switch e.word {
	case "message":
		return c.reply.Message.Pos
	case "damage":
		return c.Damage[0].Pos
	}
	return c.reply.Pos
}

// A place identifies a word: by its position or, if it was made in Go, by its scenario.
type place struct {
	pos      diag.Pos
	scenario string
	word     string
}

// checkEffects finds words that have no effect in any reply that has them.
func (set *Set) checkEffects() diag.List {
	var found []place
	problems := map[place]diag.Problem{}
	for _, e := range set.all() {
		for i := range e.replies {
			c := &carrier{scenario: e.scenario, reply: &e.scenario.Replies[i], index: i, Manner: e.replies[i].manner}
			for k := range effects {
				of := &effects[k]
				if !of.written(c) {
					continue
				}
				at := place{pos: c.at(of), word: of.section + "." + of.word}
				if at.pos.Line == 0 {
					at.scenario = set.origin(e.scenario, of)
				}
				why := of.lacks(c)
				if _, known := problems[at]; !known {
					found = append(found, at)
					problems[at] = c.problem(of, at, why)
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
	return list
}

// lacks returns why the word has no effect in a reply; "" if it has one.
func (e *effect) lacks(c *carrier) string {
	for _, n := range e.needs {
		if why := n.lacks(c); why != "" {
			return strings.TrimPrefix("it needs "+n.noun+", and ", "it needs , and ") + why
		}
	}
	return ""
}

func (c *carrier) problem(e *effect, at place, why string) diag.Problem {
	p := diag.Problem{Pos: at.pos, Message: fmt.Sprintf("%s has no effect here: %s", e.word, why), Hint: cmp.Or(e.instead, "leave it out")}
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
