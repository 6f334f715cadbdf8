package realtime

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

type entry struct {
	id    string
	item  ojson.Value
	lasts time.Duration // lasts is how long the sound of a message is.
	audio []byte        // audio is the sound that the client sent, in base64.
	// unheard says that the item is sound of the client of which no reply has said yet what it says.
	unheard bool
}

type conversation struct {
	entries []*entry
	bytes   int // bytes is about how much memory the items take.
}

// mostItems and mostBytes bound a conversation.
const (
	mostItems = 10_000
	mostBytes = 32 << 20
)

func (c *conversation) find(id string) *entry {
	if i := c.index(id); i >= 0 {
		return c.entries[i]
	}
	return nil
}

// index returns the position of the last item with this id; -1 if there is none.
func (c *conversation) index(id string) int {
	for i := range slices.Backward(c.entries) {
		if c.entries[i].id == id {
			return i
		}
	}
	return -1
}

// last returns the id of the last item; null if there is none.
func (c *conversation) last() ojson.Value {
	if n := len(c.entries); n > 0 {
		return ojson.String(c.entries[n-1].id)
	}
	return ojson.Null()
}

// room returns the error for an item of this size that the conversation has no room for; nil if it has.
func (c *conversation) room(size int) *apierror.Error {
	if len(c.entries) >= mostItems || c.bytes+size > mostBytes {
		return apierror.Bad("", apierror.CodeTurns, "The conversation is full: this server keeps at most %d items and %d bytes for a session. Delete items, or begin another session.", mostItems, mostBytes)
	}
	return nil
}

// insert adds an item behind the one at a position, -1 being the front.
func (c *conversation) insert(behind int, e *entry) {
	c.entries = slices.Insert(c.entries, behind+1, e)
	c.bytes += e.size()
}

func (e *entry) size() int { return e.item.Size() + len(e.audio) }

func (c *conversation) set(e *entry, item ojson.Value) {
	c.bytes -= e.size()
	e.item = item
	c.bytes += e.size()
}

func (c *conversation) remove(i int) {
	c.bytes -= c.entries[i].size()
	c.entries = slices.Delete(c.entries, i, i+1)
}

func (c *conversation) input() ojson.Value {
	list := ojson.Array()
	for _, e := range c.entries {
		list.Push(e.item)
	}
	return list
}

// readClientItem checks an item that the client creates, and returns it as the service sends it back: with its id, its status
// if it has one, and without its sound, which is returned apart.
func readClientItem(v ojson.Value, id string) (e *entry, _ *apierror.Error) {
	if v.Kind() != ojson.ObjectKind {
		return nil, missing("item")
	}
	e = &entry{id: v.Get("id").Text()}
	if e.id == "" {
		e.id = id
	}
	text := func(name string) ojson.Value { return v.Get(name).Or(ojson.String("")) }
	out := ojson.Object(ojson.M("id", ojson.String(e.id)), ojson.M("type", v.Get("type")))
	switch kind := v.Get("type").Text(); kind {
	case itemMessage:
		content, err := e.content(v)
		if err != nil {
			return nil, err
		}
		out.SetAll([]ojson.Member{ojson.M("status", v.Get("status").Or(ojson.String(statusCompleted))), ojson.M("role", v.Get("role")), ojson.M("content", content)})
	case itemCall:
		out.SetAll([]ojson.Member{
			ojson.M("status", v.Get("status").Or(ojson.String(statusCompleted))), ojson.M("name", text("name")),
			ojson.M("call_id", text("call_id")), ojson.M("arguments", text("arguments")),
		})
	case itemResult:
		if v.Get("call_id").Text() == "" {
			return nil, missing("item.call_id")
		}
		out.SetAll([]ojson.Member{ojson.M("call_id", text("call_id")), ojson.M("output", text("output"))})
	case "":
		return nil, missing("item.type")
	default:
		if slices.Contains(itemsUnplayed, kind) {
			return nil, notPlayed("items of the type " + kind)
		}
		return nil, request.NotOneOf("item.type", kind, []string{itemMessage, itemCall, itemResult})
	}
	e.item = out.Detached()
	return e, nil
}

var partsOf = map[string][]string{
	"user": {"input_text", "input_audio", "input_image"}, "system": {"input_text"}, "assistant": {"output_text", "output_audio"},
}

// content checks the parts of a message. The sound of the client is kept apart.
func (e *entry) content(v ojson.Value) (ojson.Value, *apierror.Error) {
	role := v.Get("role").Text()
	types, known := partsOf[role]
	if !known {
		return ojson.Value{}, request.NotOneOf("item.role", role, []string{"user", "assistant", "system"})
	}
	list := ojson.Array()
	for i, part := range v.Get("content").Items() {
		kind := part.Get("type").Text()
		if !slices.Contains(types, kind) {
			return ojson.Value{}, request.NotOneOf(fmt.Sprintf("item.content[%d].type", i), kind, types)
		}
		if kind == "input_audio" {
			e.audio, e.unheard = []byte(part.Get("audio").Text()), part.Get("transcript").IsNullOrAbsent()
			part = ojson.Object(ojson.M("type", ojson.String(kind)), ojson.M("transcript", part.Get("transcript").Or(ojson.Null())))
		}
		list.Push(part)
	}
	return list, nil
}

// soundAt returns the position of the part with the sound of the client; -1 for an item without.
func (e *entry) soundAt() int {
	for i, part := range slices.Backward(e.item.Get("content").Items()) {
		if part.Get("type").Text() == "input_audio" {
			return i
		}
	}
	return -1
}

// retrieved returns the item as conversation.item.retrieved has it, with its sound.
func (e *entry) retrieved() ojson.Value {
	v := e.item.Clone()
	v.Set("object", ojson.String("realtime.item"))
	if at := e.soundAt(); at >= 0 {
		v.Put(ojson.Path{{Name: "content"}, {IsIndex: true, Index: at}, {Name: "audio"}}, ojson.String(string(e.audio)))
	}
	return v.First("id", "object", "type")
}

func missing(path string) *apierror.Error {
	return apierror.Bad(path, "missing_required_parameter", "Missing required parameter: '%s'.", path)
}

func notPlayed(what string) *apierror.Error {
	return apierror.Bad("", apierror.CodeNotPlayed, "This fake does not play %s.", what)
}

// defaultInstructions stand in session.created and are those of a session whose client gave none. The real service has a
// text of the same length there.
const defaultInstructions = "Your knowledge cutoff is 2023-10. You are an assistant that talks with people. Be warm and quick, speak the language of whom you talk to, and call a function where one helps. These are the instructions of a fake: it reads none of them."

// newConfig returns the session object with which a session of a model begins, with its members in the order of
// recordings.
func newConfig(id, model string, expires int64) ojson.Value {
	voice, silence := "alloy", int64(200)
	if strings.HasPrefix(model, "gpt-realtime-2") && !strings.HasPrefix(model, "gpt-realtime-2025") {
		voice, silence = "marin", 500
	}
	input := ojson.Object(
		ojson.M("format", pcmFormat()), ojson.M("transcription", ojson.Null()), ojson.M("noise_reduction", ojson.Null()),
		ojson.M("turn_detection", detectionDefaults(ojson.Object(ojson.M("type", ojson.String("server_vad")), ojson.M("silence_duration_ms", ojson.Int(silence))))),
	)
	output := ojson.Object(ojson.M("format", pcmFormat()), ojson.M("voice", ojson.String(voice)), ojson.M("speed", ojson.Number("1.0")))
	return ojson.Object(
		ojson.M("type", ojson.String("realtime")), ojson.M("object", ojson.String("realtime.session")), ojson.M("id", ojson.String(id)),
		ojson.M("model", ojson.String(model)), ojson.M("output_modalities", ojson.Array(ojson.String("audio"))),
		ojson.M("instructions", ojson.String(defaultInstructions)), ojson.M("tools", ojson.Array()), ojson.M("tool_choice", ojson.String("auto")),
		ojson.M("max_output_tokens", ojson.String("inf")), ojson.M("tracing", ojson.Null()), ojson.M("truncation", ojson.String("auto")),
		ojson.M("prompt", ojson.Null()), ojson.M("expires_at", ojson.Int(expires)),
		ojson.M("audio", ojson.Object(ojson.M("input", input), ojson.M("output", output))), ojson.M("include", ojson.Null()),
	)
}

// detectionDefaults returns turn_detection with the members that the service fills in.
func detectionDefaults(v ojson.Value) ojson.Value {
	if v.Kind() != ojson.ObjectKind {
		return v
	}
	yes := ojson.Bool(true)
	if v.Get("type").Text() == "semantic_vad" {
		return withMissing(v, ojson.M("type", ojson.Value{}), ojson.M("eagerness", ojson.String("auto")), ojson.M("create_response", yes), ojson.M("interrupt_response", yes))
	}
	return withMissing(v, ojson.M("type", ojson.Value{}), ojson.M("threshold", ojson.Number("0.5")), ojson.M("prefix_padding_ms", ojson.Int(300)),
		ojson.M("silence_duration_ms", ojson.Int(200)), ojson.M("idle_timeout_ms", ojson.Null()), ojson.M("create_response", yes), ojson.M("interrupt_response", yes))
}

// withMissing returns an object with these members in their order: its own values, or else these.
func withMissing(v ojson.Value, members ...ojson.Member) ojson.Value {
	out := ojson.Object()
	for _, m := range members {
		if value := v.Get(m.Name).Or(m.Value); !value.IsAbsent() {
			out.Set(m.Name, value)
		}
	}
	out.SetMissing(v.Members())
	return out
}

// merged returns a session object with an update over it: objects are merged member by member, anything else replaces
// what was there.
func merged(config, update ojson.Value) ojson.Value {
	if config.Kind() != ojson.ObjectKind || update.Kind() != ojson.ObjectKind {
		return update
	}
	out := config.Clone()
	for _, m := range update.Members() {
		value := merged(config.Get(m.Name), m.Value)
		switch m.Name {
		case "turn_detection":
			if config.Get(m.Name).Get("type").Text() != m.Value.Get("type").Text() {
				value = m.Value
			}
			value = detectionDefaults(value)
		case "transcription":
			if value.Kind() == ojson.ObjectKind {
				value = withMissing(value, ojson.M("model", ojson.Value{}), ojson.M("language", ojson.Null()), ojson.M("prompt", ojson.Null()))
			}
		case "tools":
			value = orderedTools(m.Value)
		case "instructions":
			if m.Value.Text() == "" {
				value = ojson.String(defaultInstructions)
			}
		}
		out.Set(m.Name, value)
	}
	return out
}

func orderedTools(tools ojson.Value) ojson.Value {
	list := ojson.Array()
	for _, t := range tools.Items() {
		list.Push(t.First("type", "name", "description", "parameters"))
	}
	return list
}

// The checks of what a client sets.
var (
	aText     = request.Str()
	aNumber   = request.IsOf(ojson.NumberKind, "a number", request.AnyValue)
	aList     = request.IsOf(ojson.ArrayKind, "an array", request.AnyValue)
	anObject  = request.OpenObject()
	textOrMap = request.TextOr("one of a string or object", request.AnyValue, ojson.ObjectKind, request.AnyValue)
	sound     = request.Object(request.May("type", request.OneOf(formatPCM, formatPCMU, formatPCMA)), request.May("rate", request.Integer(sampleRate, sampleRate)))
	output    = request.Object(request.May("format", sound), request.May("voice", textOrMap), request.May("speed", request.Decimal(0.25, 1.5)))
	metadata  = request.Dictionary("an object", 16, request.Unbounded, request.AnyValue)
)

func modalities(c *request.Checker, v ojson.Value) {
	aList(c, v)
	if list := v.Items(); len(list) > 1 || len(list) == 1 && list[0].Text() != "text" && list[0].Text() != "audio" {
		c.Fail("invalid_value", "Invalid modalities: %s. Supported combinations are: ['text'] and ['audio'].", v)
	}
}

// commonMembers are the members that a session and a response can have. The sound of the output is below audio.
func commonMembers(audio ...request.Member) []request.Member {
	may, orNull := request.May, request.OrNull
	mostTokens := request.TextOr("one of an integer or string", request.OneOf("inf"), ojson.NumberKind, request.Integer(1, 4096))
	return []request.Member{
		may("output_modalities", modalities), may("instructions", aText), may("tools", aList), may("tool_choice", textOrMap),
		may("max_output_tokens", mostTokens), may("parallel_tool_calls", request.Boolean()), may("reasoning", orNull(anObject)), may("prompt", orNull(anObject)),
		may("audio", request.Object(append(audio, may("output", output))...)),
	}
}

// responseMembers checks what response.create says of a response.
var responseMembers = request.Object(append(commonMembers(),
	request.May("conversation", request.OneOf("auto", "none")), request.May("metadata", request.OrNull(metadata)), request.May("input", aList),
)...)

// sessionMembers checks what session.update says of a session.
var sessionMembers = sync.OnceValue(func() request.ValueCheck {
	may, orNull := request.May, request.OrNull
	detection := request.Object(
		may("type", request.OneOf("server_vad", "semantic_vad")), may("threshold", request.Decimal(0, 1)), may("prefix_padding_ms", request.Integer(0, 60_000)),
		may("silence_duration_ms", request.Integer(0, 60_000)), may("idle_timeout_ms", orNull(request.Integer(5000, 30_000))), may("create_response", request.Boolean()), may("interrupt_response", request.Boolean()),
		may("eagerness", request.OneOf("low", "medium", "high", "auto")),
	)
	input := request.Object(may("format", sound), may("noise_reduction", orNull(anObject)), may("transcription", orNull(anObject)), may("turn_detection", orNull(detection)))
	return request.Object(append(commonMembers(may("input", input)),
		may("type", request.OneOf("realtime", "transcription", "translation")), may("object", aText), may("id", aText), may("model", aText), may("expires_at", aNumber),
		may("tracing", orNull(textOrMap)), may("truncation", textOrMap), may("include", orNull(aList)),
	)...)
})
