package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

func AddManner(doc *mapping, m *scenarios.Manner) {
	doc.Add("envelope", envelopeNode(&m.Envelope))
	doc.Add("pace", paceNode(&m.Pace))
	doc.Add("wire", wireNode(&m.Wire))
	doc.Add("damage", damageNode(m.Damage))
	doc.Add("end", endNode(&m.End))
}

func envelopeNode(e *scenarios.Envelope) *yaml.Node {
	m := NewMapping(0)
	m.Add("id", optNode(e.ID))
	m.Add("object", optNode(e.Object))
	m.Add("created", optIntNode(e.Created))
	if e.CreatedPerChunk {
		m.Add("created", WordNode("per_chunk"))
	}
	m.Add("model", optNode(e.Model))
	m.Add("system_fingerprint", optNode(e.SystemFingerprint))
	m.Add("service_tier", optNode(e.ServiceTier))
	m.Add("layout", QuotedOrNil(string(e.Layout)))
	m.Add("obfuscation", Pointed(e.Obfuscation, BoolNode))
	m.Add("extra", jsonNode(e.Extra))
	return m.orNil()
}

func paceNode(p *scenarios.Pace) *yaml.Node {
	m := NewMapping(yaml.FlowStyle)
	m.Add("first", Pointed(p.First, durationNode))
	m.Add("every", Pointed(p.Every, durationNode))
	m.Add("jitter", Pointed(p.Jitter, durationNode))
	m.Add("distribution", wordOrNil(p.Distribution))
	m.Add("recorded", ListNode(p.Recorded, durationNode))
	m.Add("tokens_per_second", unlessZero(p.TokensPerSecond, floatNode))
	m.Add("speed", unlessZero(p.Speed, floatNode))
	return m.orNil()
}

func wireNode(w *scenarios.Wire) *yaml.Node {
	m := NewMapping(0)
	m.Add("newline", wordOrNil(w.Newline))
	m.Add("bom", Pointed(w.BOM, BoolNode))
	m.Add("space", Pointed(w.Space, BoolNode))
	m.Add("split", Pointed(w.Split, splitNode))
	m.Add("coalesce", unlessZero(w.Coalesce, intNode))
	m.Add("multiline_data", Pointed(w.MultilineData, BoolNode))
	m.Add("comments_between", Pointed(w.CommentsBetween, textNode))
	m.Add("event_name", Pointed(w.EventName, textNode))
	m.Add("ids", Pointed(w.IDs, BoolNode))
	m.Add("unknown_id", Pointed(w.UnknownID, apiErrorNode))
	m.Add("retry", Pointed(w.Retry, intNode))
	m.Add("final_blank", Pointed(w.FinalBlank, BoolNode))
	m.Add("done", Pointed(w.Done, intNode))
	m.Add("after_done", Pointed(w.AfterDone, textNode))
	m.Add("json_style", wordOrNil(w.JSONStyle))
	m.Add("gzip", wordOrNil(w.Gzip))
	m.Add("gzip_forced", onlyTrue(w.GzipForced))
	m.Add("connection", wordOrNil(w.Connection))
	m.Add("length", wordOrNil(w.Length))
	m.Add("header_delay", Pointed(w.HeaderDelay, durationNode))
	m.Add("drip", unlessZero(w.Drip, intNode))
	m.Add("content_type", Pointed(w.ContentType, textNode))
	m.Add("headers", headersNode(w.Headers))
	m.Add("status", unlessZero(w.Status, intNode))
	m.Add("format", wordOrNil(w.Format))
	m.Add("body", Pointed(w.Body, textNode))
	if len(w.OnShutdown) > 0 {
		m.Add("on_shutdown", StreamNode(w.OnShutdown))
	}
	return m.orNil()
}

func splitNode(s scenarios.Split) *yaml.Node {
	m := NewMapping(yaml.FlowStyle)
	m.Add("by", wordOrNil(s.By))
	m.Add("size", unlessZero(s.Size, intNode))
	m.Add("rune", QuotedOrNil(s.Rune))
	m.Add("seed", Pointed(s.Seed, Int64Node))
	m.Add("gap", unlessZero(s.Gap, durationNode))
	return &m.Node
}

// headersNode writes headers by name; a name that comes again gets a list.
func headersNode(list []scenarios.Header) *yaml.Node {
	m := NewMapping(0)
	byName := map[string]*yaml.Node{}
	for _, h := range list {
		if first := byName[h.Name]; first != nil {
			first.Content = append(first.Content, textNode(h.Value))
			continue
		}
		byName[h.Name] = Sequence(yaml.FlowStyle, []*yaml.Node{textNode(h.Value)})
		m.Add(h.Name, byName[h.Name])
	}
	return m.orNil()
}

func damageNode(list []scenarios.Damage) *yaml.Node {
	if len(list) == 0 {
		return nil
	}
	nodes := make([]*yaml.Node, len(list))
	for i, d := range list {
		m := NewMapping(yaml.FlowStyle)
		m.Add(d.Op, doneToNode(&d))
		m.Add("chance", Pointed(d.Chance, floatNode))
		nodes[i] = &m.Node
	}
	return Sequence(0, nodes)
}

// doneToNode is what a damage is done to.
func doneToNode(d *scenarios.Damage) *yaml.Node {
	m := NewMapping(yaml.FlowStyle)
	switch d.Op {
	case "swap":
		return Sequence(yaml.FlowStyle, []*yaml.Node{selectorNode(d.Frames), selectorNode(d.With)})
	case "rename":
		m.Add("frames", selectorNode(d.Frames))
		m.Add("from", pathNode(d.From))
		m.Add("to", QuotedNode(d.To))
	case "retype":
		m.Add("frames", selectorNode(d.Frames))
		m.Add("at", pathNode(d.From))
		m.Add("to", WordNode(d.To))
		if d.To == "null" {
			m.Content[len(m.Content)-1] = QuotedNode(d.To)
		}
	case "corrupt":
		m.Add("frames", selectorNode(d.Frames))
		m.Add("bytes", unlessZero(d.Bytes, intNode))
	default:
		return selectorNode(d.Frames)
	}
	return &m.Node
}

func selectorNode(s scenarios.Selector) *yaml.Node {
	if s.Kind != "" {
		return WordNode(s.Kind)
	}
	return intNode(s.Position)
}

func endNode(e *scenarios.End) *yaml.Node {
	if e.Kind == "" {
		return nil
	}
	options := NewMapping(yaml.FlowStyle)
	options.Add("for", unlessZero(e.For, durationNode))
	options.Add("after", Pointed(e.After, intNode))
	options.Add("byte", Pointed(e.Byte, Int64Node))
	options.Add("inside", Pointed(e.Inside, BoolNode))
	options.Add("final_chunk", onlyTrue(e.FinalChunk))
	options.Add("reset", onlyTrue(e.Reset))
	options.Add("chance", Pointed(e.Chance, floatNode))
	if options.orNil() == nil {
		return WordNode(string(e.Kind))
	}
	m := NewMapping(yaml.FlowStyle)
	m.Add(string(e.Kind), &options.Node)
	return &m.Node
}

// whenNode is a condition, or nil when it holds for every request.
func WhenNode(w *scenarios.When) *yaml.Node {
	m := NewMapping(0)
	m.Add("model", QuotedOrNil(w.Model))
	m.Add("surface", wordOrNil(w.Surface))
	m.Add("stream", Pointed(w.Stream, BoolNode))
	m.Add("user", Pointed(w.User, matchNode))
	m.Add("system", Pointed(w.System, matchNode))
	m.Add("messages", Pointed(w.Messages, matchNode))
	m.Add("tools", ListNode(w.Tools, QuotedNode))
	m.Add("tool_result", Pointed(w.ToolResult, toolResultNode))
	m.Add("turn", unlessZero(w.Turn, intNode))
	headers := NewMapping(yaml.FlowStyle)
	for _, h := range w.Header {
		value := BoolNode(true)
		if h.Match != nil {
			value = matchNode(*h.Match)
		}
		headers.Add(h.Name, value)
	}
	m.Add("header", headers.orNil())
	m.Add("api_key", Pointed(w.APIKey, matchNode))
	body := NewMapping(yaml.FlowStyle)
	for _, b := range w.Body {
		body.Add(b.Path.String(), bodyMatchNode(&b))
	}
	m.Add("body", body.orNil())
	m.Add("attempt", unlessZero(w.Attempt, intNode))
	return m.orNil()
}

func matchNode(t scenarios.TextMatch) *yaml.Node {
	m := NewMapping(yaml.FlowStyle)
	m.Add("equals", Pointed(t.Equals, QuotedNode))
	m.Add("contains", Pointed(t.Contains, QuotedNode))
	if t.Matches != nil {
		m.Add("matches", QuotedNode(t.Matches.String()))
	}
	return &m.Node
}

func toolResultNode(t scenarios.ToolResultMatch) *yaml.Node {
	m := NewMapping(yaml.FlowStyle)
	m.Add("id", QuotedOrNil(t.ID))
	m.Add("content", Pointed(t.Content, matchNode))
	if m.orNil() == nil {
		return BoolNode(true)
	}
	return &m.Node
}

func bodyMatchNode(b *scenarios.BodyMatch) *yaml.Node {
	m := NewMapping(yaml.FlowStyle)
	m.Add("equals", Pointed(b.Equals, jsonNode))
	m.Add("exists", Pointed(b.Exists, BoolNode))
	if b.Match != nil {
		m.Content = append(m.Content, matchNode(*b.Match).Content...)
	}
	return &m.Node
}
