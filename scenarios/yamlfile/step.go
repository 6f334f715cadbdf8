package yamlfile

import (
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/hint"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/schema"
)

// stepAsWritten is a step as it is written: by stands beside text and fake.
type stepAsWritten struct {
	scenarios.Step
	by scenarios.Cut
}

func stepCodec() codec[scenarios.Step] {
	s := &section[stepAsWritten]{
		name:     "step",
		about:    "One line of a stream: a chunk, a wire event or a pause.",
		position: func(s *stepAsWritten) *diag.Pos { return &s.Step.Pos },
		check:    checkStep,
		inLines:  true,
		pasted:   pastedChunk,
		misplaced: map[string]string{
			"finish_reason": `did you mean "finish"?`,
			"delay":         `did you mean "after", or "wait" as a step of its own?`,
			"sleep":         `did you mean "wait"?`,
		},
	}
	step := func(s *stepAsWritten) *scenarios.Step { return &s.Step }
	s.fields = within(step, chunkFields())
	s.fields = append(s.fields, key("by", "How text or fake is cut into chunks. Default: by token.",
		byCodec(), func(s *stepAsWritten) *scenarios.Cut { return &s.by }))
	s.fields = append(s.fields, within(step, modifierFields())...)
	s.fields = append(s.fields, within(step, wireStepFields())...)
	return mapped(s.codec("a step"), func(s stepAsWritten, _ diag.Pos) scenarios.Step {
		if s.Text != nil {
			s.Text.By = s.by
		}
		if s.Fake != nil {
			s.Fake.By = s.by
		}
		return s.Step
	}, func(st scenarios.Step) (stepAsWritten, bool) {
		form := stepAsWritten{Step: st}
		switch {
		case st.Text != nil:
			form.by = st.Text.By
		case st.Fake != nil:
			form.by = st.Fake.By
		}
		return form, true
	})
}

// Kinds of keys of a step.
const (
	deltaKey  keyKind = 1 << iota // deltaKey is a member of the delta.
	callKey                       // callKey is a member of the delta that is a call, which becomes several chunks.
	cutKey                        // cutKey is a member of the delta that is a text cut into several chunks.
	besideKey                     // besideKey stands in the chunk beside the delta.
	wholeKey                      // wholeKey is all of a delta or of a chunk.
	aloneKey                      // aloneKey is a wire or time step.
	timeKey                       // timeKey says when a step is sent.
	wireKey                       // wireKey says how a step's events are laid out.
)

// chunkFields are the parts of a chunk, in the order in which a delta has them.
func chunkFields() []field[scenarios.Step] {
	literal := jsonCodec("a mapping or null", node.Mapping|node.Null)
	chunked := mapped(sizedTextCodec(), func(t scenarios.Text, p diag.Pos) scenarios.CutText { return scenarios.CutText{Text: t, Pos: p} },
		func(c scenarios.CutText) (scenarios.Text, bool) { return c.Text, true })
	return []field[scenarios.Step]{
		kind(deltaKey, key("role", "The delta's role.", unquoted(optText()), func(s *scenarios.Step) *scenarios.Opt[scenarios.Text] { return &s.Role })),
		kind(deltaKey, key("content", "The delta's content.", optSizedText(), func(s *scenarios.Step) *scenarios.Opt[scenarios.Text] { return &s.Content })),
		kind(deltaKey, key("refusal", "The delta's refusal.", optSizedText(), func(s *scenarios.Step) *scenarios.Opt[scenarios.Text] { return &s.Refusal })),
		kind(deltaKey, optional("reasoning", "A piece of the reasoning text that other providers stream.", uncutReasoning(), func(s *scenarios.Step) **scenarios.Reasoning { return &s.Reasoning })),
		kind(deltaKey|callKey, optional("tool_call", "A call of a function tool: an opening chunk, then its arguments in pieces.",
			toolCallSection().codec("a mapping"), func(s *scenarios.Step) **scenarios.ToolCall { return &s.ToolCall })),
		kind(deltaKey, optional("tool_calls", "The delta's tool_calls, exactly as written.",
			jsonCodec("a list or null", node.List|node.Null), func(s *scenarios.Step) **ojson.Value { return &s.ToolCalls })),
		kind(deltaKey|callKey, optional("custom_tool", "A call of a custom tool: an opening chunk, then its input in pieces.",
			customToolSection().codec("a mapping"), func(s *scenarios.Step) **scenarios.ToolCall { return &s.CustomTool })),
		kind(deltaKey|callKey, optional("function_call", "A call in the old form: an opening chunk, then its arguments in pieces.",
			functionCallSection().codec("a mapping"), func(s *scenarios.Step) **scenarios.ToolCall { return &s.FunctionCall })),
		kind(deltaKey, key("fragment", "A fragment of a call as one chunk sends it, member by member; a list is several in one chunk.",
			fragmentsCodec(), func(s *scenarios.Step) *[]scenarios.CallFragment { return &s.Fragments })),
		kind(deltaKey, optional("audio", "The delta's audio, exactly as written.", literal, func(s *scenarios.Step) **ojson.Value { return &s.Audio })),
		kind(deltaKey, optional("annotations", "The delta's annotations, exactly as written.",
			jsonCodec("a list or null", node.List|node.Null), func(s *scenarios.Step) **ojson.Value { return &s.Annotations })),
		kind(besideKey, optional("logprobs", "The chunk's log-probabilities: authored, or true to invent them for its text.",
			logprobsCodec(), func(s *scenarios.Step) **scenarios.Logprobs { return &s.Logprobs })),
		kind(wholeKey, key("heartbeat", "This many chunks with an empty delta; true is one.", heartbeatCodec(), func(s *scenarios.Step) *int { return &s.Heartbeat })),
		kind(besideKey, key("finish", "The finish_reason.", unquoted(optText()), func(s *scenarios.Step) *scenarios.Opt[scenarios.Text] { return &s.Finish })),
		kind(besideKey, optional("usage", "The token counts. Alone in a step, a chunk without choices.", usageCodec(), func(s *scenarios.Step) **scenarios.Usage { return &s.Usage })),
		kind(deltaKey|cutKey, optional("text", "A text, cut into content chunks.", chunked, func(s *scenarios.Step) **scenarios.CutText { return &s.Text })),
		kind(deltaKey|cutKey, optional("fake", "Generated content, cut into chunks.", fakeCodec(), func(s *scenarios.Step) **scenarios.Fake { return &s.Fake })),
		kind(wholeKey, optional("delta", "The whole delta, exactly as written.", anyJSON(), func(s *scenarios.Step) **ojson.Value { return &s.Delta })),
		kind(wholeKey, optional("chunk", "The whole chunk, exactly as written; not even the envelope is added.", anyJSON(), func(s *scenarios.Step) **ojson.Value { return &s.Chunk })),
	}
}

// modifierFields say how a step is sent, not what.
func modifierFields() []field[scenarios.Step] {
	return []field[scenarios.Step]{
		key("pieces", "How a call's arguments are cut: into this many pieces (0: all in the opening chunk), or exactly these.",
			piecesCodec(), func(s *scenarios.Step) *scenarios.Pieces { return &s.Pieces }),
		key("choice", "The index of the choice, for n > 1.", intCodec("an index", 0, 1000), func(s *scenarios.Step) *int { return &s.Choice }),
		kind(timeKey, optional("after", "The pause before it, in place of the pace's.", durationCodec(), func(s *scenarios.Step) **time.Duration { return &s.After })),
		kind(timeKey, optional("every", "The pause between its chunks, in place of the pace's.", durationCodec(), func(s *scenarios.Step) **time.Duration { return &s.Every })),
		kind(timeKey, optional("jitter", "Each of its pauses varies by up to this much, either way.", durationCodec(), func(s *scenarios.Step) **time.Duration { return &s.Jitter })),
		kind(timeKey, key("repeat", "Sends it this many times.", intCodec("a number of times", 1, maxCount), func(s *scenarios.Step) *int { return &s.Repeat })),
		kind(besideKey, key("extra", "Further members of the chunk.", objectJSON(), func(s *scenarios.Step) *ojson.Value { return &s.Extra })),
		key("omit", "Places taken out of the finished chunk, such as delta.refusal.",
			nonEmpty(oneOrMore("a list of paths", pathCodec())), func(s *scenarios.Step) *[]scenarios.Path { return &s.Omit }),
		kind(besideKey, key("set", "Places overwritten in the finished chunk, with any JSON value.", assignmentsCodec(), func(s *scenarios.Step) *[]scenarios.Assignment { return &s.Set })),
		kind(wireKey, optional("wire", "How the step's events are laid out in bytes.", stepWireSection().codec("a mapping such as {id: \"7\"}"), func(s *scenarios.Step) **scenarios.StepWire { return &s.Wire })),
		key("quirks", "The lint rules that this step breaks on purpose.",
			nonEmpty(oneOrMore("a list of lint rules", quirkCodec())), func(s *scenarios.Step) *[]scenarios.Quirk { return &s.Quirks }),
		key("when_asked", "Sends usage and logprobs only to a request that asks for them.", boolCodec(), func(s *scenarios.Step) *bool { return &s.WhenAsked }),
	}
}

// wireStepFields are the steps that are no chunks.
func wireStepFields() []field[scenarios.Step] {
	return []field[scenarios.Step]{
		kind(aloneKey, optional("comment", "An SSE comment line.", textCodec(), func(s *scenarios.Step) **scenarios.Text { return &s.Comment })),
		kind(aloneKey, optional("raw", "Bytes as written.", sizedTextCodec(), func(s *scenarios.Step) **scenarios.Text { return &s.Raw })),
		kind(aloneKey, optional("event", "An SSE event, field by field.", eventSection().codec("a mapping"), func(s *scenarios.Step) **scenarios.Event { return &s.Event })),
		kind(aloneKey, optional("error", "An error object in mid-stream. A text alone is its message.", errorStepCodec(), func(s *scenarios.Step) **scenarios.ErrorStep { return &s.Error })),
		kind(aloneKey, optional("done", "true sends [DONE] here; with any such step the closing [DONE] is not added.", boolCodec(), func(s *scenarios.Step) **bool { return &s.Done })),
		kind(aloneKey, optional("wait", "A pause.", durationCodec(), func(s *scenarios.Step) **time.Duration { return &s.Wait })),
		kind(aloneKey, key("hold", "Waits here until the test, or an HTTP call, releases the hold of this name.", nameCodec("a name"), func(s *scenarios.Step) *string { return &s.Hold })),
	}
}

func eventSection() *section[scenarios.Event] {
	some := func(t scenarios.Text, _ diag.Pos) scenarios.Opt[scenarios.Text] { return scenarios.Some(t) }
	value := func(o scenarios.Opt[scenarios.Text]) (scenarios.Text, bool) { return o.Value, !o.Null }
	text := mapped(looseTextCodec(), some, value)
	data := mapped(anyOf(looseTextCodec(), sizedTextCodec()), some, value)
	return &section[scenarios.Event]{
		name:     "event",
		about:    "An SSE event, field by field.",
		position: func(e *scenarios.Event) *diag.Pos { return &e.Pos },
		fields: []field[scenarios.Event]{
			key("event", "Its name.", text, func(e *scenarios.Event) *scenarios.Opt[scenarios.Text] { return &e.Event }),
			key("id", "Its id.", text, func(e *scenarios.Event) *scenarios.Opt[scenarios.Text] { return &e.ID }),
			key("retry", "The reconnection time; any text can be sent.", text, func(e *scenarios.Event) *scenarios.Opt[scenarios.Text] { return &e.Retry }),
			key("data", "Its data; each line of the text becomes a data: line.", data, func(e *scenarios.Event) *scenarios.Opt[scenarios.Text] { return &e.Data }),
		},
		check: checkEvent,
	}
}

// checkEvent reports fields that cannot be sent as they are written.
func checkEvent(d *decoder, m members, e *scenarios.Event) bool {
	ok := d.checkOneLine(m, map[string]scenarios.Text{"event": e.Event.Value, "id": e.ID.Value, "retry": e.Retry.Value})
	if len(m.pairs) > 0 || !m.complete {
		return ok
	}
	d.Report(m.node, "known keys: event, id, retry, data", "the event has no fields")
	return false
}

// checkOneLine reports fields of an event that have several lines.
func (d *decoder) checkOneLine(m members, texts map[string]scenarios.Text) bool {
	ok := true
	for _, p := range m.pairs {
		if text := texts[p.Name]; !text.IsTemplate() && strings.ContainsAny(text.Source, "\r\n") {
			d.Report(p.Key, "write it in one line, or the bytes that you mean as raw", "%s of an event is one line", p.Name)
			ok = false
		}
	}
	return ok
}

// heartbeatCodec reads a number of empty chunks; true and {} are one.
func heartbeatCodec() codec[int] {
	count := intCodec("a number of chunks", 1, maxCount)
	one := readAs(trueCodec(), func(bool, diag.Pos) int { return 1 })
	empty := codec[int]{
		noun: "{}", shapes: node.Mapping,
		get: func(d *decoder, n *yaml.Node) (int, bool) {
			if len(n.Content) > 0 {
				d.Report(n, "write what belongs to the step beside it, as in { heartbeat: 4, every: 15s }", "a heartbeat is empty")
			}
			return 1, len(n.Content) == 0
		},
		write:  func(int) *yaml.Node { return nil }, // the number is written
		schema: schema.Of("object", ojson.M("maxProperties", ojson.Int(0))),
	}
	return orRather(anyOf(count, one, empty), func(_ *decoder, n *yaml.Node) string {
		if _, err := time.ParseDuration(n.Value); err == nil && node.ShapeOf(n) == node.Text {
			return "write { heartbeat: 4, every: " + n.Value + " }"
		}
		return ""
	})
}

// assignmentsCodec reads a mapping from places to the values to put there.
func assignmentsCodec() codec[[]scenarios.Assignment] {
	return mappingCodec("a mapping of paths to JSON values", anyJSON(), func(d *decoder, p node.Pair, v ojson.Value) ([]scenarios.Assignment, bool) {
		path, ok := d.path(p.Key)
		return []scenarios.Assignment{{Path: path, Value: v}}, ok
	}, func(list []scenarios.Assignment) (members []namedValue[ojson.Value]) {
		for _, a := range list {
			members = append(members, namedValue[ojson.Value]{a.Path.String(), a.Value})
		}
		return members
	})
}

// checkStep reports keys that make no sense together.
func checkStep(d *decoder, m members, s *stepAsWritten) bool {
	if alone := m.ofKinds(aloneKey); len(alone) > 0 {
		return d.checkAlone(m, alone[0].Name) && d.checkWireAlone(m, alone[0].Name, s)
	}
	if !m.complete {
		return true
	}
	if len(m.ofKinds(deltaKey|besideKey|wholeKey)) == 0 {
		d.Report(m.node, "add a part such as content, or a wait", "the step sends nothing")
		return false
	}
	ok := d.checkParts(m) && d.checkWholeCalls(m)
	for _, extra := range m.among("extra") {
		ok = d.refuseKeys(extra.Value, "to overwrite it, write set", "id", "object", "created", "model", "choices", "usage") && ok
	}
	return d.checkModifiers(m, s) && ok
}

// checkAlone reports what stands beside a wire or time step.
func (d *decoder) checkAlone(m members, name string) bool {
	ok := true
	for i, p := range m.pairs {
		fits := m.kinds[i]&timeKey != 0
		switch name {
		case "wait":
			fits = p.Name == "jitter"
		case "hold":
			fits = false
		case "comment", "event", "error", "done":
			fits = fits || m.kinds[i]&wireKey != 0 || p.Name == "quirks"
		case "raw":
			fits = fits || p.Name == "quirks"
		}
		if p.Name != name && !fits {
			d.Report(p.Key, "give it a step of its own", "%s cannot stand beside %s", p.Name, name)
			ok = false
		}
	}
	if m.key("repeat") == nil {
		ok = d.refuse(m, "every", "it is the pause between repetitions; write after for the pause before") && ok
	}
	return ok
}

// checkWireAlone reports what the wire of a step says that the step itself says,
// or that it has nothing of.
func (d *decoder) checkWireAlone(m members, name string, s *stepAsWritten) bool {
	w := s.Wire
	if w == nil {
		return true
	}
	key, multiline := m.key("wire"), w.MultilineData != nil || w.DataLines > 0
	has := func(o scenarios.Opt[scenarios.Text]) bool { return o.Present }
	var message, mended string
	switch {
	case name == "comment" && (has(w.Comment) || has(w.Event) || has(w.ID) || has(w.Retry) || multiline):
		message, mended = "a comment has no fields", "beside it, wire can say newline and space"
	case name == "event" && (has(w.Comment) || has(w.Event) || has(w.ID) || has(w.Retry) || multiline):
		message, mended = "an event says its fields itself", "beside it, wire can say newline and space; a comment is a step of its own"
	case name == "error" && has(w.Event) && s.Error != nil && s.Error.Event != "":
		message, mended = "the error and its wire both name the event", "leave one of them out"
	case name == "done" && (s.Done == nil || !*s.Done):
		message, mended = "done: false sends nothing", "leave wire out"
	case name == "done" && multiline:
		message, mended = "[DONE] is no JSON and stays on one line", "leave multiline_data out"
	default:
		return true
	}
	d.Report(key, mended, "%s", message)
	return false
}

// checkParts reports parts of a chunk that exclude each other.
func (d *decoder) checkParts(m members) bool {
	ok := d.onlyFirst(m.ofKinds(callKey|cutKey), "only one part of a step can become several chunks")
	for _, part := range m.ofKinds(cutKey) {
		ok = d.refuse(m, "content", part.Name+" is the content") && ok
	}
	if m.key("tool_calls") != nil {
		for _, call := range []string{"tool_call", "custom_tool", "fragment"} {
			ok = d.refuse(m, call, "tool_calls is written out literally") && ok
		}
	}
	if m.key("fragment") != nil {
		ok = d.exclude(m, "fragment", m.among("tool_call", "custom_tool")) && ok
	}
	delta := m.ofKinds(deltaKey)
	ok = d.exclude(m, "delta", slices.Concat(m.among("heartbeat", "chunk"), delta)) && ok
	ok = d.exclude(m, "heartbeat", slices.Concat(m.among("finish"), delta)) && ok
	return d.exclude(m, "chunk", slices.Concat(m.among("heartbeat", "choice", "omit", "when_asked"), m.ofKinds(deltaKey|besideKey))) && ok
}

// checkWholeCalls reports a call that has no name and no id: whoever writes it means
// that the call before goes on.
func (d *decoder) checkWholeCalls(m members) bool {
	for _, call := range m.among("tool_call", "custom_tool") {
		pairs, _ := d.Pairs(call.Value)
		if slices.ContainsFunc(pairs, func(p node.Pair) bool { return p.Name == "name" || p.Name == "id" }) {
			continue
		}
		mended := "write fragment: { index: 0, … }"
		if text, ok := hint.InLine(call.Value, hint.MostInLine); ok && len(pairs) > 0 {
			mended = "write fragment: " + text
		}
		d.Report(call.Key, mended+" for a part of a call, or give the call a name", "%s is a whole call, and this one has no name", call.Name)
		return false
	}
	return true
}

// checkModifiers reports modifiers that have nothing to modify.
func (d *decoder) checkModifiers(m members, s *stepAsWritten) bool {
	ok := true
	if len(m.ofKinds(callKey)) == 0 {
		why := "it says how the arguments of a call are cut; this step has none"
		if m.key("fragment") != nil {
			why = "a fragment is one piece; write a step for each, or a tool_call with later"
		}
		ok = d.refuse(m, "pieces", why)
	}
	if len(m.ofKinds(cutKey)) == 0 {
		ok = d.refuse(m, "by", "it says how text or fake is cut; this step has neither") && ok
	}
	if len(m.among("usage", "logprobs")) == 0 {
		ok = d.refuse(m, "when_asked", "only usage and logprobs can be asked for") && ok
	}
	if len(m.ofKinds(callKey|cutKey)) == 0 && s.Heartbeat < 2 && s.Repeat < 2 {
		ok = d.refuse(m, "every", "it is the pause between the chunks of a step, and this step is one; write after for the pause before it") && ok
	}
	return ok
}

// pastedChunk reports a chunk of the API in the place of a step.
func pastedChunk(d *decoder, pairs []node.Pair) bool {
	at, mended := hint.PastedChunk(pairs)
	if at != nil {
		d.Report(at, mended, "this is a whole chunk of the API")
	}
	return at != nil
}
