package scenarios

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// lacksAnswer returns what is sent in place of an answer that a surface speaks.
func (c *carrier) lacksAnswer() string {
	switch {
	case c.reply.Error != nil:
		return "an error is sent instead"
	case c.Wire.Body != nil:
		return "the body of wire is sent instead"
	case c.reply.Whole() != "":
		return c.reply.Whole() + " are sent in one piece"
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

func (c *carrier) asked() []string {
	switch api := c.scenario.API(c.reply); {
	case api != "":
		return []string{api}
	case c.reply.NeedsItems():
		return []string{surfaceResponses}
	case c.saysOnlyOnChat():
		return []string{DefaultSurface}
	}
	return Surfaces()
}

// saysOnlyOnChat reports whether the reply has audio or a call in the old form.
func (c *carrier) saysOnlyOnChat() bool {
	return c.says(func(m *Message) bool { return m.Audio != nil || m.FunctionCall != nil }) ||
		c.step(func(st *Step) bool { return st.Audio != nil || st.FunctionCall != nil }) != nil
}

// The needs of several words.
var (
	aResponse = need{"", (*carrier).lacksResponse}
	anAnswer  = need{"", (*carrier).lacksAnswer}
	// anEnvelope is an answer with the members that an API puts around what is said.
	anEnvelope = need{"", func(c *carrier) string {
		if why := c.lacksAnswer(); why != "" || c.scenario.API(c.reply) != SurfaceOther {
			return why
		}
		return "an answer on another path has no more than is written"
	}}
	aStream  = need{"a stream", (*carrier).lacksStream}
	events   = need{"a stream of events", (*carrier).lacksEvents}
	someJSON = need{"", func(c *carrier) string {
		if e := c.reply.Error; e != nil && e.Body != nil {
			return "the body of the error is sent as it is"
		}
		if c.reply.Error == nil && c.Wire.Body != nil && c.Wire.Body.JSON.IsAbsent() {
			return "the body of wire is sent as it is"
		}
		if whole := c.reply.Whole(); whole != "" {
			return "the JSON of " + whole + " has one form"
		}
		return c.lacksResponse()
	}}
	aLastEvent = need{"an end behind it", func(c *carrier) string {
		e := &c.End
		placed := e.All || e.Byte != nil || e.InsideRune || e.After != nil && (*e.After < 0 || *e.After >= c.leastFrames())
		if e.IsEarly() && !placed && e.Chance == nil {
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
	pauses = lacking("pauses between chunks: every or recorded", "the pace has none", func(c *carrier) bool {
		return !c.Pace.hasPauses()
	})
	undripped = lacking("", "drip decides when the bytes leave, and there is no pause before any of them", func(c *carrier) bool {
		return c.Wire.Drip > 0 && !c.pauses()
	})
	apart = lacking("pauses or a split", "without a pause all events leave in one write already", func(c *carrier) bool {
		return !c.pauses() && c.Wire.Split == nil
	})
	anyPause = lacking("a pause", "there is none", func(c *carrier) bool {
		return !c.pauses() && c.Wire.HeaderDelay == nil && c.Wire.Drip == 0
	})
)

// The needs of one word each.
var (
	noError     = lacking("", "the error says it", func(c *carrier) bool { return c.reply.Error != nil })
	noFixedBody = lacking("", "the body of wire is sent instead", func(c *carrier) bool { return c.Wire.Body != nil })
	ownFormat   = lacking("", "the steps of a stream on another path are no parts of one JSON object", func(c *carrier) bool {
		return c.Wire.Format == "json" && c.scenario.API(c.reply) == SurfaceOther
	})
	chunkByChunk = need{"", func(c *carrier) string {
		w, e := &c.Wire, &c.End
		ahead := w.Split != nil || w.Gzip != "" || w.Drip > 0 || e.Kind == EndCut || e.Byte != nil || e.Chance != nil || e.Inside != nil || e.InsideRune
		switch {
		case !c.Envelope.CreatedPerChunk:
		case len(c.Damage) > 0:
			return "damage needs the values before the times at which they are sent are known"
		case ahead && c.step(waits) != nil:
			return "split, gzip, drip and an end inside an event need all bytes before, when nobody knows how long a hold will last"
		case !c.pauses() && c.step(waits) == nil && c.Wire.HeaderDelay == nil && c.Wire.Drip == 0:
			return "without a pause all chunks are sent at the same time"
		}
		return ""
	}}
	aDone = need{"", func(c *carrier) string {
		e := &c.End
		if e.After != nil || e.Byte != nil || e.Inside != nil || e.InsideRune {
			return ""
		}
		why := c.lacksStream()
		if why == "" && c.reply.Stream != nil && c.Wire.Format == "ndjson" {
			why = "format: ndjson sends no [DONE] that it could come before"
		}
		if why == "" && c.scenario.API(c.reply) == SurfaceOther && c.lastDone() == nil && (c.Wire.Done == nil || *c.Wire.Done == 0) {
			why = "the stream of a path sends no [DONE] that it could come before"
		}
		if why == "" && c.struck && c.reply.Stream != nil && c.sendsNoDone() {
			why = "the stream sends no [DONE] that it could come before"
		}
		return why
	}}
	aDoneMark    = lacking("", "format: ndjson sends lines of JSON, and no [DONE]", func(c *carrier) bool { return c.Wire.Format == "ndjson" })
	compression  = lacking("gzip", "nothing compresses", func(c *carrier) bool { return c.Wire.Gzip == "" })
	uncompressed = lacking("a stream that is not compressed", "gzip compresses it", func(c *carrier) bool { return c.Wire.Gzip != "" })
	notCut       = need{"an end that is no cut", func(c *carrier) string {
		if c.End.Kind == EndCut {
			return aLastEvent.lacks(c)
		}
		return ""
	}}
	noOwnDone = lacking("a stream without a step done", "the stream has one", func(c *carrier) bool { return c.step(func(st *Step) bool { return st.Done != nil }) != nil })
	named     = need{"", func(c *carrier) string {
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
		written := func(st *Step) bool {
			return st.Raw != nil || st.Wire != nil && (st.Wire.Newline != "" || st.Wire.Newlines[0] != "")
		}
		if c.Wire.Split.By != "crlf" || c.Wire.Newline == "crlf" || c.Wire.Newline == "mixed" || c.Wire.Newlines[0] != "" || c.step(written) != nil {
			return ""
		}
		return "split: crlf needs lines that end in CR LF; write newline: crlf beside it"
	}}
	ownLayout = need{"a surface that has the layout", func(c *carrier) string {
		has := func(surface string) bool { return surface != surfaceCompletions && c.Envelope.Layout.IsOn(surface) }
		why := onSurface(slices.DeleteFunc(Surfaces(), func(surface string) bool { return !has(surface) })...).lacks(c)
		on := c.asked()
		if why == "" || slices.ContainsFunc(on, has) {
			return why
		}
		why += fmt.Sprintf(", which has no layout %s", c.Envelope.Layout)
		if on[0] == surfaceCompletions {
			return why
		}
		for i, known := range slices.DeleteFunc(Layouts(), func(l LayoutInfo) bool { return !l.Name.IsOn(on[0]) }) {
			why += []string{", but ", ", "}[min(i, 1)] + string(known.Name)
		}
		return why
	}}
	padded   = inLayout(LayoutSearch, Layout2024, LayoutMinimal, Layout202503)
	numbered = inLayout(Layout202503)
	layout   = need{"a stream of events", func(c *carrier) string {
		if c.step(func(st *Step) bool { return hasWire(st) && st.Wire.JSONStyle == nil }) != nil {
			return c.lacksEvents()
		}
		return c.lacksStream()
	}}
	textBefore      = lacking("a text before it in the same message", "it begins the message", func(c *carrier) bool { return c.firstPart() != nil })
	reasoningBefore = lacking("", "no reasoning comes before it", func(*carrier) bool { return true })
	aList           = need{"", func(c *carrier) string {
		if c.reply.Message.Annotations.IsNull() {
			return onSurface(DefaultSurface).lacks(c)
		}
		return ""
	}}
	usageOnRequest = need{"", onSurface(DefaultSurface, surfaceCompletions).lacks}
	chunkedBody    = lacking("", "with length: close the body ends where the connection does", func(c *carrier) bool { return c.Wire.Length == "close" })
	aText          = lacking("a text", "the message has none", func(c *carrier) bool {
		m := c.reply.Message
		return !m.hasTokens() && m.Reasoning == nil && m.Audio == nil && m.Choices == nil
	})
	aTokenText = lacking("a text", "the message has none", func(c *carrier) bool { return !c.reply.Message.hasTokens() })
	noAudio    = lacking("a message without audio", "beside audio its transcript is all that is said", func(c *carrier) bool { return c.reply.Message.Audio != nil })
)

// lacking is a need that a reply does not have, for the reason why, if lacks holds.
func lacking(noun, why string, lacks func(*carrier) bool) need {
	return need{noun, func(c *carrier) string {
		if lacks(c) {
			return why
		}
		return ""
	}}
}

// onSurface is the need of words that only some surfaces have.
func onSurface(names ...string) need {
	return need{"the surface " + strings.Join(names, " or "), func(c *carrier) string {
		on, why := c.asked(), ""
		for _, name := range names {
			if !slices.Contains(on, name) {
				continue
			}
			p, refused := c.reply.RefusedOn[name]
			if !refused {
				return ""
			}
			why = fmt.Sprintf("%s [%s]", p.Message, p.Rule)
		}
		return cmp.Or(why, map[string]string{SurfaceOther: "it answers on its path alone"}[on[0]], "the reply is for "+on[0]+" alone")
	}}
}

// inLayout is the need of a member that the layouts without do not have.
func inLayout(without ...Layout) need {
	return need{"a layout with that member", func(c *carrier) string {
		if slices.Contains(without, c.Envelope.Layout) {
			return fmt.Sprintf("the layout %s has none", c.Envelope.Layout)
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

// sendsNoDone reports whether the stream ends without [DONE], as those of some surfaces do.
func (c *carrier) sendsNoDone() bool {
	if c.Wire.Done != nil {
		return *c.Wire.Done == 0
	}
	return onSurface(DefaultSurface, surfaceCompletions).lacks(c) != "" && c.lastDone() == nil
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
		if st.Wait == nil && st.HoldName() == "" && st.Done == nil {
			n++
		}
	}
	return n
}

func (c *carrier) step(is func(*Step) bool) *Step {
	if c.reply.Stream == nil || is == nil {
		return nil
	}
	for i := range *c.reply.Stream {
		if st := &(*c.reply.Stream)[i]; is(st) {
			return st
		}
	}
	return nil
}

func beginsPart(st *Step) bool { return st.Next != "" }
func hasWire(st *Step) bool    { return st.Wire != nil }
func waits(st *Step) bool      { return st.HoldName() != "" }

// firstPart returns the first step with a next part that is the first of its message, or nil.
func (c *carrier) firstPart() *Step {
	open := false
	return c.step(func(st *Step) bool {
		first := beginsPart(st) && !open && st.Repeat < 2
		says := st.Content.Present && !st.Content.Null && (!st.Role.Present || st.Content.Value.Source != "")
		switch {
		case says || st.Refusal.Present || st.Text != nil || st.Fake != nil || st.Annotations != nil:
			open = true
		case st.Item != nil || st.Call() != nil || st.Fragments != nil || st.Reasoning != nil:
			open = false
		}
		return first
	})
}

// firstReasoning returns the first step that says next in reasoning, and is the first of its item.
func (c *carrier) firstReasoning() *Step {
	open := false
	return c.step(func(st *Step) bool {
		r := st.Reasoning
		text := r != nil && (r.Text.Value.Source != "" || len(r.Summary) > 0 && r.Summary[0].Value.Source != "")
		first := text && r.Next != "" && !open && st.Repeat < 2
		if r != nil || st.Content.Present || st.Text != nil || st.Fake != nil || st.Refusal.Present || st.Item != nil || st.Call() != nil || st.Fragments != nil {
			open = r != nil
		}
		return first
	})
}

// stepWords tell, by the words of a step in the table, whether a step has the word.
var stepWords = map[string]func(*Step) bool{
	"comment":         func(st *Step) bool { return st.Comment != nil },
	"done: false":     func(st *Step) bool { return st.Done != nil && !*st.Done },
	"event":           func(st *Step) bool { return st.Event != nil },
	"extra of a role": func(st *Step) bool { return st.isRole() && !st.Extra.IsAbsent() },
	"raw":             func(st *Step) bool { return st.Raw != nil },
	"when_asked":      func(st *Step) bool { return st.WhenAsked && st.Usage != nil && st.Logprobs == nil },
	"wire":            hasWire,
	"wire of a role":  func(st *Step) bool { return st.isRole() && hasWire(st) },
}

// steps returns whether a step of a reply's stream has the word.
func steps(word string) func(*carrier) bool {
	return func(c *carrier) bool { return c.step(stepWords[word]) != nil }
}

// isRole reports whether the chunk of a step only has a role, which not every API sends.
func (st *Step) isRole() bool {
	more := st.Content.Present || st.Refusal.Present || st.Finish.Present || st.Text != nil || st.Fake != nil || st.Usage != nil || st.Logprobs != nil
	return st.Role.Present && !more
}

func (c *carrier) call(is func(*ToolCall) bool) *ToolCall {
	if st := c.step(func(st *Step) bool { return st.Call() != nil && is(st.Call()) }); st != nil {
		return st.Call()
	}
	if c.reply.Message == nil {
		return nil
	}
	for _, m := range slices.Concat(c.reply.Message.Choices, []Message{*c.reply.Message}) {
		for _, call := range slices.Concat(m.ToolCalls, m.CustomToolCalls) {
			if is(&call) {
				return &call
			}
		}
	}
	return nil
}

func repeats(call *ToolCall) bool    { return call.Later != nil }
func isNumbered(call *ToolCall) bool { return call.Index != nil }

func (c *carrier) pauses() bool {
	return c.Pace.First != nil || c.Pace.hasPauses() || c.step((*Step).pauses) != nil
}

func (st *Step) pauses() bool { return st.Wait != nil || st.After != nil || st.Every != nil }

func (p *Pace) hasPauses() bool {
	return p.Every != nil || p.Recorded != nil
}

// hasTokens reports whether a message has a text that log-probabilities can be of.
func (m *Message) hasTokens() bool {
	return m.Content.Present && !m.Content.Null || m.Fake != nil || m.Refusal.Present && !m.Refusal.Null
}

// isOfTokens reports whether log-probabilities are more than an empty form.
func (l *Logprobs) isOfTokens() bool {
	some := func(list *ojson.Value) bool { return list != nil && len(list.Items()) > 0 }
	return l.Generate || some(l.Content) || some(l.Refusal)
}

// saysSomething reports whether a message is more than what stands for one beside a fixed body.
func (m *Message) saysSomething() bool {
	return m.Content.Value.Source != "" || m.Content.Value.Bytes > 0 || m.Fake != nil || m.Refusal.Present || len(m.ToolCalls) > 0
}

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
