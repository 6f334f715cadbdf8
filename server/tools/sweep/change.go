package sweep

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/fakeopenai/fakeopenai/scenarios"
	"github.com/fakeopenai/fakeopenai/scenarios/ojson"
)

// A Change is one difference in how an answer is sent. Most must not matter to a client. A
// fault must: no client can read around it.
type Change struct {
	kind *kind
	// numbers say where and how large the change is. They count from 0, and the smaller they
	// are, the simpler is the change; those that are too large for an answer mean its last
	// place.
	numbers []int
}

// Name is the name of the change, in lower case, with dashes.
func (c Change) Name() string { return c.kind.name }

// Describe describes the change.
func (c Change) Describe() Description { return c.kind.describe() }

func (c Change) isFault() bool { return c.kind.fault }

// kind is a kind of changes.
type kind struct {
	name, about string
	// dialect says that the change is none that OpenAI sends, or one that widely used clients
	// fail on: it is drawn only if it is asked for.
	dialect bool
	fault   bool // fault says that no client can read around the change.
	// limits are how many values each of the change's numbers can have in an answer. With a
	// limit of 0 the change cannot be made. Nil is a change without numbers.
	limits func(d *draft) []int
	// apply makes the change. It returns false if the change cannot be made.
	apply func(d *draft, n []int) bool
}

// draft is a reply that is changed.
type draft struct {
	scenario *scenarios.Scenario
	reply    *scenarios.Reply
	answer   *Answer // answer is the reply as it was sent without changes.
}

// limitsIn are the limits of the change's numbers in a reply.
func (k *kind) limitsIn(d *draft) []int {
	if k.limits == nil {
		return nil
	}
	return k.limits(d)
}

// draw makes a change of this kind, with numbers below their limits; ok is false if the reply has no
// place for one.
func (k *kind) draw(below func(limit int) int, d *draft) (c Change, ok bool) {
	c.kind = k
	for _, limit := range k.limitsIn(d) {
		if limit <= 0 {
			return c, false
		}
		c.numbers = append(c.numbers, below(limit))
	}
	return c, true
}

// apply makes the change in a reply; it returns false if the reply has no place for it.
func (c Change) apply(d *draft) bool {
	limits := c.kind.limitsIn(d)
	numbers := slices.Clone(c.numbers)
	for i, limit := range limits {
		if limit <= 0 {
			return false
		}
		numbers[i] = min(numbers[i], limit-1)
	}
	return c.kind.apply(d, numbers)
}

// kinds returns the kinds of changes that a hunt draws: the usual ones, which every client must read alike, with the dialects
// of the given names, and faults, none of those that are left out. The error names what is no dialect, or no change.
func kinds(dialects, leftOut []string) (usual, faults []*kind, err error) {
	var known, all []string
	for _, k := range allKinds() {
		all = append(all, k.name)
		if k.dialect {
			known = append(known, k.name)
		}
		switch {
		case slices.Contains(leftOut, k.name):
		case k.fault:
			faults = append(faults, k)
		case !k.dialect || slices.Contains(dialects, k.name) || slices.Contains(dialects, "all"):
			usual = append(usual, k)
		}
	}
	for _, name := range dialects {
		if name != "all" && !slices.Contains(known, name) {
			return nil, nil, fmt.Errorf("there is no dialect %q%s; there are: all, %s", name, didYouMean(name, known), strings.Join(known, ", "))
		}
	}
	for _, name := range leftOut {
		if !slices.Contains(all, name) {
			return nil, nil, fmt.Errorf("there is no change %q%s; fakeopenai hunt --list lists them", name, didYouMean(name, all))
		}
	}
	return usual, faults, nil
}

// CheckNames returns an error for a name that no dialect of a hunt has, or that no change to leave out has.
func CheckNames(dialects, without []string) error {
	_, _, err := kinds(dialects, without)
	return err
}

// A Description is what a list of changes says of one.
type Description struct {
	Name    string `json:"name"`
	About   string `json:"about"`             // About is a sentence without a full stop.
	Dialect bool   `json:"dialect,omitempty"` // Dialect says that it is drawn only if it is asked for.
	Fault   bool   `json:"fault,omitempty"`   // Fault says that no client can read around it.
}

func (k *kind) describe() Description { return Description{k.name, k.about, k.dialect, k.fault} }

// Changes describes all changes that a hunt can draw.
func Changes() []Description {
	var list []Description
	for _, k := range allKinds() {
		list = append(list, k.describe())
	}
	return list
}

func allKinds() []*kind {
	var list []*kind
	for _, v := range Variants()[1:] {
		k := &kind{name: v.Name, about: v.About, dialect: v.OnDemand, apply: func(d *draft, _ []int) bool { return d.layOver(v.YAML) }}
		switch v.Name { // without a [DONE] that comes last, an event would have no end
		case "no-final-blank":
			k = onChunks(k).onlyWhere(func(d *draft) bool { done := d.reply.Manner.Wire.Done; return done == nil || *done > 0 })
		case "two-dones":
			k = onChunks(k) // responses have no [DONE] that could come twice
		case "no-done":
			k = k.onlyWhere(func(d *draft) bool { return d.reply.Manner.Wire.FinalBlank == nil })
		}
		list = append(list, k)
	}
	return slices.Concat(list, mannerKinds(), layoutKinds(), stepKinds(), dialectKinds(), faultKinds())
}

// layoutKinds are the layouts, each of which a client must read.
func layoutKinds() (list []*kind) {
	for _, layout := range scenarios.Layouts() {
		list = append(list, &kind{
			name: "layout-" + string(layout.Name), about: "members and their order as in " + layout.About,
			apply: func(d *draft, _ []int) bool {
				changed := d.reply.Manner.Envelope.Layout != layout.Name
				d.reply.Manner.Envelope.Layout = layout.Name
				return changed && layout.Name.IsOn(d.surface())
			},
		})
	}
	return list
}

// onlyWhere is the change for the replies for which a condition holds; others have no place for it.
func (k *kind) onlyWhere(holds func(*draft) bool) *kind {
	limited := *k
	limited.limits = func(d *draft) []int {
		if !holds(d) {
			return []int{0}
		}
		return k.limitsIn(d)
	}
	return &limited
}

// numbers are the limits of a change that can be made everywhere, in several ways.
func numbers(limits ...int) func(*draft) []int { return func(*draft) []int { return limits } }

// layOver lays the keys of a scenario, given as YAML, over the manner of the reply.
func (d *draft) layOver(yaml string) bool {
	manner, err := Variant{Name: "change", YAML: yaml}.Manner()
	if err == nil {
		d.reply.Manner = *d.reply.Manner.Overlay(&manner)
	}
	return err == nil
}

// oneOf is a change of the manner, in one of several ways, each given as YAML.
func oneOf(name, about string, ways ...string) *kind {
	return &kind{name: name, about: about, limits: numbers(len(ways)), apply: func(d *draft, n []int) bool { return d.layOver(ways[n[0]]) }}
}

// mannerChange returns a change of the manner with a number from 1 to most. The number takes the place of %d in the
// YAML.
func mannerChange(name, about, yaml string, most func(*draft) int) *kind {
	return &kind{
		name: name, about: about,
		limits: func(d *draft) []int { return []int{most(d)} },
		apply:  func(d *draft, n []int) bool { return d.layOver(fmt.Sprintf(yaml, n[0]+1)) },
	}
}

// longMember is the name of the member that makes events long.
const longMember = "long"

// mannerKinds are the changes of the bytes on the wire and of what all chunks have in common,
// beyond those of [Variants].
func mannerKinds() []*kind {
	upTo := func(n int) func(*draft) int { return func(*draft) int { return n } }
	inside := func(d *draft) int { return len(d.answer.Bytes) - 1 }
	return []*kind{
		mannerChange("split-at", "two writes, cut at any byte", "wire: { split: { at: %d } }", inside),
		{
			name: "split-at-two", about: "three writes, cut at any bytes",
			limits: func(d *draft) []int { return []int{inside(d), 64} },
			apply: func(d *draft, n []int) bool {
				return d.layOver(fmt.Sprintf("wire: { split: { at: [%d, %d] } }", n[0]+1, n[0]+n[1]+2))
			},
		},
		oneOf("split-chunks", "reads end inside HTTP's chunks", "wire: { split: { by: inside_chunk, gap: 200us } }"),
		mannerChange("split-size", "writes of a few bytes", "wire: { coalesce: 1000000, split: %d }", upTo(64)),
		mannerChange("coalesce", "some events leave in one write", "pace: { every: 1ms, burst: 1 }, wire: { coalesce: %d }", upTo(8)),
		mannerChange("bursts", "some events leave at once, then comes a pause", "pace: { every: 2ms, burst: %d }", upTo(8)),
		{
			name: "large-comments", about: "a comment of up to 128 KiB before each event", limits: numbers(18),
			apply: func(d *draft, n []int) bool {
				return d.layOver(fmt.Sprintf("wire: { comments_between: { repeat: '.', bytes: %d } }", 1<<n[0]))
			},
		},
		{
			name: "long-events", about: "a member of 4 to 64 KiB in each event", limits: numbers(5),
			apply: func(d *draft, n []int) bool {
				return d.layOver(fmt.Sprintf("envelope: { extra: { %s: '{{ hex %d }}' } }", longMember, 4096<<n[0]))
			},
		},
		mannerChange("data-lines", "an event's JSON on some data: lines", "wire: { multiline_data: %d }", upTo(6)),
		oneOf("line-ends", "kinds of lines that end in different ways", "wire: { newline: [crlf, lf] }", "wire: { newline: [lf, crlf] }"),
		oneOf("json-escapes", "JSON with escapes as Go writes it", "wire: { json_style: html }"),
		oneOf("obfuscation", "no member obfuscation", "envelope: { obfuscation: false }"),
		oneOf("usage-null", "usage: null in each chunk, or in none", "envelope: { usage_null: false }", "envelope: { usage_null: true }"),
		oneOf("usage-details", "usage without its details", "envelope: { omit: [usage.prompt_tokens_details, usage.completion_tokens_details] }"),
		oneOf("left-out", "an optional member is left out",
			"envelope: { omit: service_tier }", "envelope: { omit: system_fingerprint }", "envelope: { omit: 'choices[0].logprobs' }", "envelope: { omit: delta.refusal }"),
		oneOf("null", "an optional member is null", "envelope: { service_tier: null }", "envelope: { system_fingerprint: null }"),
		oneOf("unknown-member", "a member that OpenAI does not send", "envelope: { extra: { provider: acme } }", "envelope: { extra: { x: null } }", "envelope: { extra: { x: { type: content, delta: x, content: x, finish_reason: x } } }", "envelope: { extra: { x: 'data: [DONE]' } }"),
		onChunks(oneOf("order", "members in another order", "envelope: { order: [choices, delta, finish_reason] }")),
		oneOf("unicode-lines", "a member with characters that are ends of lines for Unicode alone", `envelope: { extra: { x: "a\u2028b" } }`, `envelope: { extra: { x: "a\u0085b" } }`),
		onItems(oneOf("no-event-names", "events without event: lines", "wire: { event_name: null }")),
		oneOf("created", "each chunk has the time at which it is sent", "pace: { every: 1ms }, envelope: { created: per_chunk }"),
	}
}

// offers reports whether the request offers a tool whose type begins with a word.
func (d *draft) offers(tool string) bool {
	body, err := ojson.Parse(d.answer.Body)
	return err == nil && slices.ContainsFunc(body.Get("tools").Items(), func(v ojson.Value) bool { return strings.HasPrefix(v.Get("type").Text(), tool) })
}

// surface is the name of the API for which the scenario is.
func (d *draft) surface() string { return cmp.Or(d.scenario.When.Surface, scenarios.DefaultSurface) }
