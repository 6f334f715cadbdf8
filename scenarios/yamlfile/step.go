package yamlfile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/diag"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/table"
)

// stepAsWritten is a step in the form of its YAML, in which by stands beside text, fake
// or item.
type stepAsWritten struct {
	scenarios.Step
	By scenarios.Cut
}

func stepSection() *table.Section {
	s := &table.Section{
		Name:    "step",
		About:   "One line of a stream: a chunk, a wire event or a pause.",
		Check:   table.Check(checkStep),
		InLines: true,
		Short:   stepNames,
	}
	s.Fields = chunkFields()
	by := byField()
	s.Fields = append(s.Fields, table.Modifiers(append([]table.Field{by}, modifierFields()...))...)
	s.Fields = append(s.Fields, wireStepFields()...)
	return s
}

func stepCodec() table.Codec {
	step := table.Later[stepAsWritten]("a step", stepSection)
	codec := table.OrRather(step, func(_ *table.Decoder, n *yaml.Node) string { return stepHint(n, step.Keys()) })
	codec = table.Pasted(codec, node.Mapping|node.Text, pastedChunk)
	return table.Mapped(codec, func(s stepAsWritten, _ diag.Pos) scenarios.Step {
		if s.Text != nil {
			s.Text.By = s.By
		}
		if s.Fake != nil {
			s.Fake.By = s.By
		}
		if s.Item != nil {
			s.Item.By = s.By
		}
		if c := s.ToolCall; c != nil && c.Pieces.Present && !s.Pieces.Present {
			s.Pieces, c.Pieces = c.Pieces, scenarios.Pieces{}
		}
		return s.Step
	}, func(st scenarios.Step) (stepAsWritten, bool) {
		form := stepAsWritten{Step: st}
		switch {
		case st.Text != nil:
			form.By = st.Text.By
		case st.Fake != nil:
			form.By = st.Fake.By
		case st.Item != nil:
			form.By = st.Item.By
		}
		return form, true
	})
}

// Kinds of keys of a step, for the checks of keys that stand together.
const (
	deltaKey  table.KeyKind = 1 << iota // deltaKey is for members of the delta.
	callKey                             // callKey is for calls that become several chunks.
	cutKey                              // cutKey is for texts that are cut into several chunks.
	itemKey                             // itemKey is for item, which excludes all other parts.
	besideKey                           // besideKey is for members of the chunk beside the delta.
	wholeKey                            // wholeKey is for a whole delta or a whole chunk.
	aloneKey                            // aloneKey is for wire steps and time steps, which exclude all other parts.
	timeKey                             // timeKey is for keys that say when a step is sent.
	wireKey                             // wireKey is for keys that say how a step's events are laid out.
)

// chunkFields is the parts of a chunk, in the order that they have in a delta.
func chunkFields() []table.Field {
	literal := table.JSONCodec("a mapping or null", node.Mapping|node.Null)
	chunked := table.Mapped(sizedTextCodec(), func(t scenarios.Text, p diag.Pos) scenarios.CutText { return scenarios.CutText{Text: t, Pos: p} },
		func(c scenarios.CutText) (scenarios.Text, bool) { return c.Text, true })
	return []table.Field{
		table.Kind(deltaKey, table.Key("role", "The delta's role.", table.Unquoted(optText()))),
		table.Kind(deltaKey, table.Key("content", "The delta's content.", optSizedText())),
		table.Kind(deltaKey, table.Key("refusal", "The delta's refusal.", optSizedText())),
		table.Kind(deltaKey, table.Key("reasoning", "A piece of what the model thinks: a text is of the summary.", stepReasoningCodec())),
		table.Kind(deltaKey|callKey, table.Key("tool_call", "A call of a function tool: an opening chunk, then its arguments in pieces.",
			table.Later[scenarios.ToolCall]("a mapping", toolCallSection))),
		table.Kind(deltaKey, table.Key("tool_calls", "The delta's tool_calls, exactly as written.", table.JSONCodec("a list or null", node.List|node.Null))),
		table.Kind(deltaKey|callKey, table.Key("custom_tool", "A call of a custom tool: an opening chunk, then its input in pieces.",
			table.Later[scenarios.ToolCall]("a mapping", customToolSection))),
		table.Kind(deltaKey|callKey, table.Key("function_call", "A call in the old form: an opening chunk, then its arguments in pieces.",
			table.Later[scenarios.ToolCall]("a mapping", functionCallSection))),
		table.Kind(deltaKey, table.Key("fragment", "A fragment of a call as one chunk sends it, member by member; a list is several in one chunk.",
			fragmentsCodec()).In("Fragments")),
		table.Kind(deltaKey, table.Key("audio", "The delta's audio, exactly as written.", literal)),
		table.Kind(deltaKey, table.Key("annotations", "The delta's annotations, exactly as written.", table.JSONCodec("a list or null", node.List|node.Null))),
		table.Kind(deltaKey|itemKey, table.Key("item", "An output item of the Responses API, with all the events in which the service sends it.", itemCodec())),
		table.Kind(besideKey, table.Key("logprobs", "The chunk's log-probabilities: authored, or true to invent them for its text.", logprobsCodec())),
		table.Kind(wholeKey, table.Key("heartbeat", "This many chunks with an empty delta; true is one.", heartbeatCodec())),
		table.Kind(besideKey, table.Key("finish", "The finish_reason.", table.Unquoted(optText()))),
		table.Kind(besideKey, table.Key("usage", "The token counts. Alone in a step, a chunk without choices.", usageCodec())),
		table.Kind(deltaKey|cutKey, table.Key("text", "A text, cut into content chunks.", chunked)),
		table.Kind(deltaKey|cutKey, table.Key("fake", "Generated content, cut into chunks.",
			table.Later[scenarios.Fake]("a mapping such as {words: 40}", fakeSection))),
		table.Kind(wholeKey, table.Key("delta", "The whole delta, exactly as written.")),
		table.Kind(wholeKey, table.Key("chunk", "The whole chunk, exactly as written; not even the envelope is added.")),
	}
}

// whenAskedField is the key when_asked of a message or a step.
func whenAskedField() table.Field {
	return table.Listed("step", table.Key("when_asked", "Sends logprobs, and in a step usage, only to a request that asks for them."))[0]
}

// modifierFields is the keys that change how a step is sent.
func modifierFields() []table.Field {
	return []table.Field{
		piecesField(),
		table.Key("next", "On responses, part begins another part of the message with the text of the step. (The next message is a step item: { type: message }.)",
			table.WordCodec("part")),
		table.Key("choice", "The index of the choice, for n > 1.", table.IntCodec("an index", 0, maxChoices-1)),
		table.Kind(timeKey, table.Key("after", "The pause before it, in place of the pace's.")),
		table.Kind(timeKey, table.Key("every", "The pause between its chunks, in place of the pace's.")),
		table.Kind(timeKey, table.Listed("pace", table.Key("jitter", jitterDoc))[0]),
		table.Kind(timeKey, table.Key("repeat", "Sends it this many times.", table.IntCodec("a number of times", 1, table.MaxCount))),
		table.Kind(besideKey, table.Key("extra", "Further members of the chunk.", table.ObjectJSON())),
		table.Key("omit", "Places taken out of the finished chunk, such as delta.refusal."),
		table.Kind(besideKey, table.Key("set", "Places overwritten in the finished chunk, with any JSON value.")),
		table.Kind(wireKey, table.Key("wire", "How the step's events are laid out in bytes.",
			table.Later[scenarios.StepWire]("a mapping such as {id: \"7\"}", stepWireSection))),
		table.Listed("scenario", table.Key("quirks", quirksDoc, table.NonEmpty(table.OneOrMore("a list of lint rules", quirkCodec()))))[0],
		whenAskedField(),
	}
}

// wireStepFields is the steps that send no chunks: wire steps and time steps.
func wireStepFields() []table.Field {
	return []table.Field{
		table.Kind(aloneKey, table.Key("comment", "An SSE comment line.")),
		table.Kind(aloneKey, table.Key("raw", "Bytes as written.", sizedTextCodec())),
		table.Kind(aloneKey, table.Key("event", "An SSE event, field by field.",
			table.Later[scenarios.Event]("a mapping", eventSection))),
		table.Kind(aloneKey, table.Key("error", "An error object in mid-stream. A text alone is its message.",
			errorCodec[scenarios.ErrorStep]("wait: 60s", "end: $ in scenario, beside stream", errorStepSection))),
		table.Kind(aloneKey, table.Key("done", "true sends [DONE] here; with any such step the closing [DONE] is not added.")),
		table.Kind(aloneKey, table.Key("wait", "A pause.")),
		table.Kind(aloneKey, table.Key("hold", "Waits here until the test, or an HTTP call, releases the hold of this name.", table.NameCodec("a name"))),
		table.Kind(aloneKey, table.Key("until", "Waits here for a message of the client, or for a request that another scenario answers.", table.Later[scenarios.Until]("a mapping such as { message: response.steer }", untilSection))),
	}
}

func eventSection() *table.Section {
	text, data := table.Some[scenarios.Text](table.LooseTextCodec()), table.Some[scenarios.Text](dataCodec())
	return &table.Section{
		Name:  "event",
		About: "An SSE event, field by field.",
		Fields: []table.Field{
			table.Key("event", "Its name.", text),
			table.Key("id", "The id of the event.", text),
			table.Key("retry", "The reconnection time; any text can be sent.", text),
			table.Key("data", "Its data: a text, each line of which becomes a data: line, or YAML that becomes JSON.", data),
		},
		Check: table.Check(checkEvent),
	}
}

// dataCodec reads the data of an event: a text, a generated text {repeat, bytes}, or any
// other YAML, which is sent as JSON.
func dataCodec() table.Codec {
	generated := table.Later[scenarios.Text](sizeOfText, generatedTextSection)
	generated.Takes = func(n *yaml.Node) bool { return valueOf(n, "repeat") != nil || valueOf(n, "bytes") != nil }
	other := table.ReadAs(table.JSONCodec("JSON", node.Mapping|node.List|node.Null), func(v ojson.Value, p diag.Pos) scenarios.Text {
		return scenarios.Text{Source: v.String(), Pos: p}
	})
	return table.AnyOf(table.LooseTextCodec(), generated, other)
}

// checkEvent reports fields of an event that cannot be sent as they are written.
func checkEvent(d *table.Decoder, m table.Members, e *scenarios.Event) bool {
	ok := checkOneLine(d, m, map[string]scenarios.Text{"event": e.Event.Value, "id": e.ID.Value, "retry": e.Retry.Value})
	if len(m.Pairs) > 0 || !m.Complete {
		return ok
	}
	d.Report(m.Node, "known keys: event, id, retry, data", "the event has no fields")
	return false
}

// checkOneLine reports fields of an event that have several lines.
func checkOneLine(d *table.Decoder, m table.Members, texts map[string]scenarios.Text) bool {
	ok := true
	for _, p := range m.Pairs {
		if text := texts[p.Name]; !text.IsTemplate() && strings.ContainsAny(text.Source, "\r\n") {
			d.Report(p.Key, "write it in one line, or the bytes that you mean as raw", "%s of an event is one line", p.Name)
			ok = false
		}
	}
	return ok
}

// heartbeatCodec reads a number of empty chunks; true and {} are one.
func heartbeatCodec() table.Codec {
	count := table.IntCodec("a number of chunks", 1, table.MaxCount)
	one := table.ReadAs(table.TrueCodec(), func(bool, diag.Pos) int { return 1 })
	empty := table.NewCodec(
		table.Codec{Noun: "{}", Shapes: node.Mapping, Schema: table.SchemaOf("object", ojson.M("maxProperties", ojson.Int(0)))},
		func(d *table.Decoder, n *yaml.Node) (int, bool) {
			if len(n.Content) > 0 {
				d.Report(n, "write what belongs to the step beside it, as in { heartbeat: 4, every: 15s }", "a heartbeat is empty")
			}
			return 1, len(n.Content) == 0
		},
		func(int) *yaml.Node { return nil }, // the codec of numbers writes it
	)
	return table.AnyOf(count, one, empty)
}

// checkStep reports keys that exclude each other or have no effect together.
func checkStep(d *table.Decoder, m table.Members, s *stepAsWritten) bool {
	if alone := m.OfKinds(aloneKey); len(alone) > 0 {
		return !m.Complete || checkAlone(d, m, alone[0].Name) && checkWireAlone(d, m, alone[0].Name, s) && checkJitterOfStep(d, m, s)
	}
	if !m.Complete {
		return true
	}
	if len(m.OfKinds(deltaKey|besideKey|wholeKey)) == 0 {
		d.Report(m.Node, "add a part such as content, or a wait", "the step sends nothing")
		return false
	}
	ok := checkParts(d, m) && checkWholeCalls(d, m)
	for _, extra := range m.Among("extra") {
		ok = refuseKeys(d, extra.Value, "to overwrite it, write set", "id", "object", "created", "model", "choices", "usage") && ok
	}
	return checkModifiers(d, m, s) && checkJitterOfStep(d, m, s) && ok
}

// checkJitterOfStep reports a jitter that is larger than a pause of the step.
func checkJitterOfStep(d *table.Decoder, m table.Members, s *stepAsWritten) bool {
	for _, pause := range []*time.Duration{s.Wait, s.After, s.Every} {
		if pause != nil && !checkJitter(d, m, s.Jitter, pause, "") {
			return false
		}
	}
	return true
}

// checkAlone reports keys beside a wire step or a time step that have no meaning there.
func checkAlone(d *table.Decoder, m table.Members, name string) bool {
	ok := true
	for i, p := range m.Pairs {
		fits := m.Kinds[i]&timeKey != 0
		switch name {
		case "wait":
			fits = p.Name == "jitter"
		case "hold", "until":
			fits = false
		case "comment", "event", "error", "done":
			fits = fits || m.Kinds[i]&wireKey != 0 || p.Name == "quirks"
		case "raw":
			fits = fits || p.Name == "quirks"
		}
		if p.Name != name && !fits {
			hint := "leave it out"
			if m.Kinds[i]&(deltaKey|besideKey|wholeKey|aloneKey) != 0 && p.Name != "extra" && p.Name != "set" {
				hint = "give it a step of its own"
			}
			if of := m.Among("error"); name == "error" && (p.Name == "omit" || p.Name == "set") && node.ShapeOf(of[0].Value) == node.Mapping {
				all, _ := table.InLine(of[0].Value, table.MostInLine)
				own, _ := table.InLine(p.Value, table.MostInLine)
				hint = fmt.Sprintf("write error: %s, %s: %s }, which is about the error", strings.TrimSuffix(all, "}"), p.Name, own)
			}
			d.Report(p.Key, hint, "%s cannot stand beside %s", p.Name, name)
			ok = false
		}
	}
	if m.Key("repeat") == nil {
		ok = d.Refuse(m, "every", "it is the pause between repetitions; write after for the pause before") && ok
	}
	return ok
}

// checkWireAlone reports keys in the wire of a wire step that the step itself has, or
// that are about something the step does not send.
func checkWireAlone(d *table.Decoder, m table.Members, name string, s *stepAsWritten) bool {
	w := s.Wire
	if w == nil {
		return true
	}
	key, ofJSON := m.Key("wire"), w.MultilineData != nil || w.DataLines > 0 || w.JSONStyle != nil
	has := func(o scenarios.Opt[scenarios.Text]) bool { return o.Present }
	var message, mended string
	switch {
	case name == "comment" && (has(w.Comment) || has(w.Event) || has(w.ID) || has(w.Retry) || ofJSON):
		message, mended = "a comment has no event fields", "leave them out: the wire of a comment can have newline and space only"
	case name == "event" && (has(w.Comment) || has(w.Event) || has(w.ID) || has(w.Retry) || ofJSON):
		message, mended = "an event has its own fields", "write the fields in event, and a comment as a step of its own; wire can have newline and space only"
	case name == "error" && has(w.Event) && s.Error != nil && s.Error.Event != "":
		message, mended = "the error and its wire both name the event", "leave one of them out"
	case name == "done" && (s.Done == nil || !*s.Done):
		message, mended = "done: false sends nothing", "leave wire out"
	case name == "done" && ofJSON:
		message, mended = "[DONE] is not JSON and cannot be split into lines", "leave multiline_data and json_style out"
	case name != "error" && w.Frames != "":
		message, mended = name+" is one event", "leave frames out"
	default:
		return true
	}
	d.Report(key, mended, "%s", message)
	return false
}

// checkParts reports parts of a chunk that exclude each other.
func checkParts(d *table.Decoder, m table.Members) bool {
	ok := d.OnlyFirst(m.OfKinds(callKey|cutKey), "give it a step of its own: only one part of a step can become several chunks")
	for _, part := range m.OfKinds(cutKey) {
		ok = d.Refuse(m, "content", "leave one of them out: "+part.Name+" is sent as content") && ok
	}
	if m.Key("tool_calls") != nil {
		for _, call := range []string{"tool_call", "custom_tool", "fragment"} {
			ok = d.Refuse(m, call, "give it a step of its own: tool_calls is sent exactly as written") && ok
		}
	}
	if m.Key("fragment") != nil {
		ok = d.Exclude(m, "fragment", m.Among("tool_call", "custom_tool")) && ok
	}
	ok = checkItemAlone(d, m) && ok
	delta := m.OfKinds(deltaKey)
	ok = d.Exclude(m, "delta", slices.Concat(m.Among("heartbeat", "chunk"), delta)) && ok
	ok = d.Exclude(m, "heartbeat", slices.Concat(m.Among("finish"), delta)) && ok
	return d.Exclude(m, "chunk", slices.Concat(m.Among("heartbeat", "choice", "omit", "when_asked"), m.OfKinds(deltaKey|besideKey))) && ok
}

// checkWholeCalls reports a call without a name and an id. Its author probably meant to
// continue the call before it.
func checkWholeCalls(d *table.Decoder, m table.Members) bool {
	for _, call := range m.Among("tool_call", "custom_tool") {
		pairs, _ := d.Pairs(call.Value)
		if slices.ContainsFunc(pairs, func(p node.Pair) bool { return p.Name == "name" || p.Name == "id" }) {
			continue
		}
		mended := "give the call a name, as in " + call.Name + ": { name: get_weather }"
		if text, ok := table.InLine(call.Value, table.MostInLine); ok && len(pairs) > 0 {
			if node.Member(call.Value, "index").Key == nil {
				text = "{index: 0, " + text[1:]
			}
			mended = "write fragment: " + text + " for a part of a call (the first has index 0), or give the call a name"
		}
		d.Report(call.Key, mended, "%s is a whole call, and this one has no name", call.Name)
		return false
	}
	return true
}

// checkModifiers reports modifiers that have nothing to modify.
func checkModifiers(d *table.Decoder, m table.Members, s *stepAsWritten) bool {
	pauses := slices.DeleteFunc([]*time.Duration{s.After, s.Every}, func(p *time.Duration) bool { return p == nil || *p == 0 })
	ok := true
	for _, pause := range pauses {
		ok = ok && checkJitter(d, m, s.Jitter, pause, "")
	}
	if len(m.OfKinds(callKey|itemKey)) == 0 {
		why := "leave it out: it says how the arguments of a call are cut, and this step has no call"
		if m.Key("fragment") != nil {
			why = "a fragment is one piece; write a step for each, or a tool_call with later"
		}
		ok = d.Refuse(m, "pieces", why)
	}
	if m.Key("item") != nil {
		ok = d.Exclude(m, "pieces", m.Among("by")) && ok
	}
	if len(m.OfKinds(cutKey|itemKey)) == 0 {
		ok = d.Refuse(m, "by", "leave it out: it says how text or fake is cut, and this step has neither") && ok
	}
	if s.Next != "" && len(m.Among("content", "refusal", "text", "fake")) == 0 {
		ok = d.Refuse(m, "next", "write it beside the content, text, fake or refusal that begins the part; the next part of reasoning is reasoning: { next: part, summary: ... }") && ok
	}
	if len(m.Among("usage", "logprobs")) == 0 {
		ok = d.Refuse(m, "when_asked", "leave it out: it is about usage and logprobs, and this step has neither") && ok
	}
	if len(m.OfKinds(callKey|cutKey|itemKey)) == 0 && s.Heartbeat < 2 && s.Repeat < 2 {
		ok = d.Refuse(m, "every", "it is the pause between the chunks of a step, and this step is one; write after for the pause before it") && ok
	}
	return ok
}

// itemCodec reads an output item of the Responses API. The members that each type of
// item has are checked by the server, not here.
func itemCodec() table.Codec {
	const noun = "a mapping such as {type: web_search_call}"
	members := table.MappingCodec(noun, table.AnyJSON(), func(d *table.Decoder, p node.Pair, v ojson.Value) (scenarios.ItemMember, bool) {
		return scenarios.ItemMember{Name: p.Name, Value: v, Pos: d.Pos(p.Key)}, true
	}, func(m scenarios.ItemMember) table.NamedValue[ojson.Value] {
		return table.NamedValue[ojson.Value]{Name: m.Name, Value: m.Value}
	})
	members.Schema = func(w *table.Writer) ojson.Value {
		itemType := table.SchemaOf("string")(w)
		if w.Editor != nil {
			itemType.Set("examples", ojson.Array(w.Editor.Examples["item.type"]...))
		}
		return ojson.Object(
			ojson.M("type", ojson.String("object")), ojson.M("required", ojson.Array(ojson.String("type"))),
			ojson.M("properties", ojson.Object(ojson.M("type", itemType), ojson.M("extra", table.SchemaOf("object")(w)))),
		)
	}
	item := table.Mapped(members, func(list []scenarios.ItemMember, p diag.Pos) scenarios.Item {
		return scenarios.Item{Members: withoutExtra(list), Pos: p}
	}, func(i scenarios.Item) ([]scenarios.ItemMember, bool) { return withExtra(i.Members), true })
	item = table.Refusing(item, func(i *scenarios.Item) bool { return i.Type() == "" },
		"write it with a type, as in item: { type: web_search_call }", "an item needs a type, which is a text")
	return table.Shortly(item, node.Text, func(n *yaml.Node) *yaml.Node { return mappingOf("type", n) })
}

// withoutExtra returns the members of an item with those of extra in its place.
func withoutExtra(written []scenarios.ItemMember) (list []scenarios.ItemMember) {
	for _, m := range written {
		if m.Name != "extra" || m.Value.Kind() != ojson.ObjectKind {
			list = append(list, m)
			continue
		}
		for _, foreign := range m.Value.Members() {
			list = append(list, scenarios.ItemMember{Name: foreign.Name, Value: foreign.Value, Foreign: true, Pos: m.Pos})
		}
	}
	return list
}

// withExtra returns the members of an item as they are written: the foreign ones under
// extra.
func withExtra(members []scenarios.ItemMember) (written []scenarios.ItemMember) {
	var extra []ojson.Member
	for _, m := range members {
		if m.Foreign {
			extra = append(extra, ojson.M(m.Name, m.Value))
		} else {
			written = append(written, m)
		}
	}
	if len(extra) > 0 {
		written = append(written, scenarios.ItemMember{Name: "extra", Value: ojson.Object(extra...)})
	}
	return written
}

// checkItemAlone reports other parts of a chunk beside an item.
func checkItemAlone(d *table.Decoder, m table.Members) bool {
	ok := true
	if item := m.Key("item"); item == nil {
		return ok
	}
	for i, p := range m.Pairs {
		part := m.Kinds[i]&(deltaKey|wholeKey) != 0 && m.Kinds[i]&itemKey == 0
		if part || slices.Contains([]string{"finish", "usage", "logprobs", "choice"}, p.Name) {
			d.Report(p.Key, "give it a step of its own", "%s cannot stand beside item", p.Name)
			ok = false
		}
	}
	return ok
}

func untilSection() *table.Section {
	return &table.Section{
		Name:  "until",
		Aside: true,
		About: "What a stream waits for: a message of the client or an answer to another request. The test can release it, too.",
		Fields: []table.Field{
			table.Key("message", "A message of the client over WebSocket: its type, or conditions as in when.body.", heardCodec()),
			table.Key("request", "The name of a scenario: waits until it has answered a request of the same API key that began later.", table.NameCodec("the name of a scenario")),
			table.Key("within", "How long it waits at most; then the stream goes on. Default: without an end."),
			table.Key("name", "The name by which tests await and release it. Default: the type of the message or the scenario.", table.NameCodec("a name")),
		},
		Check: table.Check(func(d *table.Decoder, m table.Members, u *scenarios.Until) bool {
			return d.ExactlyOne(m, "until", "message", "request")
		}),
	}
}

// heardCodec reads the type of a message, or conditions on it.
func heardCodec() table.Codec {
	ofType := table.Mapped(table.NameCodec("a type such as response.steer"), func(name string, p diag.Pos) []scenarios.BodyMatch {
		return []scenarios.BodyMatch{{Path: scenarios.Path{Path: ojson.Path{{Name: "type"}}, Pos: p}, Equals: new(ojson.String(name))}}
	}, func(list []scenarios.BodyMatch) (string, bool) {
		name := (&scenarios.Until{Message: list}).MessageType()
		return name, name != "" && len(list) == 1
	})
	conditions := table.Refusing(bodyMatchCodec(), func(list *[]scenarios.BodyMatch) bool { return len(*list) == 0 },
		"write the type of the message, as in message: response.steer", "there is no condition on the message")
	return table.AnyOf(ofType, conditions)
}
