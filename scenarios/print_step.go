package scenarios

import (
	"gopkg.in/yaml.v3"
)

func streamNode(steps []Step) *yaml.Node {
	nodes := make([]*yaml.Node, len(steps))
	for i := range steps {
		m := newMapping(0)
		addParts(m, &steps[i])
		addModifiers(m, &steps[i])
		addWire(m, &steps[i])
		nodes[i] = &m.Node
	}
	if len(nodes) == 0 {
		return sequence(yaml.FlowStyle, nil)
	}
	return sequence(0, nodes)
}

func addParts(m *mapping, st *Step) {
	m.add("role", optName(st.Role))
	m.add("content", optNode(st.Content))
	m.add("refusal", optNode(st.Refusal))
	m.add("reasoning", pointed(st.Reasoning, reasoningNode))
	m.add("tool_call", pointed(st.ToolCall, callNode("arguments")))
	m.add("tool_calls", pointed(st.ToolCalls, jsonNode))
	m.add("custom_tool", pointed(st.CustomTool, callNode("input")))
	m.add("function_call", pointed(st.FunctionCall, callNode("arguments")))
	m.add("audio", pointed(st.Audio, jsonNode))
	m.add("annotations", pointed(st.Annotations, jsonNode))
	m.add("logprobs", pointed(st.Logprobs, logprobsNode))
	m.add("heartbeat", unlessZero(st.Heartbeat, intNode))
	m.add("finish", optName(st.Finish))
	m.add("usage", pointed(st.Usage, usageNode))
	if st.Text != nil {
		m.add("text", textNode(st.Text.Text))
		m.add("by", byNode(st.Text.By))
	}
	if st.Fake != nil {
		m.add("fake", fakeNode(st.Fake))
		m.add("by", byNode(st.Fake.By))
	}
	m.add("delta", pointed(st.Delta, jsonNode))
	m.add("chunk", pointed(st.Chunk, jsonNode))
}

func addModifiers(m *mapping, st *Step) {
	m.add("pieces", piecesNode(st))
	m.add("choice", unlessZero(st.Choice, intNode))
	m.add("after", pointed(st.After, durationNode))
	m.add("every", pointed(st.Every, durationNode))
	m.add("jitter", pointed(st.Jitter, durationNode))
	m.add("repeat", unlessZero(st.Repeat, intNode))
	m.add("extra", jsonNode(st.Extra))
	m.add("omit", listNode(st.Omit, pathNode))
	set := newMapping(yaml.FlowStyle)
	for _, a := range st.Set {
		set.add(a.Path.String(), jsonNode(a.Value))
	}
	m.add("set", set.orNil())
	m.add("when_asked", onlyTrue(st.WhenAsked))
}

func addWire(m *mapping, st *Step) {
	m.add("comment", pointed(st.Comment, textNode))
	m.add("raw", pointed(st.Raw, textNode))
	m.add("event", pointed(st.Event, eventNode))
	m.add("error", pointed(st.Error, errorNode))
	m.add("done", pointed(st.Done, boolNode))
	m.add("wait", pointed(st.Wait, durationNode))
	m.add("hold", quotedOrNil(st.Hold))
}

func reasoningNode(r Reasoning) *yaml.Node {
	if r.Field == "" && r.Text.Value.Repeat == "" {
		return optNode(r.Text)
	}
	m := newMapping(yaml.FlowStyle)
	m.add("text", optNode(r.Text))
	m.add("field", quotedOrNil(r.Field))
	return &m.Node
}

// callNode writes a call whose arguments stand under the given name.
func callNode(text string) func(ToolCall) *yaml.Node {
	return func(c ToolCall) *yaml.Node {
		m := newMapping(yaml.FlowStyle)
		m.add("id", optName(c.ID))
		m.add("name", optName(c.Name))
		switch a := c.Arguments; {
		case a.Fake:
			m.add(text, wordNode("fake"))
		case a.Value != nil:
			m.add(text, jsonNode(*a.Value))
		default:
			m.add(text, optNode(a.Text))
		}
		m.add("index", pointed(c.Index, intNode))
		return &m.Node
	}
}

// piecesNode is how a call is cut. The pieces of arguments that are known are
// written out, so that there is something to edit.
func piecesNode(st *Step) *yaml.Node {
	p := st.Pieces
	switch call := st.call(); {
	case p.Texts != nil:
		return listNode(p.Texts, textNode)
	case p.Present:
		return intNode(p.Count)
	case call == nil || call.Arguments.fromRequest():
		return nil
	case call.Arguments.Value != nil:
		return listNode(cutArguments(call.Arguments.Value.String()), literalNode)
	default:
		return listNode(cutArguments(call.Arguments.Text.Value.Source), literalNode)
	}
}

// literalNode is a text that is no template, whatever it holds.
func literalNode(s string) *yaml.Node { return textNode(Text{Source: s, literal: true}) }

func (st *Step) call() *ToolCall {
	for _, c := range []*ToolCall{st.ToolCall, st.CustomTool, st.FunctionCall} {
		if c != nil {
			return c
		}
	}
	return nil
}

func logprobsNode(l Logprobs) *yaml.Node {
	switch {
	case l.Null:
		return nullNode()
	case l.Generate, l.Off:
		return boolNode(l.Generate)
	case l.Content != nil && l.Refusal == nil:
		if l.Content.IsNull() {
			break
		}
		return jsonNode(*l.Content)
	}
	m := newMapping(yaml.FlowStyle)
	m.add("content", pointed(l.Content, jsonNode))
	m.add("refusal", pointed(l.Refusal, jsonNode))
	return &m.Node
}

func usageNode(u Usage) *yaml.Node {
	switch {
	case u.Null:
		return nullNode()
	case u.Object.IsAbsent():
		return &newMapping(yaml.FlowStyle).Node
	}
	return jsonNode(u.Object)
}

func byNode(by By) *yaml.Node {
	if by.Size > 0 {
		m := newMapping(yaml.FlowStyle)
		m.add("size", intNode(by.Size))
		return &m.Node
	}
	return wordOrNil(by.Unit)
}

func fakeNode(f *Fake) *yaml.Node {
	m := newMapping(yaml.FlowStyle)
	m.add("words", unlessZero(f.Words, intNode))
	m.add("sentences", unlessZero(f.Sentences, intNode))
	m.add("paragraphs", unlessZero(f.Paragraphs, intNode))
	m.add("template", quotedOrNil(f.Template))
	if f.fromRequest() {
		m.add("json_schema", wordNode("request"))
	} else if f.JSONSchema != nil {
		m.add("json_schema", jsonNode(f.JSONSchema.Schema))
	}
	return &m.Node
}

func eventNode(e Event) *yaml.Node {
	m := newMapping(yaml.FlowStyle)
	m.add("event", optNode(e.Event))
	m.add("id", optNode(e.ID))
	m.add("retry", optNode(e.Retry))
	m.add("data", optNode(e.Data))
	return &m.Node
}

func errorNode(e ErrorStep) *yaml.Node {
	m := errorObjectNode(&e.APIError)
	m.add("event", quotedOrNil(e.Event))
	m.add("close", onlyTrue(e.Close))
	return &m.Node
}

func apiErrorNode(e APIError) *yaml.Node {
	m := errorObjectNode(&e)
	m.add("retry_after", pointed(e.RetryAfter, durationNode))
	m.add("headers", headersNode(e.Headers))
	m.add("body", pointed(e.Body, textNode))
	return &m.Node
}

func errorObjectNode(e *APIError) *mapping {
	m := newMapping(yaml.FlowStyle)
	m.add("status", unlessZero(e.Status, intNode))
	m.add("message", optNode(e.Message))
	m.add("type", optNode(e.Type))
	m.add("param", optNode(e.Param))
	m.add("code", optNode(e.Code))
	m.add("extra", jsonNode(e.Extra))
	return m
}
