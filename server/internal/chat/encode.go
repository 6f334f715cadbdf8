package chat

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/apierror"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/sse"
)

// Options are what an encoding knows beside the lines.
type Options struct {
	Envelope    scenarios.Envelope
	Render      compile.Render
	Usage       bool // the request asks for usage: the other chunks say usage: null
	Obfuscation bool // the request does not switch it off
}

// Encode speaks the lines as chunks, and closes with [DONE] unless the lines say
// how they end.
func Encode(lines *script.Lines, o Options) ([]compile.Unit, error) {
	e, err := newEncoder(lines.Layout, o)
	if err != nil {
		return nil, err
	}
	units := make([]compile.Unit, 0, len(lines.Lines)+1)
	for i := range lines.Lines {
		l := &lines.Lines[i]
		u := compile.Unit{Kind: l.Kind, Step: l.Step, Gap: l.Gap, Jitter: l.Jitter}
		e.encode(&u, l)
		units = append(units, u)
		if l.Close {
			return units, nil
		}
	}
	if !lines.OwnDone {
		units = append(units, done(units))
	}
	return units, nil
}

// done is the event that closes a stream. It counts as part of the last step.
func done(units []compile.Unit) compile.Unit {
	u := compile.Unit{Kind: script.KindDone, Event: sse.Event{Data: []byte("[DONE]")}}
	if n := len(units); n > 0 {
		u.Step = units[n-1].Step
	}
	return u
}

// encoder writes the chunks of one layout.
type encoder struct {
	layout
	head  map[string]ojson.Value // the members of the envelope
	extra ojson.Value
	usage bool
}

func newEncoder(name scenarios.Layout, o Options) (*encoder, error) {
	e := &encoder{layout: layouts[name], extra: o.Envelope.Extra, usage: o.Usage}
	if !o.Obfuscation || o.Envelope.Obfuscation != nil && !*o.Envelope.Obfuscation {
		e.obfuscation = false
	}
	head, err := e.envelope(&o.Envelope, o.Render, "chat.completion.chunk")
	e.head = head
	return e, err
}

// envelope is the members that stand outside of choices and usage. Those that
// differ from request to request are holes.
func (l *layout) envelope(env *scenarios.Envelope, render compile.Render, object string) (map[string]ojson.Value, error) {
	head := map[string]ojson.Value{
		"id":      or(env.ID, ojson.Hole(script.HoleID)),
		"created": ojson.Hole(script.HoleCreated),
		"model":   or(env.Model, ojson.Hole(script.HoleModel)),
	}
	if env.Created.Null {
		head["created"] = ojson.Null()
	}
	if slices.Contains(l.members, "service_tier") || env.ServiceTier.Present {
		head["service_tier"] = or(env.ServiceTier, ojson.Hole(script.HoleServiceTier))
	}
	if env.SystemFingerprint.Present {
		head["system_fingerprint"] = or(env.SystemFingerprint, fp)
	} else if !l.fingerprint.IsAbsent() {
		head["system_fingerprint"] = l.fingerprint
	}
	if env.Object.Present && !env.Object.Null {
		text, err := render(env.Object.Value)
		if err != nil {
			return nil, err
		}
		object = text
	}
	head["object"] = or(env.Object, ojson.String(object))
	return head, nil
}

// or is null if the option is null, and the value that fills it in otherwise.
func or(o scenarios.Opt[scenarios.Text], value ojson.Value) ojson.Value {
	if o.Null {
		return ojson.Null()
	}
	return value
}

func (e *encoder) encode(u *compile.Unit, l *script.Line) {
	switch l.Kind {
	case script.KindComment:
		u.Event.Comment = &l.Text
	case script.KindRaw:
		if u.Fill = l.Fill; u.Fill == nil {
			u.Raw = &l.Text
		}
	case script.KindEvent:
		u.Event = event(l.Event)
	case script.KindError:
		u.Event.Event = optional(l.Event.Event)
		if l.Error.IsAbsent() {
			u.Event.Data = []byte(l.Text)
		} else {
			u.JSON = apierror.Envelope(l.Error)
		}
	case script.KindDone:
		u.Event.Data = []byte("[DONE]")
	case script.KindHold:
		u.Hold = l.Hold
	case script.KindWait:
	default:
		u.JSON = e.chunk(l)
	}
}

func event(f script.Fields) sse.Event {
	e := sse.Event{Event: optional(f.Event), ID: optional(f.ID), Retry: optional(f.Retry)}
	if f.Data.Present {
		e.Data = []byte(f.Data.Value)
	}
	return e
}

func optional(o scenarios.Opt[string]) *string {
	if !o.Present {
		return nil
	}
	return &o.Value
}

// chunk is the JSON of a line that is a chunk.
func (e *encoder) chunk(l *script.Line) ojson.Value {
	if !l.Chunk.IsAbsent() {
		return amend(l.Chunk, l)
	}
	chunk := ojson.Object()
	for _, name := range e.order() {
		switch name {
		case "choices":
			chunk.Set(name, e.choices(l))
		case "usage":
			chunk.Set(name, e.usageOf(l))
		default:
			chunk.Set(name, e.head[name])
		}
	}
	merge(&chunk, e.extra)
	merge(&chunk, l.Extra)
	if e.obfuscation {
		chunk.Set("obfuscation", ojson.Hole(script.HoleObfuscation))
	}
	if e.sorted {
		chunk = sorted(chunk)
	}
	return amend(chunk, l)
}

// order is the layout's members, and those that the envelope adds to them.
func (e *encoder) order() []string {
	order := e.members
	for _, name := range []string{"system_fingerprint", "service_tier"} {
		if _, ok := e.head[name]; ok && !slices.Contains(order, name) {
			at := slices.Index(order, "model") + 1
			order = slices.Insert(slices.Clone(order), at, name)
		}
	}
	return order
}

func (e *encoder) usageOf(l *script.Line) ojson.Value {
	if l.Usage.IsAbsent() && e.usage {
		return ojson.Null()
	}
	return l.Usage
}

// choices has one choice, or none in a chunk with nothing but usage.
func (e *encoder) choices(l *script.Line) ojson.Value {
	if l.Kind == script.KindUsage {
		return ojson.Array()
	}
	choice := ojson.Object(
		ojson.M("index", ojson.Int(int64(l.Choice))),
		ojson.M("delta", e.delta(l)),
	)
	logprobs := l.Logprobs
	if logprobs.IsAbsent() && e.logprobs {
		logprobs = ojson.Null()
	}
	choice.Set("logprobs", logprobs)
	choice.Set("finish_reason", finish(l.Finish))
	if e.filtered {
		choice.Set("content_filter_results", filterResults(l))
	}
	return ojson.Array(choice)
}

func finish(f scenarios.Opt[string]) ojson.Value {
	if !f.Present || f.Null {
		return ojson.Null()
	}
	return ojson.String(f.Value)
}

// delta completes the delta of the line that opens a choice: its role brings an
// empty content along and, where the layout has it, a refusal that is null.
func (e *encoder) delta(l *script.Line) ojson.Value {
	if l.Delta.IsAbsent() {
		return ojson.Object()
	}
	if l.Literal || l.Delta.Get("role").IsAbsent() {
		return l.Delta
	}
	delta := ojson.Object()
	for _, name := range deltaOrder {
		value := l.Delta.Get(name)
		if value.IsAbsent() {
			value = e.opening(name, l.Delta)
		}
		delta.Set(name, value)
	}
	merge(&delta, l.Delta)
	return delta
}

// deltaOrder is the order of a delta's members in recordings.
var deltaOrder = []string{"role", "content", "function_call", "tool_calls", "refusal"}

func (e *encoder) opening(name string, delta ojson.Value) ojson.Value {
	switch {
	case name == "content":
		for _, other := range []string{"tool_calls", "function_call", "refusal"} {
			if v := delta.Get(other); !v.IsAbsent() && !v.IsNull() {
				return ojson.Null()
			}
		}
		return ojson.String("")
	case name == "refusal" && e.refusal:
		return ojson.Null()
	}
	return ojson.Value{}
}

// merge sets the members of extra in v.
func merge(v *ojson.Value, extra ojson.Value) {
	for _, m := range extra.Members() {
		v.Set(m.Name, m.Value)
	}
}

// amend takes out and overwrites what the step says, in the finished chunk.
func amend(chunk ojson.Value, l *script.Line) ojson.Value {
	if len(l.Omit) == 0 && len(l.Set) == 0 {
		return chunk
	}
	chunk = chunk.Clone()
	for _, p := range l.Omit {
		chunk.Remove(compile.Place(p.Path))
	}
	for _, a := range l.Set {
		chunk.Put(compile.Place(a.Path.Path), a.Value)
	}
	return chunk
}

// filterResults is what Azure adds to every choice: nothing was found in the
// text of a content chunk, and other chunks have nothing to look at.
func filterResults(l *script.Line) ojson.Value {
	if strings.TrimSpace(l.Delta.Get("content").Text()) == "" {
		return ojson.Object()
	}
	results := ojson.Object()
	for _, category := range []string{"hate", "self_harm", "sexual", "violence"} {
		results.Set(category, ojson.Object(
			ojson.M("filtered", ojson.Bool(false)),
			ojson.M("severity", ojson.String("safe")),
		))
	}
	return results
}
