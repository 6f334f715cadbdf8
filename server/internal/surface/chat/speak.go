package chat

import (
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
	"github.com/fakeopenai/fakeopenai/server/internal/compile"
	"github.com/fakeopenai/fakeopenai/server/internal/hole"
	"github.com/fakeopenai/fakeopenai/server/internal/script"
	"github.com/fakeopenai/fakeopenai/server/internal/surface"
)

// The holes of the envelope.
const (
	holeID = script.SurfaceHoles + iota
	holeCreated
	holeModel
	holeFingerprint
	holeServiceTier
)

// Speak turns the script into chunks.
func (Surface) Speak(s *script.Script, o surface.Options) ([]compile.Unit, error) {
	if err := o.OfResponses(info.Title); err != nil {
		return nil, err
	}
	sp := newSpeaker(&o, "chat.completion.chunk")
	return surface.Each(s, func(u *compile.Unit, g *script.Group) error {
		if err := foreign(g); err != nil {
			return err
		}
		if g.SaysNothing() {
			u.Silent, u.Paced, u.Kind = true, false, "silent"
			return nil
		}
		sp.speak(u, g, o.FromMessage)
		return nil
	})
}

// Sayable returns the error that Speak would return.
func (Surface) Sayable(s *script.Script, o surface.Options) error {
	if err := o.OfResponses(info.Title); err != nil {
		return err
	}
	for i := range s.Groups {
		g := &s.Groups[i]
		if g.IsChunk() {
			if err := foreign(g); err != nil {
				return err
			}
		} else if e, ok := g.Beats[0].(script.Error); ok && e.Close {
			return nil // the stream ends here
		}
	}
	return nil
}

// foreign returns the error for a group that only another surface can express; nil if
// this one can.
func foreign(g *script.Group) error {
	for _, beat := range g.Beats {
		what := ""
		switch beat := beat.(type) {
		case script.Item:
			what = script.InWords(beat)
		case script.Literal:
			if beat.Surface != surfaceName {
				what = "a literal " + beat.Member + " of " + beat.Surface
			}
		}
		if what != "" {
			return &surface.Unsayable{Surface: info.Title, Step: g.Step, What: what}
		}
	}
	return nil
}

// speaker writes the chunks of one layout.
type speaker struct {
	layout
	options *surface.Options
	details scenarios.Layout       // details is the layout that decides which details usage has.
	head    map[string]ojson.Value // head holds the members of the envelope.
	extra   ojson.Value
	usage   bool // usage says that chunks without usage have usage: null.
	pads    int  // pads is the number of chunks that have written obfuscation so far.
}

func newSpeaker(o *surface.Options, object string) *speaker {
	s := &speaker{options: o, layout: layouts[o.Want.Layout], details: detailsLayout(o), extra: o.Envelope.Extra, usage: o.NullUsage()}
	if !o.Want.Padding || !o.Want.Stream || o.Envelope.Obfuscation != nil && !*o.Envelope.Obfuscation {
		s.obfuscation = false
	}
	s.head = s.envelope(o, object)
	return s
}

// envelope returns the members beside choices and usage. Those that differ from request
// to request are holes.
func (l *layout) envelope(o *surface.Options, object string) map[string]ojson.Value {
	env := &o.Envelope
	head := map[string]ojson.Value{
		"id":      surface.OrNull(env.ID, hole.Value(holeID)),
		"created": o.Created(holeCreated),
		"model":   surface.OrNull(env.Model, hole.Value(holeModel)),
	}
	if slices.Contains(l.members, "service_tier") || env.ServiceTier.Present {
		head["service_tier"] = surface.OrNull(env.ServiceTier, hole.Value(holeServiceTier))
	}
	if env.SystemFingerprint.Present {
		head["system_fingerprint"] = surface.OrNull(env.SystemFingerprint, fingerprintHole)
	} else if !l.fingerprint.IsAbsent() {
		head["system_fingerprint"] = l.fingerprint
	}
	if o.Object != "" {
		object = o.Object
	}
	head["object"] = surface.OrNull(env.Object, ojson.String(object))
	return head
}

// speak makes the unit of a group that is a chunk.
func (s *speaker) speak(u *compile.Unit, g *script.Group, fromMessage bool) {
	c := newChunk(g, s.details)
	u.Kind, u.JSON = c.kindOf(), s.chunk(&c, g)
	if u.JSON.Find(complete(ojson.Path{{Name: "logprobs"}})).Kind() == ojson.ObjectKind {
		u.Also = append(u.Also, kindLogprobs)
	}
	u.Closing = fromMessage && u.Kind == kindFinish
}

// chunk is the JSON of a chunk.
func (s *speaker) chunk(c *chunk, g *script.Group) ojson.Value {
	if !c.authored.IsAbsent() {
		return s.options.Amend(c.authored, g, complete)
	}
	v := ojson.Object()
	for _, name := range s.order() {
		switch name {
		case "choices":
			v.Set(name, s.choices(c))
		case "usage":
			v.Set(name, s.usageOf(c))
		default:
			v.Set(name, s.head[name])
		}
	}
	v.SetMissing(s.extra.Members()) // a member that the step sets stays
	if g.Edit != nil {
		v.SetAll(g.Edit.Extra.Members())
	}
	if s.obfuscation && v.Get("obfuscation").IsAbsent() { // a written obfuscation stays
		v.Set("obfuscation", s.padding(g))
	}
	if s.sorted {
		v = sorted(v)
	}
	v = s.options.AmendEverywhere(v, func(p ojson.Path) []ojson.Path { return placesOf(p, "message", 1) })
	return s.options.Amend(v, g, complete)
}

// padding returns the written obfuscation of a chunk, or the hole for a random one.
func (s *speaker) padding(g *script.Group) ojson.Value {
	written := s.options.Envelope.Obfuscations
	if g.Series != 0 || s.pads == len(written) {
		return hole.Value(hole.Padding)
	}
	s.pads++
	return ojson.String(written[s.pads-1])
}

// order lists the layout's members, followed by those that the envelope adds.
func (s *speaker) order() []string {
	order := s.members
	for _, name := range []string{"system_fingerprint", "service_tier"} {
		if _, ok := s.head[name]; ok && !slices.Contains(order, name) {
			at := slices.Index(order, "model") + 1
			order = slices.Insert(slices.Clone(order), at, name)
		}
	}
	return order
}

func (s *speaker) usageOf(c *chunk) ojson.Value {
	if c.usage.IsAbsent() && s.usage {
		return ojson.Null()
	}
	return c.usage
}

// choices returns the list with the chunk's choice; it is empty for a chunk with only
// usage.
func (s *speaker) choices(c *chunk) ojson.Value {
	if c.kindOf() == kindUsage {
		return ojson.Array()
	}
	choice := ojson.Object(
		ojson.M("index", ojson.Int(int64(c.choice))),
		ojson.M("delta", s.delta(c)),
	)
	logprobs := c.logprobs
	if logprobs.IsAbsent() && s.logprobs {
		logprobs = ojson.Null()
	}
	choice.Set("logprobs", logprobs)
	finish := c.finish
	if finish.IsAbsent() {
		finish = ojson.Null()
	}
	choice.Set("finish_reason", finish)
	if s.filtered {
		choice.Set("content_filter_results", filterResults(c))
	}
	return ojson.Array(choice)
}

// delta completes the first delta of a choice. Beside the role it gets an empty content
// and, if the layout says so, refusal: null.
func (s *speaker) delta(c *chunk) ojson.Value {
	if c.delta.IsAbsent() {
		return ojson.Object()
	}
	if c.literal || c.delta.Get("role").IsAbsent() {
		return c.delta
	}
	delta := ojson.Object()
	for _, name := range openingOrder {
		value := c.delta.Get(name)
		if value.IsAbsent() {
			value = s.opening(name, c.delta)
		}
		delta.Set(name, value)
	}
	delta.SetAll(c.delta.Members())
	return delta
}

// openingOrder is the recorded order of the members of a choice's first delta.
var openingOrder = []string{"role", "content", "function_call", "tool_calls", "refusal"}

func (s *speaker) opening(name string, delta ojson.Value) ojson.Value {
	switch {
	case name == "content":
		for _, other := range []string{"tool_calls", "function_call", "refusal"} {
			if v := delta.Get(other); !v.IsAbsent() && !v.IsNull() {
				return ojson.Null()
			}
		}
		return ojson.String("")
	case name == "refusal" && s.refusal:
		return ojson.Null()
	}
	return ojson.Value{}
}

// Complete completes a path that starts inside the first choice of a chunk:
// delta.content is short for choices[0].delta.content.
func (Surface) Complete(p ojson.Path) ojson.Path { return complete(p) }

func complete(p ojson.Path) ojson.Path {
	switch p[0].Name {
	case "delta", "finish_reason", "logprobs":
		return append(ojson.Path{{Name: "choices"}, {IsIndex: true}}, p...)
	}
	return p
}

// placesOf returns the places that a path of the envelope stands for: one in each
// choice, if the path starts inside a choice. Foreign is a member that these choices do
// not have: message in a chunk, delta in a whole answer.
func placesOf(p ojson.Path, foreign string, choices int) []ojson.Path {
	inChoice := complete(p)
	if p[0].Name == "message" {
		inChoice = surface.InChoices(p, 1)[0]
	}
	switch {
	case len(inChoice) > 2 && inChoice[0].Name == "choices" && inChoice[2].Name == foreign:
		return nil
	case len(inChoice) > len(p):
		return surface.InChoices(p, choices)
	}
	return []ojson.Path{p}
}

// filterResults is the content_filter_results of a choice on Azure: nothing was found
// in the text of a content chunk; other chunks have an empty object.
func filterResults(c *chunk) ojson.Value {
	if strings.TrimSpace(c.delta.Get("content").Text()) == "" {
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
