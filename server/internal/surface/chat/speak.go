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

// Speak turns the script into chunks. It ends the stream with [DONE] unless the script says how
// it ends.
func (on Surface) Speak(s *script.Script, o *surface.Options) ([]compile.Unit, error) {
	if err := on.Info().Sayable(s, o); err != nil {
		return nil, err
	}
	sp := on.newSpeaker(o, on.Info().Objects[0])
	units := make([]compile.Unit, 0, len(s.Groups)+1)
	for i := range s.Groups {
		g := &s.Groups[i]
		u := surface.NewUnit(g)
		if g.IsChunk() {
			sp.speak(&u, g, s.Groups[i+1:])
		}
		units = append(units, u)
	}
	if !s.OwnDone {
		done := surface.Done(compile.Unit{})
		if n := len(units); n > 0 {
			done.Step = units[n-1].Step
		}
		units = append(units, done)
	}
	return units, nil
}

// isInDelta reports whether a path names a delta, which only chat completions have. In a group that
// completions do not send it does no harm.
func isInDelta(g *script.Group, p ojson.Path) bool {
	return !opensOnly(g) && slices.ContainsFunc(p, func(part ojson.PathElement) bool { return part.Name == "delta" })
}

// opensOnly reports whether a group is only a role, possibly with empty lists of
// log-probabilities. Completions, which have no role, have nothing to send for it.
func opensOnly(g *script.Group) (opens bool) {
	for _, beat := range g.Beats {
		switch beat := beat.(type) {
		case script.Start:
			opens = true
		case script.Logprobs:
			if len(beat.Content.Items()) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return opens
}

// speaker writes the chunks of one layout.
type speaker struct {
	layout
	on      Surface
	options *surface.Options
	details scenarios.Layout       // details is the layout that decides which details usage has.
	head    map[string]ojson.Value // head holds the members of the envelope.
	usage   bool                   // usage says that chunks without usage have usage: null.
	pads    int                    // pads is the number of chunks that have written obfuscation so far.
	offsets map[int]int            // offsets is the number of characters of each choice's text so far.
}

func (on Surface) newSpeaker(o *surface.Options, object string) *speaker {
	s := &speaker{on: on, options: o, layout: layouts[o.Want.Layout], details: o.Want.Layout, usage: nullUsage(o), offsets: map[int]int{}}
	if on.legacy {
		s.layout, s.details = completionsLayout, scenarios.LayoutMinimal
	}
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
		"id":                 surface.OrNull(env.ID, hole.Value(surface.HoleID)),
		"object":             o.ObjectOr(object),
		"created":            o.Created(),
		"model":              surface.OrNull(env.Model, hole.Value(surface.HoleModel)),
		"service_tier":       l.tier,
		"system_fingerprint": l.fingerprint,
	}
	if env.ServiceTier.Present {
		head["service_tier"] = surface.OrNull(env.ServiceTier, tierHole)
	}
	if env.SystemFingerprint.Present {
		head["system_fingerprint"] = surface.OrNull(env.SystemFingerprint, fingerprintHole)
	}
	return head
}

// nullUsage reports whether chunks without usage have "usage": null. The envelope
// decides; if it does not, the request's stream_options do.
func nullUsage(o *surface.Options) bool {
	if null := o.Envelope.UsageNull; null != nil {
		return *null && o.Want.Stream
	}
	return o.Want.Usage && o.Want.Stream
}

// speak makes the unit of a group that is a chunk; after are the groups behind it.
func (s *speaker) speak(u *compile.Unit, g *script.Group, after []script.Group) {
	switch {
	case g.SaysNothing():
		u.Silent, u.Paced, u.Kind = true, false, "silent"
		return
	case s.on.legacy && opensOnly(g):
		u.Silent, u.Paced, u.Kind = true, false, kindRole
		return
	}
	c := s.on.newChunk(g, s.details)
	if !c.delta.Get("role").IsAbsent() {
		c.opens = firstSaid(g.Choice, after)
	}
	u.Kind, u.JSON = c.kindOf(), s.chunk(&c, g)
	if u.JSON.Find(s.on.Info().Complete(ojson.Path{{Name: "logprobs"}})).Kind() == ojson.ObjectKind {
		u.Also = append(u.Also, kindLogprobs)
	}
	u.Closing = s.options.FromMessage && u.Kind == kindFinish
}

func (s *speaker) chunk(c *chunk, g *script.Group) ojson.Value {
	if !c.authored.IsAbsent() {
		return s.options.Amend(c.authored, g, s.on.Info().Complete)
	}
	order := s.members
	if c.kindOf() == kindUsage && s.onlyUsage != nil {
		order = s.onlyUsage
	}
	usage := c.usage
	if usage.IsAbsent() && s.usage {
		usage = ojson.Null()
	}
	members := make([]ojson.Member, len(order))
	for i, name := range order {
		value := s.head[name]
		switch name {
		case "choices":
			value = s.choices(c)
		case "usage":
			value = usage
		}
		members[i] = ojson.M(name, value)
	}
	v := ojson.Object(members...)
	s.options.Extend(&v)
	if g.Edit != nil {
		v.SetAll(g.Edit.Extra.Members())
	}
	if s.obfuscation && v.Get("obfuscation").IsAbsent() { // a written obfuscation stays
		v.Set("obfuscation", s.padding(g))
	}
	if s.sorted {
		v = sorted(v)
	}
	v = s.options.AmendEverywhere(v, func(p ojson.Path) []ojson.Path { return s.on.placesOf(p, s.on.dialect().delta, 1) })
	v = s.options.Amend(v, g, s.on.Info().Complete)
	choice := ojson.Path{{Name: "choices"}, {IsIndex: true}}
	return s.options.InOrder(v, append(slices.Clip(choice), ojson.PathElement{Name: "delta"}), choice)
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

// choices returns the list with the chunk's choice; it is empty for a chunk with only
// usage.
func (s *speaker) choices(c *chunk) ojson.Value {
	if c.kindOf() == kindUsage {
		return ojson.Array()
	}
	said := s.delta(c)
	if s.on.legacy {
		said = c.delta.Get("content").Or(ojson.String(""))
	}
	choice := s.on.choice(int64(c.choice), s.on.dialect().delta, said)
	choice.Set("logprobs", s.logprobsOf(c))
	choice.Set("finish_reason", c.finish.Or(ojson.Null()))
	if s.filtered {
		choice.Set("content_filter_results", filterResults(c))
	}
	return ojson.Array(choice)
}

// choice begins a choice: with its index on chat completions, with its text on completions.
func (on Surface) choice(index int64, member string, said ojson.Value) ojson.Value {
	if on.legacy {
		return ojson.Object(ojson.M(member, said), ojson.M("index", ojson.Int(index)))
	}
	return ojson.Object(ojson.M("index", ojson.Int(index)), ojson.M(member, said))
}

// firstSaid returns the first member among content, refusal and calls that the groups send in a choice; "" for none.
func firstSaid(choice int, groups []script.Group) string {
	for i := range groups {
		if groups[i].Choice != choice {
			continue
		}
		for _, beat := range groups[i].Beats {
			switch beat := beat.(type) {
			case script.Text, script.Refusal, script.CallStart, script.CallFragment:
				return script.Word(beat)
			case script.Literal:
				if beat.Member == "delta" && len(beat.Value.Members()) > 0 {
					return beat.Value.Members()[0].Name
				}
				return beat.Member
			}
		}
	}
	return ""
}

// delta completes the first delta of a choice. Beside the role stand an empty content and, if the layout says so,
// refusal: null; before a call content: null alone, and before a refusal content: null and an empty refusal.
func (s *speaker) delta(c *chunk) ojson.Value {
	if c.delta.IsAbsent() {
		return ojson.Object()
	}
	if c.literal || c.delta.Get("role").IsAbsent() {
		return c.delta
	}
	opening := map[string]ojson.Value{"content": ojson.String("")}
	for _, instead := range []string{"tool_calls", "function_call", "refusal"} {
		if !c.delta.Get(instead).IsNullOrAbsent() {
			opening["content"] = ojson.Null()
		}
	}
	if s.refusal {
		opening["refusal"] = ojson.Null()
	}
	if c.delta.Get("content").IsAbsent() && c.delta.Get("refusal").IsAbsent() && !opening["content"].IsNull() {
		switch c.opens {
		case "tool_calls", "function_call":
			opening = map[string]ojson.Value{"content": ojson.Null()}
		case "refusal":
			opening = map[string]ojson.Value{"content": ojson.Null(), "refusal": ojson.String("")}
		}
	}
	delta := ojson.Object()
	for _, name := range []string{"role", "content", "function_call", "tool_calls", "refusal"} { // the recorded order
		delta.Set(name, c.delta.Get(name).Or(opening[name]))
	}
	delta.SetAll(c.delta.Members())
	return delta
}

// placesOf returns the places that a path of the envelope stands for: one in each
// choice, if the path starts inside a choice; none, if it starts at a delta or a message, and
// choices have another member instead, said.
func (on Surface) placesOf(p ojson.Path, said string, choices int) []ojson.Path {
	start, inChoice := p[0].Name, slices.Contains(on.Info().InChoice, p[0].Name) || p[0].Name == "message"
	if start == "choices" && len(p) > 2 {
		start = p[2].Name
	}
	switch {
	case start != said && (start == "delta" || start == "message"):
		return nil
	case inChoice:
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
	return surface.Unfiltered()
}

// layout describes the chunks of a model family: which members they have, in which
// order, and what stands in members that are empty.
type layout struct {
	// members lists the members of a chunk, in order. Obfuscation is always the last.
	members     []string
	onlyUsage   []string // onlyUsage lists those of a chunk with only usage, if their order differs.
	tier        ojson.Value
	fingerprint ojson.Value
	obfuscation bool
	logprobs    bool // logprobs says that choices have a logprobs member.
	refusal     bool // refusal says that the first delta has refusal: null.
	filtered    bool // filtered says that choices have content_filter_results.
	sorted      bool // sorted says that members stand in alphabetical order at every level.
}

var (
	chunkOrder      = []string{"id", "object", "created", "model", "service_tier", "system_fingerprint", "choices", "usage"}
	fingerprintHole = hole.Value(surface.HoleFingerprint)
	tierHole        = hole.Value(surface.HoleTier)
)

var layouts = map[scenarios.Layout]layout{
	scenarios.LayoutGPT4o: {members: chunkOrder, tier: tierHole, fingerprint: fingerprintHole, obfuscation: true, logprobs: true, refusal: true},
	scenarios.LayoutParallel: {
		members: []string{"id", "object", "created", "model", "service_tier", "system_fingerprint", "usage", "choices"},
		tier:    tierHole, fingerprint: fingerprintHole, obfuscation: true, logprobs: true, refusal: true,
	},
	scenarios.LayoutReasoning: {members: chunkOrder, tier: tierHole, fingerprint: ojson.Null(), obfuscation: true, refusal: true},
	scenarios.LayoutSearch:    {members: chunkOrder, fingerprint: ojson.String(""), refusal: true},
	scenarios.Layout2024:      {members: chunkOrder, fingerprint: fingerprintHole, logprobs: true, refusal: true},
	scenarios.LayoutAudio:     {members: chunkOrder, tier: tierHole, fingerprint: fingerprintHole, obfuscation: true, refusal: true},
	scenarios.LayoutAzure:     {members: chunkOrder, tier: tierHole, fingerprint: fingerprintHole, obfuscation: true, logprobs: true, refusal: true, filtered: true, sorted: true},
	scenarios.LayoutMinimal:   {members: chunkOrder},
}

// LayoutFor is the layout in which the real service answers for a model. Unlike there,
// upper case does not matter.
func LayoutFor(name string) scenarios.Layout {
	switch facts := surface.ModelNamed(strings.ToLower(name)); {
	case facts.Search:
		return scenarios.LayoutSearch
	case facts.Audio:
		return scenarios.LayoutAudio
	case facts.Reasoning:
		return scenarios.LayoutReasoning
	}
	return scenarios.LayoutGPT4o
}

// messageLayout is the layout in which the gpt-4o models send this message.
func messageLayout(m *scenarios.Message) scenarios.Layout {
	list := m.Choices
	if len(list) == 0 {
		list = []scenarios.Message{*m}
	}
	layout := scenarios.LayoutGPT4o
	for i := range list {
		switch c := &list[i]; {
		case c.Audio != nil:
			return scenarios.LayoutAudio
		case len(c.ToolCalls)+len(c.CustomToolCalls) > 1:
			layout = scenarios.LayoutParallel
		}
	}
	return layout
}

// sorted returns v with the members of all objects in alphabetical order.
func sorted(v ojson.Value) ojson.Value {
	switch v.Kind() {
	case ojson.ArrayKind:
		items := slices.Clone(v.Items())
		for i := range items {
			items[i] = sorted(items[i])
		}
		return ojson.Array(items...)
	case ojson.ObjectKind:
		members := slices.Clone(v.Members())
		for i := range members {
			members[i].Value = sorted(members[i].Value)
		}
		slices.SortStableFunc(members, func(a, b ojson.Member) int { return strings.Compare(a.Name, b.Name) })
		return ojson.Object(members...)
	}
	return v
}
