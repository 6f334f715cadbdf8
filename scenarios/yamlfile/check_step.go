package yamlfile

import "slices"

// The keys of a step, by what they do.
var (
	expandingKeys = []string{"tool_call", "custom_tool", "function_call", "text", "fake"}
	deltaKeys     = []string{"role", "content", "refusal", "reasoning", "tool_call", "tool_calls", "custom_tool", "function_call",
		"audio", "annotations", "text", "fake"}
	besideDelta = []string{"logprobs", "finish", "usage", "extra", "set"}
	aloneKeys   = []string{"comment", "raw", "event", "error", "done", "wait", "hold"}
	timeKeys    = []string{"after", "every", "jitter", "repeat"}
)

// checkStep reports keys that make no sense together.
func checkStep(d *decoder, m members, s *stepForm) bool {
	if alone := m.among(aloneKeys...); len(alone) > 0 {
		return d.checkAlone(m, alone[0].name)
	}
	if !m.whole {
		return true
	}
	parts := slices.Concat(deltaKeys, besideDelta, []string{"heartbeat", "delta", "chunk"})
	if len(m.among(parts...)) == 0 {
		d.report(m.node, "add a part such as content, or a wait", "the step sends nothing")
		return false
	}
	ok := d.checkParts(m)
	return d.checkModifiers(m, s) && ok
}

// checkAlone reports what stands beside a wire or time step.
func (d *decoder) checkAlone(m members, name string) bool {
	allowed := append([]string{name}, timeKeys...)
	hint := "give it a step of its own"
	switch name {
	case "wait":
		allowed = []string{"wait", "jitter"}
	case "hold":
		allowed = []string{"hold"}
	}
	ok := true
	for _, p := range m.pairs {
		if !slices.Contains(allowed, p.name) {
			d.report(p.key, hint, "%s cannot stand beside %s", p.name, name)
			ok = false
		}
	}
	if m.key("repeat") == nil {
		ok = d.refuse(m, "every", "it is the pause between repetitions; write after for the pause before") && ok
	}
	return ok
}

// checkParts reports parts of a chunk that exclude each other.
func (d *decoder) checkParts(m members) bool {
	ok := d.atMostOne(m, "only one part of a step can become several chunks", expandingKeys...)
	for _, part := range []string{"text", "fake"} {
		if m.key(part) != nil {
			ok = d.refuse(m, "content", part+" is the content") && ok
		}
	}
	if m.key("tool_calls") != nil {
		for _, call := range []string{"tool_call", "custom_tool"} {
			ok = d.refuse(m, call, "tool_calls is written out literally") && ok
		}
	}
	ok = d.exclude(m, "delta", append([]string{"heartbeat", "chunk"}, deltaKeys...)) && ok
	ok = d.exclude(m, "heartbeat", append([]string{"finish"}, deltaKeys...)) && ok
	return d.exclude(m, "chunk", slices.Concat(deltaKeys, besideDelta, []string{"heartbeat", "choice", "omit", "when_asked"})) && ok
}

// exclude reports the parts that cannot stand beside a key.
func (d *decoder) exclude(m members, name string, parts []string) bool {
	if m.key(name) == nil {
		return true
	}
	found := m.among(parts...)
	for _, p := range found {
		d.report(p.key, "", "%s and %s exclude each other", name, p.name)
	}
	return len(found) == 0
}

// checkModifiers reports modifiers that have nothing to modify.
func (d *decoder) checkModifiers(m members, s *stepForm) bool {
	ok := true
	if len(m.among("tool_call", "custom_tool", "function_call")) == 0 {
		ok = d.refuse(m, "pieces", "it says how the arguments of a call are cut; this step has none")
	}
	if len(m.among("text", "fake")) == 0 {
		ok = d.refuse(m, "by", "it says how text or fake is cut; this step has neither") && ok
	}
	if len(m.among("usage", "logprobs")) == 0 {
		ok = d.refuse(m, "when_asked", "only usage and logprobs can be asked for") && ok
	}
	if len(m.among(expandingKeys...)) == 0 && s.Heartbeat < 2 && s.Repeat < 2 {
		ok = d.refuse(m, "every", "it is the pause between the chunks of a step, and this step is one; write after for the pause before it") && ok
	}
	return ok
}

// refuse reports a key that must not be there.
func (d *decoder) refuse(m members, name, why string) bool {
	key := m.key(name)
	if key != nil {
		d.report(key, why, "%s has no meaning here", name)
	}
	return key == nil
}
