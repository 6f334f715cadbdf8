package yamlfile

import (
	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios"
)

func StreamNode(steps []scenarios.Step) *yaml.Node {
	nodes := make([]*yaml.Node, len(steps))
	for i := range steps {
		m := NewMapping(0)
		addParts(m, &steps[i])
		addModifiers(m, &steps[i])
		addWire(m, &steps[i])
		nodes[i] = &m.Node
	}
	if len(nodes) == 0 {
		return Sequence(yaml.FlowStyle, nil)
	}
	return Sequence(0, nodes)
}

func addParts(m *mapping, st *scenarios.Step) {
	m.Add("role", optName(st.Role))
	m.Add("content", optNode(st.Content))
	m.Add("refusal", optNode(st.Refusal))
	m.Add("reasoning", Pointed(st.Reasoning, reasoningNode))
	m.Add("tool_call", Pointed(st.ToolCall, callNode("arguments")))
	m.Add("tool_calls", Pointed(st.ToolCalls, jsonNode))
	m.Add("custom_tool", Pointed(st.CustomTool, callNode("input")))
	m.Add("function_call", Pointed(st.FunctionCall, callNode("arguments")))
	m.Add("audio", Pointed(st.Audio, jsonNode))
	m.Add("annotations", Pointed(st.Annotations, jsonNode))
	m.Add("logprobs", Pointed(st.Logprobs, logprobsNode))
	m.Add("heartbeat", unlessZero(st.Heartbeat, intNode))
	m.Add("finish", optName(st.Finish))
	m.Add("usage", Pointed(st.Usage, usageNode))
	if st.Text != nil {
		m.Add("text", textNode(st.Text.Text))
		m.Add("by", byNode(st.Text.By))
	}
	if st.Fake != nil {
		m.Add("fake", fakeNode(st.Fake))
		m.Add("by", byNode(st.Fake.By))
	}
	m.Add("delta", Pointed(st.Delta, jsonNode))
	m.Add("chunk", Pointed(st.Chunk, jsonNode))
}

func addModifiers(m *mapping, st *scenarios.Step) {
	m.Add("pieces", piecesNode(st))
	m.Add("choice", unlessZero(st.Choice, intNode))
	m.Add("after", Pointed(st.After, durationNode))
	m.Add("every", Pointed(st.Every, durationNode))
	m.Add("jitter", Pointed(st.Jitter, durationNode))
	m.Add("repeat", unlessZero(st.Repeat, intNode))
	m.Add("extra", jsonNode(st.Extra))
	m.Add("omit", ListNode(st.Omit, pathNode))
	set := NewMapping(yaml.FlowStyle)
	for _, a := range st.Set {
		set.Add(a.Path.String(), jsonNode(a.Value))
	}
	m.Add("set", set.orNil())
	m.Add("when_asked", onlyTrue(st.WhenAsked))
}

func addWire(m *mapping, st *scenarios.Step) {
	m.Add("comment", Pointed(st.Comment, textNode))
	m.Add("raw", Pointed(st.Raw, textNode))
	m.Add("event", Pointed(st.Event, eventNode))
	m.Add("error", Pointed(st.Error, errorNode))
	m.Add("done", Pointed(st.Done, BoolNode))
	m.Add("wait", Pointed(st.Wait, durationNode))
	m.Add("hold", QuotedOrNil(st.Hold))
}

func reasoningNode(r scenarios.Reasoning) *yaml.Node {
	if r.Field == "" && r.Text.Value.Repeat == "" {
		return optNode(r.Text)
	}
	m := NewMapping(yaml.FlowStyle)
	m.Add("text", optNode(r.Text))
	m.Add("field", QuotedOrNil(r.Field))
	return &m.Node
}

// callNode writes a call whose arguments stand under the given name.
func callNode(text string) func(scenarios.ToolCall) *yaml.Node {
	return func(c scenarios.ToolCall) *yaml.Node {
		m := NewMapping(yaml.FlowStyle)
		m.Add("id", optName(c.ID))
		m.Add("name", optName(c.Name))
		switch a := c.Arguments; {
		case a.Fake:
			m.Add(text, WordNode("fake"))
		case a.Value != nil:
			m.Add(text, jsonNode(*a.Value))
		default:
			m.Add(text, optNode(a.Text))
		}
		m.Add("index", Pointed(c.Index, intNode))
		return &m.Node
	}
}

// piecesNode is how a call is cut.
func piecesNode(st *scenarios.Step) *yaml.Node {
	p := st.Pieces
	switch {
	case p.Texts != nil:
		return ListNode(p.Texts, textNode)
	case p.Present:
		return intNode(p.Count)
	}
	return nil
}

func logprobsNode(l scenarios.Logprobs) *yaml.Node {
	switch {
	case l.Null:
		return nullNode()
	case l.Generate, l.Off:
		return BoolNode(l.Generate)
	case l.Content != nil && l.Refusal == nil:
		if l.Content.IsNull() {
			break
		}
		return jsonNode(*l.Content)
	}
	m := NewMapping(yaml.FlowStyle)
	m.Add("content", Pointed(l.Content, jsonNode))
	m.Add("refusal", Pointed(l.Refusal, jsonNode))
	return &m.Node
}

func usageNode(u scenarios.Usage) *yaml.Node {
	switch {
	case u.Null:
		return nullNode()
	case u.Object.IsAbsent():
		return &NewMapping(yaml.FlowStyle).Node
	}
	return jsonNode(u.Object)
}

func byNode(by scenarios.By) *yaml.Node {
	if by.Size > 0 {
		m := NewMapping(yaml.FlowStyle)
		m.Add("size", intNode(by.Size))
		return &m.Node
	}
	return wordOrNil(by.Unit)
}

func fakeNode(f *scenarios.Fake) *yaml.Node {
	m := NewMapping(yaml.FlowStyle)
	m.Add("words", unlessZero(f.Words, intNode))
	m.Add("sentences", unlessZero(f.Sentences, intNode))
	m.Add("paragraphs", unlessZero(f.Paragraphs, intNode))
	m.Add("template", QuotedOrNil(f.Template))
	if f.FromRequest() {
		m.Add("json_schema", WordNode("request"))
	} else if f.JSONSchema != nil {
		m.Add("json_schema", jsonNode(f.JSONSchema.Schema))
	}
	return &m.Node
}

func eventNode(e scenarios.Event) *yaml.Node {
	m := NewMapping(yaml.FlowStyle)
	m.Add("event", optNode(e.Event))
	m.Add("id", optNode(e.ID))
	m.Add("retry", optNode(e.Retry))
	m.Add("data", optNode(e.Data))
	return &m.Node
}

func errorNode(e scenarios.ErrorStep) *yaml.Node {
	m := errorObjectNode(&e.APIError)
	m.Add("event", QuotedOrNil(e.Event))
	m.Add("close", onlyTrue(e.Close))
	return &m.Node
}

func apiErrorNode(e scenarios.APIError) *yaml.Node {
	m := errorObjectNode(&e)
	m.Add("retry_after", Pointed(e.RetryAfter, durationNode))
	m.Add("headers", headersNode(e.Headers))
	m.Add("body", Pointed(e.Body, textNode))
	return &m.Node
}

func errorObjectNode(e *scenarios.APIError) *mapping {
	m := NewMapping(yaml.FlowStyle)
	m.Add("status", unlessZero(e.Status, intNode))
	m.Add("message", optNode(e.Message))
	m.Add("type", optNode(e.Type))
	m.Add("param", optNode(e.Param))
	m.Add("code", optNode(e.Code))
	m.Add("extra", jsonNode(e.Extra))
	return m
}
