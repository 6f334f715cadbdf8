package realtime

import (
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/request"
)

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

// kindOf is what a member of a session may be: one of these kinds, or null if it may be.
type kindOf struct {
	kinds  []ojson.Kind
	words  string   // words names the kinds in errors.
	values []string // values are those of a text; nil for any.
	of     map[string]kindOf
}

func (k kindOf) orNull() kindOf {
	k.kinds = append(slices.Clip(k.kinds), ojson.NullKind)
	return k
}

func objectOf(members map[string]kindOf) kindOf {
	return kindOf{kinds: []ojson.Kind{ojson.ObjectKind}, words: "an object", of: members}
}

func wordOf(values ...string) kindOf {
	return kindOf{kinds: []ojson.Kind{ojson.StringKind}, words: "a string", values: values}
}

var (
	aText      = wordOf()
	aNumber    = kindOf{kinds: []ojson.Kind{ojson.NumberKind}, words: "a number"}
	aBool      = kindOf{kinds: []ojson.Kind{ojson.BoolKind}, words: "a boolean"}
	aList      = kindOf{kinds: []ojson.Kind{ojson.ArrayKind}, words: "an array"}
	anObject   = kindOf{kinds: []ojson.Kind{ojson.ObjectKind}, words: "an object"}
	textOrMap  = kindOf{kinds: []ojson.Kind{ojson.StringKind, ojson.ObjectKind}, words: "one of a string or object"}
	textOrInt  = kindOf{kinds: []ojson.Kind{ojson.StringKind, ojson.NumberKind}, words: "one of an integer or string"}
	soundKind  = objectOf(map[string]kindOf{"type": wordOf("audio/pcm", "audio/pcmu", "audio/pcma"), "rate": aNumber})
	outputKind = objectOf(map[string]kindOf{"format": soundKind, "voice": textOrMap, "speed": aNumber})
)

// responseMembers are the members of response.create, which the session has, too.
var responseMembers = map[string]kindOf{
	"output_modalities": aList, "instructions": aText, "tools": aList, "tool_choice": textOrMap, "max_output_tokens": textOrInt,
	"parallel_tool_calls": aBool, "reasoning": anObject.orNull(), "prompt": anObject.orNull(),
	"audio":        objectOf(map[string]kindOf{"output": outputKind}),
	"conversation": wordOf("auto", "none"), "metadata": anObject.orNull(), "input": aList,
}

// sessionMembers are the members of session.update.
var sessionMembers = map[string]kindOf{
	"type": wordOf("realtime", "transcription", "translation"), "object": aText, "id": aText, "model": aText, "expires_at": aNumber,
	"output_modalities": aList, "instructions": aText, "tools": aList, "tool_choice": textOrMap, "max_output_tokens": textOrInt,
	"parallel_tool_calls": aBool, "reasoning": anObject.orNull(), "prompt": anObject.orNull(),
	"tracing": textOrMap.orNull(), "truncation": textOrMap, "include": aList.orNull(),
	"audio": objectOf(map[string]kindOf{
		"input": objectOf(map[string]kindOf{
			"format": soundKind, "noise_reduction": anObject.orNull(), "transcription": anObject.orNull(),
			"turn_detection": objectOf(map[string]kindOf{
				"type": wordOf("server_vad", "semantic_vad"), "threshold": aNumber, "prefix_padding_ms": aNumber, "silence_duration_ms": aNumber,
				"idle_timeout_ms": aNumber.orNull(), "create_response": aBool, "interrupt_response": aBool, "eagerness": wordOf("low", "medium", "high", "auto"),
			}).orNull(),
		}),
		"output": outputKind,
	}),
}

// checkMembers returns the error for an object whose members are not these; nil if they are.
func checkMembers(path string, v ojson.Value, members map[string]kindOf) *apierror.Error {
	for _, m := range v.Members() {
		at := path + "." + m.Name
		kind, known := members[m.Name]
		switch {
		case !known:
			return apierror.Bad(at, "unknown_parameter", "Unknown parameter: '%s'.", at)
		case !slices.Contains(kind.kinds, m.Value.Kind()):
			return request.InvalidType(at, kind.words, m.Value)
		case kind.values != nil && !slices.Contains(kind.values, m.Value.Text()):
			return invalidValue(at, m.Value.Text(), kind.values)
		}
		if kind.of != nil {
			if err := checkMembers(at, m.Value, kind.of); err != nil {
				return err
			}
		}
	}
	return checkValues(path, v)
}

// invalidValue is the error for a text that is none of the values.
func invalidValue(path, got string, values []string) *apierror.Error {
	list := "'" + strings.Join(values, "', '") + "'"
	if n := len(values); n > 1 {
		list = fmt.Sprintf("'%s', and '%s'", strings.Join(values[:n-1], "', '"), values[n-1])
	}
	return apierror.Bad(path, "invalid_value", "Invalid value: '%s'. Supported values are: %s.", got, list)
}

// checkValues checks what the kinds of members do not say.
func checkValues(path string, v ojson.Value) *apierror.Error {
	if list := v.Get("output_modalities").Items(); len(list) > 0 {
		if word := list[0].Text(); len(list) > 1 || word != "text" && word != "audio" {
			return apierror.Bad(path+".output_modalities", "invalid_value", "Invalid modalities: %s. Supported combinations are: ['text'] and ['audio'].", v.Get("output_modalities"))
		}
	}
	if rate := v.Get("rate"); !rate.IsAbsent() {
		if err := request.IntegerOutside(rate, path+".rate", sampleRate, sampleRate); err != nil {
			return err
		}
	}
	if n := v.Get("max_output_tokens"); n.Kind() == ojson.NumberKind {
		if err := request.IntegerOutside(n, path+".max_output_tokens", 1, 4096); err != nil {
			return err
		}
	} else if !n.IsAbsent() && n.Text() != "inf" {
		return invalidValue(path+".max_output_tokens", n.Text(), []string{"inf"})
	}
	const mostMetadata = 16
	if m := v.Get("metadata").Members(); len(m) > mostMetadata {
		return apierror.Bad(path+".metadata", "object_above_max_properties", "Invalid '%s.metadata': too many properties. Expected an object with at most %d properties, but got an object with %d properties instead.", path, mostMetadata, len(m))
	}
	return nil
}
