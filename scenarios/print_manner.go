package scenarios

import (
	"gopkg.in/yaml.v3"
)

func addManner(doc *mapping, m *Manner) {
	doc.add("envelope", envelopeNode(&m.Envelope))
	doc.add("pace", paceNode(&m.Pace))
	doc.add("wire", wireNode(&m.Wire))
	doc.add("damage", damageNode(m.Damage))
	doc.add("end", endNode(&m.End))
}

func envelopeNode(e *Envelope) *yaml.Node {
	m := newMapping(0)
	m.add("id", optNode(e.ID))
	m.add("object", optNode(e.Object))
	m.add("created", optIntNode(e.Created))
	if e.CreatedPerChunk {
		m.add("created", wordNode("per_chunk"))
	}
	m.add("model", optNode(e.Model))
	m.add("system_fingerprint", optNode(e.SystemFingerprint))
	m.add("service_tier", optNode(e.ServiceTier))
	m.add("layout", quotedOrNil(string(e.Layout)))
	m.add("obfuscation", pointed(e.Obfuscation, boolNode))
	m.add("extra", jsonNode(e.Extra))
	return m.orNil()
}

func paceNode(p *Pace) *yaml.Node {
	m := newMapping(yaml.FlowStyle)
	m.add("first", pointed(p.First, durationNode))
	m.add("every", pointed(p.Every, durationNode))
	m.add("jitter", pointed(p.Jitter, durationNode))
	m.add("distribution", wordOrNil(p.Distribution))
	m.add("recorded", listNode(p.Recorded, durationNode))
	m.add("tokens_per_second", unlessZero(p.TokensPerSecond, floatNode))
	m.add("speed", unlessZero(p.Speed, floatNode))
	return m.orNil()
}

func wireNode(w *Wire) *yaml.Node {
	m := newMapping(0)
	m.add("newline", wordOrNil(w.Newline))
	m.add("bom", pointed(w.BOM, boolNode))
	m.add("space", pointed(w.Space, boolNode))
	m.add("split", pointed(w.Split, splitNode))
	m.add("coalesce", unlessZero(w.Coalesce, intNode))
	m.add("multiline_data", pointed(w.MultilineData, boolNode))
	m.add("comments_between", pointed(w.CommentsBetween, textNode))
	m.add("event_name", pointed(w.EventName, textNode))
	m.add("ids", pointed(w.IDs, boolNode))
	m.add("unknown_id", pointed(w.UnknownID, apiErrorNode))
	m.add("retry", pointed(w.Retry, intNode))
	m.add("final_blank", pointed(w.FinalBlank, boolNode))
	m.add("done", pointed(w.Done, intNode))
	m.add("after_done", pointed(w.AfterDone, textNode))
	m.add("json_style", wordOrNil(w.JSONStyle))
	m.add("gzip", wordOrNil(w.Gzip))
	m.add("gzip_forced", onlyTrue(w.GzipForced))
	m.add("connection", wordOrNil(w.Connection))
	m.add("length", wordOrNil(w.Length))
	m.add("header_delay", pointed(w.HeaderDelay, durationNode))
	m.add("drip", unlessZero(w.Drip, intNode))
	m.add("content_type", pointed(w.ContentType, textNode))
	m.add("headers", headersNode(w.Headers))
	m.add("status", unlessZero(w.Status, intNode))
	m.add("format", wordOrNil(w.Format))
	m.add("body", pointed(w.Body, textNode))
	if len(w.OnShutdown) > 0 {
		m.add("on_shutdown", streamNode(w.OnShutdown))
	}
	return m.orNil()
}

func splitNode(s Split) *yaml.Node {
	m := newMapping(yaml.FlowStyle)
	m.add("by", wordOrNil(s.By))
	m.add("size", unlessZero(s.Size, intNode))
	m.add("rune", quotedOrNil(s.Rune))
	m.add("seed", pointed(s.Seed, int64Node))
	m.add("gap", unlessZero(s.Gap, durationNode))
	return &m.Node
}

// headersNode writes headers by name; a name that comes again gets a list.
func headersNode(list []Header) *yaml.Node {
	m := newMapping(0)
	byName := map[string]*yaml.Node{}
	for _, h := range list {
		if first := byName[h.Name]; first != nil {
			first.Content = append(first.Content, textNode(h.Value))
			continue
		}
		byName[h.Name] = sequence(yaml.FlowStyle, []*yaml.Node{textNode(h.Value)})
		m.add(h.Name, byName[h.Name])
	}
	return m.orNil()
}

func damageNode(list []Damage) *yaml.Node {
	if len(list) == 0 {
		return nil
	}
	nodes := make([]*yaml.Node, len(list))
	for i, d := range list {
		m := newMapping(yaml.FlowStyle)
		m.add(d.Op, doneToNode(&d))
		m.add("chance", pointed(d.Chance, floatNode))
		nodes[i] = &m.Node
	}
	return sequence(0, nodes)
}

// doneToNode is what a damage is done to.
func doneToNode(d *Damage) *yaml.Node {
	m := newMapping(yaml.FlowStyle)
	switch d.Op {
	case "swap":
		return sequence(yaml.FlowStyle, []*yaml.Node{selectorNode(d.Frames), selectorNode(d.With)})
	case "rename":
		m.add("frames", selectorNode(d.Frames))
		m.add("from", pathNode(d.From))
		m.add("to", quotedNode(d.To))
	case "retype":
		m.add("frames", selectorNode(d.Frames))
		m.add("at", pathNode(d.From))
		m.add("to", wordNode(d.To))
		if d.To == "null" {
			m.Content[len(m.Content)-1] = quotedNode(d.To)
		}
	case "corrupt":
		m.add("frames", selectorNode(d.Frames))
		m.add("bytes", unlessZero(d.Bytes, intNode))
	default:
		return selectorNode(d.Frames)
	}
	return &m.Node
}

func selectorNode(s Selector) *yaml.Node {
	if s.Kind != "" {
		return wordNode(s.Kind)
	}
	return intNode(s.Position)
}

func endNode(e *End) *yaml.Node {
	if e.Kind == "" {
		return nil
	}
	options := newMapping(yaml.FlowStyle)
	options.add("for", unlessZero(e.For, durationNode))
	options.add("after", pointed(e.After, intNode))
	options.add("byte", pointed(e.Byte, int64Node))
	options.add("inside", pointed(e.Inside, boolNode))
	options.add("final_chunk", onlyTrue(e.FinalChunk))
	options.add("reset", onlyTrue(e.Reset))
	options.add("chance", pointed(e.Chance, floatNode))
	if options.orNil() == nil {
		return wordNode(string(e.Kind))
	}
	m := newMapping(yaml.FlowStyle)
	m.add(string(e.Kind), &options.Node)
	return &m.Node
}

// whenNode is a condition, or nil when it holds for every request.
func whenNode(w *When) *yaml.Node {
	m := newMapping(0)
	m.add("model", quotedOrNil(w.Model))
	m.add("surface", wordOrNil(w.Surface))
	m.add("stream", pointed(w.Stream, boolNode))
	m.add("user", pointed(w.User, matchNode))
	m.add("system", pointed(w.System, matchNode))
	m.add("messages", pointed(w.Messages, matchNode))
	m.add("tools", listNode(w.Tools, quotedNode))
	m.add("tool_result", pointed(w.ToolResult, toolResultNode))
	m.add("turn", unlessZero(w.Turn, intNode))
	headers := newMapping(yaml.FlowStyle)
	for _, h := range w.Header {
		value := boolNode(true)
		if h.Match != nil {
			value = matchNode(*h.Match)
		}
		headers.add(h.Name, value)
	}
	m.add("header", headers.orNil())
	m.add("api_key", pointed(w.APIKey, matchNode))
	body := newMapping(yaml.FlowStyle)
	for _, b := range w.Body {
		body.add(b.Path.String(), bodyMatchNode(&b))
	}
	m.add("body", body.orNil())
	m.add("attempt", unlessZero(w.Attempt, intNode))
	return m.orNil()
}

func matchNode(t TextMatch) *yaml.Node {
	m := newMapping(yaml.FlowStyle)
	m.add("equals", pointed(t.Equals, quotedNode))
	m.add("contains", pointed(t.Contains, quotedNode))
	if t.Matches != nil {
		m.add("matches", quotedNode(t.Matches.String()))
	}
	return &m.Node
}

func toolResultNode(t ToolResultMatch) *yaml.Node {
	m := newMapping(yaml.FlowStyle)
	m.add("id", quotedOrNil(t.ID))
	m.add("content", pointed(t.Content, matchNode))
	if m.orNil() == nil {
		return boolNode(true)
	}
	return &m.Node
}

func bodyMatchNode(b *BodyMatch) *yaml.Node {
	m := newMapping(yaml.FlowStyle)
	m.add("equals", pointed(b.Equals, jsonNode))
	m.add("exists", pointed(b.Exists, boolNode))
	if b.Match != nil {
		m.Content = append(m.Content, matchNode(*b.Match).Content...)
	}
	return &m.Node
}
