package yamlfile

import (
	"slices"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/fakeopenai/fakeopenai/scenarios/yamlfile/internal/node"
)

// What is pasted from the API, or from its reference, is read as what it says, and fmt writes that.

// valueOf returns the value of a key of a mapping, or nil.
func valueOf(n *yaml.Node, key string) *yaml.Node { return node.Member(n, key).Value }

// pastedChunk is the step that a chunk of the API stands for, as a mapping or as a line of a stream; nil for others.
// A chunk with an id, or of several choices, is sent as it is; of another, the envelope is the scenario's.
func pastedChunk(n *yaml.Node) *yaml.Node {
	if node.ShapeOf(n) == node.Text {
		steps := pastedEvents(n)
		if len(steps) != 1 {
			return nil
		}
		return steps[0]
	}
	choices, kind := valueOf(n, "choices"), valueOf(n, "type")
	switch data := valueOf(n, "data"); {
	case data != nil && len(n.Content) == 2: // a line of a stream
		return pastedChunk(data)
	case kind != nil && kind.Value == "function_call":
		call := node.NewMapping(yaml.FlowStyle)
		moveMembers(call, n, map[string]string{"call_id": "id", "name": "name", "arguments": "arguments"})
		return mappingOf("tool_call", call)
	case kind != nil && strings.HasSuffix(kind.Value, "_call") && valueOf(n, "item") == nil:
		return mappingOf("item", n)
	case choices == nil || choices.Kind != yaml.SequenceNode || valueOf(n, "chunk") != nil:
		return nil
	case valueOf(n, "id") != nil || valueOf(n, "object") != nil || len(choices.Content) > 1:
		return mappingOf("chunk", n)
	}
	step := node.NewMapping(yaml.FlowStyle)
	for _, choice := range choices.Content {
		moveMembers(step, choice, map[string]string{"index": "choice", "delta": "delta", "text": "content", "finish_reason": "finish", "logprobs": "logprobs"})
		addOthers(step, "set", "choices[0].", choice, "index", "delta", "text", "finish_reason", "logprobs")
		if i := valueOf(step, "choice"); i != nil && i.Value == "0" {
			step.Content = slices.DeleteFunc(step.Content, func(m *yaml.Node) bool { return m.Value == "choice" || m == i })
		}
	}
	moveMembers(step, n, map[string]string{"usage": "usage"})
	if len(step.Content) == 0 {
		return nil
	}
	addOthers(step, "extra", "", n, "choices", "usage", "created", "model", "system_fingerprint", "service_tier", "obfuscation")
	return step
}

func addOthers(step *yaml.Node, key, path string, from *yaml.Node, known ...string) {
	others := node.NewMapping(yaml.FlowStyle)
	for _, p := range node.Members(from) {
		if !slices.Contains(known, p.Name) {
			node.Add(others, path+p.Name, p.Value)
		}
	}
	if len(others.Content) > 0 {
		node.Add(step, key, others)
	}
}

// moveMembers adds those members of a mapping that have one of the names and are neither null nor an empty list,
// under their new names.
func moveMembers(to, from *yaml.Node, names map[string]string) {
	for _, p := range node.Members(from) {
		empty := node.ShapeOf(p.Value) == node.Null || node.ShapeOf(p.Value) == node.List && len(p.Value.Content) == 0
		if name := names[p.Name]; name != "" && !empty && valueOf(to, name) == nil {
			key := *p.Key
			key.Value = name
			to.Content = append(to.Content, &key, p.Value)
		}
	}
}

// pastedStream is the list of steps that the text of a stream stands for; nil for another text.
func pastedStream(n *yaml.Node) *yaml.Node {
	steps := pastedEvents(n)
	if len(steps) == 0 {
		return nil
	}
	return &yaml.Node{Kind: yaml.SequenceNode, Content: steps}
}

// pastedEvents are the steps for the events in a text; none if it has other lines. The [DONE] at its end follows by itself.
func pastedEvents(n *yaml.Node) (steps []*yaml.Node) {
	name := ""
	lines := strings.Split(strings.TrimRight(n.Value, "\r\n "), "\n")
	for i, line := range lines {
		field, value, found := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		var doc yaml.Node
		switch {
		case line == "" && !found:
		case !found || !slices.Contains([]string{"", "data", "event"}, field):
			return nil
		case field == "":
			steps = append(steps, mappingOf("comment", node.Quoted(value)))
		case field == "event":
			name = value
		case value == "[DONE]" && i == len(lines)-1 && i > 0:
		case value == "[DONE]":
			steps = append(steps, mappingOf("done", node.Plain("true")))
		case name == "" && yaml.Unmarshal([]byte(value), &doc) == nil && len(doc.Content) > 0 && pastedChunk(doc.Content[0]) != nil:
			steps = append(steps, pastedChunk(doc.Content[0]))
		default:
			event := mappingOf("data", node.Quoted(value))
			if name != "" {
				node.Add(event, "event", node.Quoted(name))
			}
			steps, name = append(steps, mappingOf("event", event)), ""
		}
	}
	for _, s := range steps {
		moveTo(s, n)
	}
	return steps
}

// moveTo gives a node and all below the position of another.
func moveTo(n, at *yaml.Node) {
	n.Line, n.Column = at.Line, at.Column
	for _, child := range n.Content {
		moveTo(child, at)
	}
}

// pastedMessage is the message of a whole completion or response; nil for others.
func pastedMessage(n *yaml.Node) *yaml.Node {
	message := node.NewMapping(yaml.FlowStyle)
	choices, output := valueOf(n, "choices"), valueOf(n, "output")
	switch {
	case choices != nil && choices.Kind == yaml.SequenceNode && len(choices.Content) > 0:
		list := &yaml.Node{Kind: yaml.SequenceNode}
		for _, choice := range choices.Content {
			said := valueOf(choice, "message")
			if said == nil || said.Kind != yaml.MappingNode {
				return nil
			}
			list.Content = append(list.Content, pastedChoice(said, choice))
		}
		if message = list.Content[0]; len(list.Content) > 1 {
			message = mappingOf("choices", list)
		}
	case output != nil && output.Kind == yaml.SequenceNode && len(output.Content) > 0:
		for _, item := range output.Content {
			if !pastedItem(message, item) {
				return nil
			}
		}
	default:
		return nil
	}
	moveMembers(message, n, map[string]string{"usage": "usage"})
	return message
}

// pastedChoice is the message of a choice, without what the members have anyway.
func pastedChoice(said, choice *yaml.Node) *yaml.Node {
	message := node.NewMapping(yaml.FlowStyle)
	for _, p := range node.Members(said) {
		if p.Name != "role" {
			moveMembers(message, mappingOf(p.Name, p.Value), map[string]string{p.Name: p.Name})
		}
	}
	if len(message.Content) == 0 {
		node.Add(message, "content", node.Quoted(""))
	}
	moveMembers(message, choice, map[string]string{"finish_reason": "finish", "logprobs": "logprobs"})
	return message
}

// pastedItem adds what an output item of a response says to a message. It is false for an item that no message has.
func pastedItem(message, item *yaml.Node) bool {
	kind, add := valueOf(item, "type"), func(key string, value *yaml.Node) {
		if valueOf(message, key) == nil {
			node.Add(message, key, &yaml.Node{Kind: yaml.SequenceNode})
		}
		list := valueOf(message, key)
		list.Content = append(list.Content, value)
	}
	switch {
	case kind == nil:
		return false
	case memberAt(item, "content.0.refusal") != nil:
		node.Add(message, "refusal", memberAt(item, "content.0.refusal"))
	case kind.Value == "message" && valueOf(item, "content") != nil && !hasAny(message, []string{"content", "tool_calls", "custom_tool_calls"}):
		node.Add(message, "content", valueOf(item, "content"))
	case kind.Value == "reasoning" && len(message.Content) == 0:
		moveMembers(message, item, map[string]string{"summary": "reasoning"})
		if len(message.Content) == 0 {
			node.Add(message, "reasoning", node.Quoted(""))
		}
		if text := memberAt(item, "summary.0.text"); text != nil && len(valueOf(item, "summary").Content) == 1 {
			*valueOf(message, "reasoning") = *text
		}
	case kind.Value == "function_call" && valueOf(message, "custom_tool_calls") == nil || kind.Value == "custom_tool_call":
		call := node.NewMapping(yaml.FlowStyle)
		moveMembers(call, item, map[string]string{"call_id": "id", "name": "name", "arguments": "arguments", "input": "input"})
		add(map[string]string{"function_call": "tool_calls", "custom_tool_call": "custom_tool_calls"}[kind.Value], call)
	default:
		return false
	}
	return true
}

// pastedItems are the steps for the output items of a response that no message has; nil if it has none.
func pastedItems(n *yaml.Node) *yaml.Node {
	output := valueOf(n, "output")
	if output == nil || output.Kind != yaml.SequenceNode || len(output.Content) == 0 {
		return nil
	}
	steps, finish := &yaml.Node{Kind: yaml.SequenceNode}, "stop"
	for _, item := range output.Content {
		step := pastedChunk(item)
		if text := memberAt(item, "content.0.text"); text != nil {
			step = mappingOf("content", text)
		} else if step == nil {
			return nil
		} else if valueOf(step, "tool_call") != nil {
			finish = "tool_calls"
		}
		steps.Content = append(steps.Content, step)
	}
	steps.Content = append(steps.Content, mappingOf("finish", node.Plain(finish)))
	if usage := valueOf(n, "usage"); usage != nil {
		steps.Content = append(steps.Content, mappingOf("usage", usage))
	}
	return steps
}

// pastedIDs are the ids of the output items of a response; nil if they have none, and not ok if only some have one.
func pastedIDs(output *yaml.Node) (ids *yaml.Node, ok bool) {
	if output == nil || output.Kind != yaml.SequenceNode {
		return nil, true
	}
	ids = &yaml.Node{Kind: yaml.SequenceNode, Style: yaml.FlowStyle, Line: output.Line, Column: output.Column}
	for _, item := range output.Content {
		if id := valueOf(item, "id"); id != nil {
			ids.Content = append(ids.Content, id)
		}
	}
	return ids, len(ids.Content) == 0 || len(ids.Content) == len(output.Content)
}

// pastedAnswer is a scenario or a reply in which a whole completion, or a response, stands beside the other keys.
func pastedAnswer(n *yaml.Node) *yaml.Node {
	answer, message := "message", pastedMessage(n)
	if message == nil {
		answer, message = "stream", pastedItems(n)
	}
	ids, ok := pastedIDs(valueOf(n, "output"))
	if message == nil || valueOf(n, "message") != nil || !ok {
		return nil
	}
	whole, envelope := *n, node.NewMapping(yaml.FlowStyle)
	moveMembers(envelope, n, map[string]string{"id": "id", "created": "created", "created_at": "created", "model": "model", "system_fingerprint": "system_fingerprint", "service_tier": "service_tier"})
	if ids != nil && len(ids.Content) > 0 {
		node.Add(envelope, "item_ids", ids)
	}
	whole.Content = nil
	for _, p := range node.Members(n) {
		if p.Name == "envelope" && p.Value.Kind == yaml.MappingNode {
			envelope.Content = append(envelope.Content, p.Value.Content...)
		} else if !(p.Name == "status" && p.Value.Value == "completed") && !slices.Contains([]string{"choices", "output", "usage", "object", "id", "created", "created_at", "model", "system_fingerprint", "service_tier"}, p.Name) {
			whole.Content = append(whole.Content, p.Key, p.Value)
		}
	}
	if len(envelope.Content) > 0 {
		node.Add(&whole, "envelope", envelope)
	}
	node.Add(&whole, answer, message)
	return &whole
}

// customApart is a message with the calls of custom tools in the list of their own; nil if there are none among tool_calls.
func customApart(n *yaml.Node) *yaml.Node {
	calls := valueOf(n, "tool_calls")
	custom, functions := &yaml.Node{Kind: yaml.SequenceNode}, &yaml.Node{Kind: yaml.SequenceNode}
	if calls == nil || calls.Kind != yaml.SequenceNode {
		return nil
	}
	for _, call := range calls.Content {
		if kind := valueOf(call, "type"); kind == nil || kind.Value != "custom" {
			functions.Content = append(functions.Content, call)
			continue
		}
		said := node.NewMapping(yaml.FlowStyle)
		moveMembers(said, call, map[string]string{"id": "id", "name": "name", "input": "input"})
		moveMembers(said, valueOf(call, "custom"), map[string]string{"name": "name", "input": "input"})
		custom.Content = append(custom.Content, said)
	}
	if len(custom.Content) == 0 || valueOf(n, "custom_tool_calls") != nil {
		return nil
	}
	message := node.NewMapping(yaml.FlowStyle)
	for _, p := range node.Members(n) {
		if p.Name != "tool_calls" {
			message.Content = append(message.Content, p.Key, p.Value)
		} else if len(functions.Content) > 0 {
			message.Content = append(message.Content, p.Key, functions)
		}
	}
	node.Add(message, "custom_tool_calls", custom)
	return message
}

// byType is a mapping of one kind whose type stands beside its options, as { type: reset, after: 2 }; nil for another.
func byType(n *yaml.Node) *yaml.Node {
	kind := valueOf(n, "type")
	if kind == nil || !slices.Contains(endKinds(), kind.Value) {
		return nil
	}
	options := node.NewMapping(yaml.FlowStyle)
	for _, p := range node.Members(n) {
		if p.Value != kind {
			options.Content = append(options.Content, p.Key, p.Value)
		}
	}
	return mappingOf(kind.Value, options)
}

// partOfText is the text of a part of a message's content, or JSON for any other mapping; nil for what may be
// meant as a generated text.
func partOfText(n *yaml.Node) *yaml.Node {
	if text := valueOf(n, "text"); text != nil && node.ShapeOf(text) == node.Text && valueOf(n, "type") != nil {
		return text
	}
	for _, p := range node.Members(n) {
		if slices.Contains([]string{"repeat", "bytes", "text", "type", "fake", "words", "lorem", "size", "length", "times", "count", "json", "file"}, p.Name) {
			return nil
		}
	}
	v, ok := (&node.Reader{}).JSON(n)
	if !ok || len(n.Content) == 0 {
		return nil
	}
	return node.Quoted(v.String())
}
